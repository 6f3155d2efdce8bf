import { basename } from "node:path";
import { readShell } from "../core/text/read-shell.ts";
import { quoted } from "./launcher.ts";

/** A command in a settings file. */
export interface SettingsCommand {
	/** `null` for the status line. */
	event: string | null;
	command: string;
	/** Its words, where no shell takes the command apart. */
	args: string[] | undefined;
	/** The entry whole. */
	value: Record<string, unknown>;
	/** The keys and places that lead to the entry. */
	at: (string | number)[];
}

/** A command in which ccg is called. */
export interface Entry extends SettingsCommand, Call {}

/** The object in a settings file's text; `null` where there is none. */
export function settingsIn(text: string): Record<string, unknown> | null {
	try {
		const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
		return isObject(value) ? value : null;
	} catch {
		return null;
	}
}

/** The hooks and the status line of parsed settings, in the file's order. */
export function commandsIn(settings: Record<string, unknown> | null): SettingsCommand[] {
	const found = Object.entries(settings?.hooks ?? {}).flatMap(([event, groups]) =>
		list(groups).flatMap((group, n) =>
			list(group?.hooks).flatMap((value, i) => commandOf(value, event, ["hooks", event, n, "hooks", i])),
		),
	);
	return [...found, ...commandOf(settings?.statusLine, null, ["statusLine"])];
}

/** The entries of ccg, of this installation or another, also those in which another program runs too. */
export function entriesIn(settings: Record<string, unknown> | null): Entry[] {
	return commandsIn(settings).flatMap((one) => {
		const call = callIn(one.command, one.args);
		return call && (one.event !== null || call.part === "statusline") ? [{ ...one, ...call }] : [];
	});
}

/** The entries in a settings file's text that are ccg's alone. */
export const findEntries = (text: string): Entry[] => entriesIn(settingsIn(text)).filter(({ isShared }) => !isShared);

// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
function commandOf(value: any, event: string | null, at: SettingsCommand["at"]): SettingsCommand[] {
	if (typeof value?.command !== "string") return [];
	const { command, args } = value;
	return [{ event, command, value, at, args: Array.isArray(args) ? args.map(String) : undefined }];
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
	value !== null && typeof value === "object" && !Array.isArray(value);

// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
export const list = (value: unknown): any[] => (Array.isArray(value) ? value : []);

/** A call of ccg in a command, of this installation or of another one. */
export interface Call {
	/** As the command names it, a `~` resolved. */
	launcher: string;
	/** The name of a hook, also one that this version does not have, or `statusline`. */
	part: string;
	wrapped?: string | undefined;
	/** The store the command was installed with, when `CCG_HOME` was set then. */
	home?: string | undefined;
	/** Another program runs in it too, so the entry is the user's own. */
	isShared: boolean;
}

/**
 * The call of ccg in an entry: the command is taken apart as sh does it. Where something else runs, or is given the call, the entry
 * is shared.
 */
export function callIn(command: string, args?: readonly string[]): Call | null {
	const text = args ? [command, ...args].map(quoted).join(" ") : command;
	if (text.length > MAX_CHARS || !text.includes("ccg")) return null;
	const set = new Map([["HOME", process.env.HOME ?? ""]]);
	const read = readShell(text, set);
	let [own, wrapped]: [string[]?, string?] = [];
	let isShared = read.isCut || read.hasOutput;
	for (const { words, redirections } of read.commands) {
		isShared ||= !redirections.every(({ target }) => HARMLESS_TARGET.test(target?.text ?? "-"));
		const all = words.map((word) => word.text ?? "");
		const first = all.findIndex((word) => !BEFORE.test(word));
		const run = first < 0 ? [] : all.slice(first);
		const at = run.findIndex((_, i) => isCall(run.slice(i, i + 3)));
		if (at >= 0) own ??= run.slice(at);
		if (own?.[1] === "statusline" && own[2] === "--wrap") wrapped = own[3];
		// in place of a launcher that is gone a wrapped status line runs by itself
		const isWrapped = run[0] === "eval" && run.slice(1).join(" ") === wrapped;
		isShared ||= at > 0 || (at < 0 && run.length > 0 && !isWrapped && !BUILTIN.test(run[0]!));
	}
	if (!own) return null;
	const part = own[1] === "statusline" ? own[1] : own[2]!;
	return { launcher: atHome(own[0]!), part, wrapped, home: set.get("CCG_HOME") || undefined, isShared };
}

const MAX_CHARS = 8 * 1024;
/** What may stand before the program: words of the grammar, assignments. */
const BEFORE = /^(?:[!{]|do|then|else|elif|if|while|until|exec|[A-Za-z_]\w*=.*)$/s;

const isCall = ([program = "", part, hook = ""]: string[]): boolean =>
	(part === "statusline" || (part === "hook" && /^[a-z][a-z-]*$/.test(hook))) && basename(program) === "ccg";

/** The launcher of a permission rule for a command of ccg's, or `null` when the rule is somebody else's. */
export function recogniseRule(rule: string, command: string): string | null {
	const tail = ` ${command}:*)`;
	if (!rule.startsWith("Bash(") || !rule.endsWith(tail)) return null;
	const words = readShell(rule.slice(5, -tail.length), new Map()).commands.flatMap(({ words }) =>
		words.map(({ text }) => text ?? ""),
	);
	const [launcher = "", ...more] = words;
	return more.length === 0 && launcher.endsWith("/ccg") ? launcher : null;
}

/** Of a redirection: a descriptor, or what keeps nothing. */
const HARMLESS_TARGET = /^(?:\d+|-|\/dev\/(?:null|stdin|stdout|stderr))$/;

/** Builtins of the shell that neither run nor say anything. */
const BUILTIN = /^(?:[}:[]|\[\[|case|cd|done|esac|exit|export|false|fi|for|read|set|test|true|umask|unset)$/;

const atHome = (path: string): string => path.replace(/^~(?=\/)/, process.env.HOME ?? "~");
