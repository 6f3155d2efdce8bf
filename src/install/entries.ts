import { basename } from "node:path";
import { parseObject } from "../files/json-file.ts";
import { readPart } from "../files/read-file.ts";
import { realPath } from "../files/real-path.ts";

/** A command in a settings file. */
interface SettingsCommand {
	/** `null` for the status line. */
	event: string | null;
	command: string;
	/** The entry whole. */
	value: Record<string, unknown>;
}

/** A command of ccg's, of this installation or of another one. One in which another program runs too is its owner's. */
export interface Entry extends SettingsCommand {
	/** As the command names it, the home folder put in. */
	launcher: string;
	/** The name of a hook, also one that this version does not have, or `statusline`. */
	part: string;
	wrapped?: string | undefined;
}

/** The object in a settings file's text, of any size; `null` where there is none. */
export const settingsIn = (text: string): Record<string, unknown> | null =>
	parseObject(text.trim() === "" ? "{}" : text, Number.POSITIVE_INFINITY);

/** The hooks and the status line of parsed settings, in the file's order. */
export function commandsIn(settings: Record<string, unknown> | null): SettingsCommand[] {
	const found = Object.entries(settings?.hooks ?? {}).flatMap(([event, groups]) =>
		asList(groups).flatMap((group) => asList(group?.hooks).flatMap((value) => commandOf(value, event))),
	);
	return [...found, ...commandOf(settings?.statusLine, null)];
}

/** The entries of ccg, of this installation or another. */
export function entriesIn(settings: Record<string, unknown> | null): Entry[] {
	return commandsIn(settings).flatMap((one) => {
		const call = callIn(one.command);
		return call && (one.event !== null || call.part === "statusline") ? [{ ...one, ...call }] : [];
	});
}

/** Those in a settings file's text. */
export const findEntries = (text: string): Entry[] => entriesIn(settingsIn(text));

// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
function commandOf(value: any, event: string | null): SettingsCommand[] {
	if (typeof value?.command !== "string") return [];
	return [{ event, command: value.command, value }];
}

// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
export const asList = (value: unknown): any[] => (Array.isArray(value) ? value : []);

/**
 * What ccg's longer commands begin with, and nobody else's. Where sh is bash it takes functions out of the environment, which a repository's
 * settings can set; `[` is meant as the builtin. What else is called are special builtins, which come before functions, and the launcher
 * by its path.
 */
export const BUILTINS = "unset -f '['; ";

/**
 * The call of ccg in a command of its own: that call and its end alone, or what begins and ends as the catalog's longer ones do, of this
 * version or another. `null` for any other command.
 */
export function callIn(text: string): Omit<Entry, keyof SettingsCommand> | null {
	if (text.length > MAX_CHARS) return null;
	const isLong = text.startsWith(BUILTINS) && ["; exit 0", "; fi"].some((end) => text.endsWith(end));
	const words = text.match(WORD) ?? [];
	const at = words.findIndex((_, n) => isCall(words.slice(n, n + 3)));
	const [launcher = "", kind, hook = ""] = words.slice(Math.max(0, at));
	const isHook = kind === "hook";
	const isShort = at === 0 && ["", "; exit 0"].includes(words.slice(isHook ? 3 : 2).join(" "));
	if (!isShort && (at < 0 || !isLong)) return null;
	const inner = isHook ? undefined : words.find((word) => word.startsWith("w="));
	return {
		launcher: expandHome(unquote(launcher)),
		part: isHook ? hook : "statusline",
		...(inner && { wrapped: unquote(inner.slice("w=".length)) }),
	};
}

const MAX_CHARS = 8 * 1024;
/** A word of a shell command, quoted in part or whole; or a sign between words. */
const WORD = /(?:[^\s'"\\;&|<>(){}]|'[^']*'|"[^"]*"|\\.)+|\S/gs;

const unquote = (word: string): string =>
	word.replace(/'([^']*)'|\\(.)|"([^"]*)"/gs, (_, single, escaped, double) => single ?? escaped ?? double);

const isCall = ([launcher = "", kind, hook = ""]: string[]): boolean =>
	(kind === "statusline" || (kind === "hook" && /^[a-z][a-z-]*$/.test(hook))) && isOwnLauncher(launcher);

/** Whether a permission rule lets a ccg, of this installation or another, run one of these commands. */
export function isGrantOf(rule: unknown, commands: readonly string[]): boolean {
	if (typeof rule !== "string" || !rule.startsWith("Bash(")) return false;
	const command = commands.find((one) => rule.endsWith(` ${one}:*)`));
	const launcher = command === undefined ? "" : rule.slice("Bash(".length, -` ${command}:*)`.length);
	return launcher.match(WORD)?.length === 1 && isOwnLauncher(launcher);
}

/** By its path and by how it begins: another program may be called ccg. One that is gone: by its path alone. */
function isOwnLauncher(word: string): boolean {
	const path = expandHome(unquote(word));
	if (!path.startsWith("/") || basename(path) !== "ccg") return false;
	return (readPart(realPath(path), HEAD.length)?.text ?? HEAD) === HEAD;
}

/** A path with the home folder put in, as a shell and Claude Code do it. */
export const expandHome = (path: string): string =>
	path.replace(/^(?:~(?=\/)|\$HOME\b|\$\{HOME\})/, (home) => process.env.HOME ?? home);

/** How `bin/ccg` begins. */
const HEAD = "#!/bin/sh\n# Finds Bun ";
