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
	status: "--json --session --all --machine --help",
	show: "--json --session --all --as --against --since --help",
	recall: "--json --more --around --all --session --since --kind --help",
	"config show": "--json --session --all --help",
	"memory save": "--target --help",
	"memory edit": "--json --help",
	"memory list": "--json --all --global --help",
	"memory check": "--json --help",
	"checkpoint save": "--json --session --help",
	"checkpoint list": "--json --all --session --limit --help",
	"checkpoint validate": "--json --all --session --limit --help",
	"task status": "--json --session --pressure --help",
	"task bundle": "--json --session --pressure --help",
	"task ensure": "--json --session --pressure --goal --help",
	"task checkpoint": [
		"--json --session --pressure --did --outcome --next --failed --why --decision --step --phase --goal --help",
		"--touched --blocker --unblock --constraint --file --complete",
	].join(" "),
};
/** What these save is of this session. */
const SAVES = ["task", "checkpoint"];

/** A word that every shell reads as it stands. */
const WORD = /[ \t]*(?:'([^']*)'|"([^"$`\\]*)"|([\w./:@+,=-]+|~\/[\w./-]+))(?=[ \t]|$)/y;

/** Whether a shell command is one command of ccg's, in plain words, that reads or saves what the session has. Nothing else is read. */
export function isOwnCommand(command: string, place: Place): boolean {
	const words = wordsOf(command);
	if (!words) return false;
	const [first, ...rest] = words[0] === `CCG_HOME=${place.store}` ? words.slice(1) : words;
	if (first === undefined || !isLauncher(place, first)) return false;
	const name = [rest.slice(0, 2).join(" "), rest[0] ?? ""].find((one) => Object.hasOwn(OWN, one));
	if (name === undefined) return ["--version", "--help", "help"].includes(rest.join(" "));
	const options = OWN[name]!.split(" ");
	const given = rest.slice(name.split(" ").length);
	const last = given.indexOf("--");
	return given.every((word, i) => {
		if (!word.startsWith("-") || (last >= 0 && i >= last)) return true;
		const [option = "", value = given[i + 1]] = word.split("=", 2);
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
