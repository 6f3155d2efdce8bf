import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { realPath } from "../files/real-path.ts";
import { toldLauncher } from "../store/app-folder.ts";
import type { Env } from "../store/paths.ts";

/** What a hook knows of where it runs: `root` of ccg's store. */
export interface Around {
	root: string;
	env: Env;
	launcher: string;
}

/** The commands of ccg that read or save what the session has. */
const OWN = new Set(
	(
		"status,show,recall,config show,memory save,memory edit,memory list,checkpoint save,checkpoint list," +
		"checkpoint validate,task status,task bundle,task ensure,task checkpoint"
	).split(","),
);
/** Their options, but those that reach further: no file is written, and nothing for all projects. */
const OPTIONS = new Set(
	(
		"--help --json --all --machine --session --as --against --since --until --more --before-compaction --kind " +
		"--target --pressure --goal --did --outcome --next --failed --why --decision --step --phase --touched --blocker " +
		"--unblock --constraint --file --complete"
	).split(" "),
);
/** What these save is of this session. */
const SAVES = ["task", "checkpoint"];

/** A word that every shell reads as it stands; bash leaves out a NUL, and may find an option behind it. */
const WORD = /[ \t]*(?:'([^'\0]*)'|"([^"$`\\\0]*)"|([\w./:@+,=-]+|~\/[\w./-]+))(?=[ \t]|$)/y;

/** Whether a shell command is one command of ccg's, in plain words, that reads or saves what the session has. Nothing else is read. */
export function isOwnCommand(command: string, session: string, around: Around): boolean {
	// word for word as ccg tells it: in quotes it would be a program's name
	const told = `CLAUDE_CODE_SESSION_ID=${session} `;
	const bare = command.startsWith(told) ? command.slice(told.length) : command;
	const [first, ...rest] = plainWords(bare) ?? [];
	if (first === undefined || !isThisLauncher(first, around)) return false;
	const length = [2, 1].find((many) => OWN.has(rest.slice(0, many).join(" ")));
	if (length === undefined) return ["--version", "--help", "help"].includes(rest.join(" "));
	// "--" is none of them: as the value of an option before it, it ends nothing
	return rest.slice(length).every((word, i, given) => {
		if (!word.startsWith("-")) return true;
		const [option = ""] = word.split("=", 1);
		const value = word === option ? given[i + 1] : word.slice(option.length + 1);
		const isHere = option !== "--session" || !SAVES.includes(rest[0]!) || value === session;
		return OPTIONS.has(option) && isHere;
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
	// PATH as the agent's shell has it: ccg's launcher takes the places in the workspace out of its own
	const folders = (env.CCG_SHELL_PATH ?? env.PATH ?? "").split(":");
	const found = folders.find((folder) => !isAbsolute(folder) || existsSync(join(folder, "ccg")));
	return found === undefined || (isAbsolute(found) && realPath(join(found, "ccg")) === realPath(launcher));
}
