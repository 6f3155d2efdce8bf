import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { realPath } from "../files/real-path.ts";
import { toldLauncher } from "../store/app-folder.ts";
import type { Env } from "../store/paths.ts";

/** Where a hook runs: `root` of ccg's store, its environment, and the launcher that started it. */
export interface Around {
	root: string;
	env: Env;
	launcher: string;
}

/** The commands of ccg that only read or save data of the session. */
const OWN = new Set(
	(
		"status,show,recall,config show,memory save,memory edit,memory list,checkpoint save,checkpoint list," +
		"checkpoint validate,task status,task bundle,task ensure,task checkpoint"
	).split(","),
);
/** The options of these commands, without those that write a file or change something for all projects. */
const OPTIONS = new Set(
	(
		"--help --json --all --machine --session --as --against --since --until --more --before-compaction --kind " +
		"--target --pressure --goal --did --outcome --next --failed --why --decision --step --phase --touched --blocker " +
		"--unblock --constraint --file --complete"
	).split(" "),
);
/** Commands that may save for this session alone. */
const SAVES = ["task", "checkpoint"];

/** A word that every shell reads as it stands; bash leaves out a NUL, and may find an option behind it. */
const WORD = /[ \t]*(?:'([^'\0]*)'|"([^"$`\\\0]*)"|([\w./:@+,=-]+|~\/[\w./-]+))(?=[ \t]|$)/y;

/** Whether a shell command is one command of ccg, in plain words, that only reads or saves data of the session. Any other: `false`. */
export function isOwnCommand(command: string, session: string, around: Around): boolean {
	// word for word as ccg gives it to the model: in quotes it would be a program's name
	const prefix = `CLAUDE_CODE_SESSION_ID=${session} `;
	const bare = command.startsWith(prefix) ? command.slice(prefix.length) : command;
	const [first, ...rest] = plainWords(bare) ?? [];
	if (first === undefined || !isThisLauncher(first, around)) return false;
	const length = [2, 1].find((many) => OWN.has(rest.slice(0, many).join(" ")));
	if (length === undefined) return ["--version", "--help", "help"].includes(rest.join(" "));
	// "--" is no option of the list: as the value of an option before it, it ends nothing
	return rest.slice(length).every((word, i, args) => {
		if (!word.startsWith("-")) return true;
		const [option = ""] = word.split("=", 1);
		const value = word === option ? args[i + 1] : word.slice(option.length + 1);
		const isOwnSession = option !== "--session" || !SAVES.includes(rest[0]!) || value === session;
		return OPTIONS.has(option) && isOwnSession;
	});
}

/** The words of a command; `null` where anything but plain words stands in it. */
function plainWords(command: string): string[] | null {
	const words: string[] = [];
	WORD.lastIndex = 0;
	const end = command.trimEnd().length;
	while (WORD.lastIndex < end) {
		const [, single, double, plain] = WORD.exec(command) ?? [];
		const word = single ?? double ?? plain;
		if (word === undefined) return null;
		words.push(word);
	}
	return words;
}

/** Whether the word starts this ccg: a path of it, or the name where that leads to it or to nothing. */
function isThisLauncher(word: string, { env, launcher, root }: Around): boolean {
	const path = word.startsWith("~/") ? `${env.HOME ?? ""}${word.slice(1)}` : word;
	if (path !== "ccg") return path === launcher || path === toldLauncher(launcher, root);
	// PATH as the agent's shell has it: ccg's launcher takes the folders in the workspace out of its own PATH
	const folders = (env.CCG_SHELL_PATH ?? env.PATH ?? "").split(":");
	const first = folders.find((folder) => !isAbsolute(folder) || existsSync(join(folder, "ccg")));
	return first === undefined || (isAbsolute(first) && realPath(join(first, "ccg")) === realPath(launcher));
}
