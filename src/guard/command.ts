import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { realPath } from "../files/real-path.ts";
import { typedLauncher } from "../store/app-folder.ts";
import type { Env } from "../store/paths.ts";

/** Where a hook runs: `root` of ccg's store, its environment, and the launcher that started it. */
export interface GateContext {
	root: string;
	env: Env;
	launcher: string;
}

/** The commands of ccg that only read or save data of the session. */
const OWN_COMMANDS = new Set(
	(
		"status,show,recall,config show,memory save,memory edit,memory list,checkpoint save,checkpoint list," +
		"checkpoint validate,task status,task bundle,task ensure,task checkpoint"
	).split(","),
);
/** The options of these commands, without those that write a file or change something for all projects. */
const OWN_OPTIONS = new Set(
	(
		"--help --json --all --machine --session --as --against --since --until --more --before-compaction --kind " +
		"--target --pressure --goal --did --outcome --next --failed --why --decision --step --phase --touched --blocker " +
		"--unblock --constraint --file --complete"
	).split(" "),
);
/** Commands that may save for this session alone. */
const SAVING_COMMANDS = ["task", "checkpoint"];

/** A word that every shell reads as it stands; bash leaves out a NUL, and may find an option behind it. */
const WORD = /[ \t]*(?:'([^'\0]*)'|"([^"$`\\\0]*)"|([\w./:@+,=-]+|~\/[\w./-]+))(?=[ \t]|$)/y;

/** Whether a shell command is one command of ccg, in plain words, that only reads or saves data of the session. Any other: `false`. */
export function isOwnCommand(command: string, session: string, context: GateContext): boolean {
	// (ccg gives the model this prefix without quotes; in quotes it would be a program's name)
	const prefix = `CLAUDE_CODE_SESSION_ID=${session} `;
	const withoutPrefix = command.startsWith(prefix) ? command.slice(prefix.length) : command;
	const [program, ...args] = plainWords(withoutPrefix) ?? [];
	if (program === undefined || !isThisLauncher(program, context)) return false;
	const commandWords = [2, 1].find((count) => OWN_COMMANDS.has(args.slice(0, count).join(" ")));
	if (commandWords === undefined) return ["--version", "--help", "help"].includes(args.join(" "));
	// ("--" counts as an option that is not in the list)
	return args.slice(commandWords).every((word, i, rest) => {
		if (!word.startsWith("-")) return true;
		const [option = ""] = word.split("=", 1);
		const value = word === option ? rest[i + 1] : word.slice(option.length + 1);
		const isOwnSession = option !== "--session" || !SAVING_COMMANDS.includes(args[0]!) || value === session;
		return OWN_OPTIONS.has(option) && isOwnSession;
	});
}

/** The words of a shell command; `null` where it has more than words, such as a variable, a pipe or a second command. */
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

/** Whether the word `program` starts this ccg: a path to it, or `ccg`, unless that is another program on the agent's PATH. */
function isThisLauncher(program: string, { env, launcher, root }: GateContext): boolean {
	const path = program.startsWith("~/") ? `${env.HOME ?? ""}${program.slice(1)}` : program;
	if (path !== "ccg") return path === launcher || path === typedLauncher(launcher, root);
	// the PATH of the agent's shell: bin/ccg takes folders in the workspace out of its own
	const folders = (env.CCG_SHELL_PATH ?? env.PATH ?? "").split(":");
	const firstFolder = folders.find((folder) => !isAbsolute(folder) || existsSync(join(folder, "ccg")));
	return (
		firstFolder === undefined || (isAbsolute(firstFolder) && realPath(join(firstFolder, "ccg")) === realPath(launcher))
	);
}
