import { basename } from "node:path";
import { programsOnPath } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { readPart } from "../store/part-of-file.ts";
import { ASSIGNMENT, readCommands } from "./shell-commands.ts";
import { QUOTED, unquoted } from "./shell-word.ts";

/** A command of ccg, read back: of this installation or of another one. */
export interface Recognised {
	/** As the command names it, a `~` resolved. */
	launcher: string;
	/** The name of a hook, also one that this version does not have, or `statusline`. */
	part: string;
	wrapped?: string | undefined;
	/** The store the command was installed with, when `CCG_HOME` was set then. */
	home?: string;
}

/** A command in which ccg is called. `isShared`: another program runs in it too, so the entry is the user's own. */
export interface Call extends Recognised {
	isShared: boolean;
}

/** What an entry is to ccg, or `null` when it is somebody else's. `args`: its words, where no shell takes the command apart. */
export function recognise(command: string, args?: readonly string[]): Recognised | null {
	const found = callIn(command, args);
	if (!found || found.isShared) return null;
	const { isShared: _, ...own } = found;
	return own;
}

/**
 * The call of ccg in an entry, however it is written: the command is taken apart as sh does it, and of each program in it is asked
 * where it leads. Only what is run counts, not what is another program's argument. `null` also for what is too long or too deep.
 */
export function callIn(command: string, args?: readonly string[]): Call | null {
	const read = new Reading();
	if (args) read.run([command, ...args]);
	else read.text(command);
	// in place of a launcher that is gone a wrapped status line runs by itself
	for (const text of read.later) if (text !== read.calls[0]?.[3]) read.text(text);
	const [own] = read.calls;
	if (!own || read.isLost) return null;
	const [launcher, name, ...words] = own as [string, string, ...string[]];
	const wrapped = name === "statusline" && words[0] === "--wrap" ? words[1] : undefined;
	const home = read.set.get("CCG_HOME");
	return {
		launcher: launcher.replace(/^~(?=\/)/, process.env.HOME ?? "~"),
		part: name === "statusline" ? name : words[0]!,
		...(wrapped !== undefined && { wrapped }),
		...(home && { home }),
		isShared: read.isShared,
	};
}

/** The launcher of a permission rule for a command of ccg's, or `null` when the rule is somebody else's. */
export function recogniseRule(rule: string, command: string): string | null {
	const word = new RegExp(`^Bash\\((${QUOTED}|[A-Za-z0-9_./-]+) ${command}:\\*\\)$`).exec(rule)?.[1];
	const launcher = word && unquoted(word);
	return launcher?.endsWith("/ccg") && isLauncher(launcher) ? launcher : null;
}

/** Texts within texts, and programs that lead to the next one. */
const MAX_LEVELS = 20;

class Reading {
	calls: string[][] = [];
	/** What `eval` is given. */
	later: string[] = [];
	isShared = false;
	/** Too long or too deep to be read: it is nobody's. */
	isLost = false;
	set = new Map(process.env.HOME ? [["HOME", process.env.HOME]] : []);
	private texts = 0;

	text(text: string): void {
		const read = ++this.texts > MAX_LEVELS ? null : readCommands(text, this.set);
		this.isLost ||= read === null;
		this.isShared ||= read?.hasMore === true;
		for (const words of read?.commands ?? []) this.run(words);
	}

	/** One command: what only leads to a program is passed over. */
	run(words: readonly string[]): void {
		let at = 0;
		for (let level = 0; level < MAX_LEVELS; level++) {
			while (at < words.length && (BEFORE.test(words[at]!) || ASSIGNMENT.test(words[at]!))) at++;
			const [program, part, hook = ""] = words.slice(at, at + 3);
			if (program === undefined || BUILTIN.test(program)) return;
			const name = basename(program);
			const isCall = part === "statusline" || (part === "hook" && /^[a-z][a-z-]*$/.test(hook));
			if (isCall && isLauncher(program)) return void this.calls.push(words.slice(at));
			if (program === "eval") return void this.later.push(words.slice(at + 1).join(" "));
			if (/^(?:ba|da|z|k|a)?sh$/.test(name)) {
				const option = words.findIndex((word, i) => i > at && /^-[a-z]*c$/.test(word));
				if (option >= 0) return this.text(words[option + 1] ?? "");
			} else if (!/^(?:env|exec|command|nice|nohup|setsid|stdbuf|time|timeout)$/.test(name)) {
				this.isShared ||= name !== "ccg";
				return;
			}
			at = this.afterOptions(words, at + 1);
		}
		this.isLost = true;
	}

	/** Where behind options, their values, a time and assignments the next program stands. */
	private afterOptions(words: readonly string[], from: number): number {
		let at = from;
		for (; at < words.length; at++) {
			const [, key, value] = ASSIGNMENT.exec(words[at]!) ?? [];
			if (key) this.set.set(key, value!);
			else if (/^-[unks]$/.test(words[at]!)) at++;
			else if (!/^-|^\d[\d.]*[smhd]?$/.test(words[at]!)) break;
		}
		return at;
	}
}

/** Words of the shell's grammar, after which a command stands, and those of its builtins that neither run nor say anything. */
const BEFORE = /^(?:[!{]|do|then|else|elif|if|while|until)$/;
const BUILTIN =
	/^(?:[}:[]|\[\[|break|case|cd|continue|done|esac|exit|export|false|fi|for|local|pwd|read|readonly|return|set|shift|test|true|type|ulimit|umask|unset|wait)$/;

/** By what stands in it: a copy may have any name and lie anywhere, and another program may be called ccg. One that is gone: by its name. */
function isLauncher(program: string): boolean {
	const [path] = program.includes("/")
		? [program.replace(/^~(?=\/)/, process.env.HOME ?? "~")]
		: programsOnPath(program, process.env.PATH ?? "");
	const text = path?.startsWith("/") ? readPart(realPath(path), HEAD.length)?.text : undefined;
	return text === undefined ? basename(program) === "ccg" : text === HEAD;
}

/** How `bin/ccg` begins. */
const HEAD = "#!/bin/sh\n# Finds Bun or Node and starts ccg with it.";
