import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { realPath } from "../files/real-path.ts";
import { toldLauncher } from "../store/app-folder.ts";
import type { Env } from "../store/paths.ts";

/** Where a command would run. */
export interface Place {
	env: Env;
	launcher: string;
	/** The root of ccg's store. */
	store: string;
	session: string;
}

/** The commands of ccg that read or save what the session has, each with its options. */
const OWN: Record<string, string> = {
	status: "--json --all --machine",
	show: "--json --session --all --as --against --since",
	recall: "--json --more --around --all --session --since --until --before-compaction --kind",
	"config show": "--json --session",
	"memory save": "--target",
	"memory edit": "--json",
	"memory list": "--json --all --global",
	"memory check": "--json",
	"checkpoint save": "--json --session",
	"checkpoint list": "--json --all --session",
	"checkpoint validate": "--json --all --session",
	"task status": "--json --session --pressure",
	"task bundle": "--json --session --pressure",
	"task ensure": "--json --session --pressure --goal",
	"task checkpoint": [
		"--json --session --pressure --did --outcome --next --failed --why --decision --step --phase --goal",
		"--touched --blocker --unblock --constraint --file --complete",
	].join(" "),
};
/** What these save is of this session. */
const SAVES = ["task", "checkpoint"];

/** A word that every shell reads as it stands; bash leaves out a NUL, and may find an option behind it. */
const WORD = /[ \t]*(?:'([^'\0]*)'|"([^"$`\\\0]*)"|([\w./:@+,=-]+|~\/[\w./-]+))(?=[ \t]|$)/y;

/** Whether a shell command is one command of ccg's, in plain words, that reads or saves what the session has. Nothing else is read. */
export function isOwnCommand(command: string, place: Place): boolean {
	// word for word as ccg tells it: in quotes it would be a program's name
	const told = `CLAUDE_CODE_SESSION_ID=${place.session} `;
	const bare = command.startsWith(told) ? command.slice(told.length) : command;
	const [first, ...rest] = wordsOf(bare) ?? [];
	if (first === undefined || !isLauncher(place, first)) return false;
	const length = Object.hasOwn(OWN, rest.slice(0, 2).join(" ")) ? 2 : 1;
	const name = rest.slice(0, length).join(" ");
	if (!Object.hasOwn(OWN, name)) return ["--version", "--help", "help"].includes(rest.join(" "));
	const options = ["--help", ...OWN[name]!.split(" ")];
	// "--" is none of them: as the value of an option before it, it ends nothing
	return rest.slice(length).every((word, i, given) => {
		if (!word.startsWith("-")) return true;
		const [option = ""] = word.split("=", 1);
		const value = word === option ? given[i + 1] : word.slice(option.length + 1);
		const isHere = option !== "--session" || !SAVES.includes(rest[0]!) || value === place.session;
		return options.includes(option) && isHere;
	});
}

/** The words of a command; `null` where anything but plain words stands in it. */
function wordsOf(command: string): string[] | null {
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
function isLauncher({ env, launcher, store }: Place, word: string): boolean {
	const path = word.startsWith("~/") ? `${env.HOME ?? ""}${word.slice(1)}` : word;
	if (path !== "ccg") return path === launcher || path === toldLauncher(launcher, store);
	// PATH as the agent's shell has it: ccg's launcher takes the places in the workspace out of its own
	const folders = (env.CCG_SHELL_PATH ?? env.PATH ?? "").split(":");
	const found = folders.find((folder) => !isAbsolute(folder) || existsSync(join(folder, "ccg")));
	return found === undefined || (isAbsolute(found) && realPath(join(found, "ccg")) === realPath(launcher));
}
