import { basename } from "node:path";
import { readPart } from "../files/read-file.ts";
import { realPath } from "../files/real-path.ts";
import { parseObject } from "../store/json-file.ts";

/** A command in a settings file. */
interface SettingsCommand {
	/** `null` for the status line. */
	event: string | null;
	command: string;
	/** The entry whole. */
	value: Record<string, unknown>;
}

/** A command in which ccg is called. */
export interface Entry extends SettingsCommand, Call {}

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

/** The entries of ccg, of this installation or another, also those in which another program runs too. */
export function entriesIn(settings: Record<string, unknown> | null): Entry[] {
	return commandsIn(settings).flatMap((one) => {
		const call = callIn(one.command);
		return call && (one.event !== null || call.part === "statusline") ? [{ ...one, ...call }] : [];
	});
}

/** The entries in a settings file's text that are ccg's alone. */
export const findEntries = (text: string): Entry[] => entriesIn(settingsIn(text)).filter(({ isShared }) => !isShared);

// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
function commandOf(value: any, event: string | null): SettingsCommand[] {
	if (typeof value?.command !== "string") return [];
	return [{ event, command: value.command, value }];
}

// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
export const asList = (value: unknown): any[] => (Array.isArray(value) ? value : []);

/** A call of ccg in a command, of this installation or of another one. */
export interface Call {
	/** As the command names it, the home folder put in. */
	launcher: string;
	/** The name of a hook, also one that this version does not have, or `statusline`. */
	part: string;
	wrapped?: string | undefined;
	/** Another program may run in it too, so the entry is the user's own. */
	isShared: boolean;
}

/**
 * The call of ccg in an entry. What the catalog writes, in this version or another, are calls of ccg among builtins of the shell that neither
 * run nor say anything: such an entry is ccg's. One in which a call stands beside anything else is shared.
 */
export function callIn(text: string): Call | null {
	if (text.length > MAX_CHARS) return null;
	const { commands, wrapped, isPlain } = readCommands(text);
	const anywhere = commands.flatMap((words) => words.map((_, n) => words.slice(n, n + 3)));
	const found = commands.find(isCall) ?? anywhere.find(isCall);
	if (!found) return null;
	const [launcher = "", kind = "", hook = ""] = found;
	const isWrapping = kind === "statusline" && found.slice(2).join(" ") === "--wrap $w";
	// in place of a launcher that is gone a wrapped status line runs by itself
	const isOwn = (words: string[]): boolean =>
		isCall(words) || BUILTINS.has(words[0]!) || (isWrapping && words.join(" ") === "eval $w");
	const isShared = !isPlain || !commands.every(isOwn);
	const part = kind === "hook" ? hook : kind;
	return { launcher: expandHome(launcher), part, ...(isWrapping && { wrapped }), isShared };
}

const MAX_CHARS = 8 * 1024;
/** Builtins of the shell that neither run nor say anything. */
const BUILTINS = new Set("} : [ case done esac exit export false fi for read set test true unset".split(" "));
/** What stands before a command. */
const LEADING = /^(?:[{!]|if|then|else|do|w=(.*)|[A-Za-z_]\w*=.*)$/s;
/** Blanks; what parts commands; a word of plain signs, quotes and variables; anything else, which may run a program. */
const TOKEN = /[ \t]+|(&&|\|\||[;\n])|((?:[^\s'"\\`$;&|<>()#]|'[^']*'|"(?:[^"\\`$]|\$(?!\())*"|\\.|\$(?!\())+)|./gs;

/** The commands of a shell text as words without quotes, and what it sets `w` to. `isPlain`: it holds nothing else. */
function readCommands(text: string) {
	const commands: string[][] = [[]];
	let wrapped: string | undefined;
	let isPlain = true;
	for (const [token, separator, word] of text.matchAll(TOKEN)) {
		if (word === undefined) {
			const isBlank = /^[ \t]/.test(token);
			isPlain &&= isBlank || separator !== undefined;
			if (!isBlank) commands.push([]);
			continue;
		}
		const value = word.replace(
			/'([^']*)'|\\(.)|"([^"]*)"|\$HOME\b/gs,
			(all, single, escaped, double) => single ?? escaped ?? expandHome(double ?? all),
		);
		const command = commands.at(-1)!;
		const leading = command.length === 0 ? LEADING.exec(value) : null;
		if (leading) wrapped = leading[1] ?? wrapped;
		else command.push(value);
	}
	return { commands: commands.filter(({ length }) => length > 0), wrapped, isPlain };
}

const isCall = ([program, kind, hook = ""]: string[]): boolean =>
	(kind === "statusline" || (kind === "hook" && /^[a-z][a-z-]*$/.test(hook))) && isOwnLauncher(program!);

/** The launcher of a permission rule for a command of ccg's, or `null` when the rule is somebody else's. */
export function recogniseRule(rule: string, command: string): string | null {
	const tail = ` ${command}:*)`;
	if (!rule.startsWith("Bash(") || !rule.endsWith(tail)) return null;
	const [launcher = "", ...more] = readCommands(rule.slice(5, -tail.length)).commands.flat();
	return more.length === 0 && isOwnLauncher(launcher) ? launcher : null;
}

/** By its path and by how it begins: another program may be called ccg. One that is gone: by its path alone. */
function isOwnLauncher(program: string): boolean {
	const path = expandHome(program);
	if (!path.startsWith("/") || basename(path) !== "ccg") return false;
	return (readPart(realPath(path), HEAD.length)?.text ?? HEAD) === HEAD;
}

/** A path with the home folder put in, as a shell and Claude Code do it. */
export const expandHome = (path: string): string =>
	path.replace(/^(?:~(?=\/)|\$HOME\b|\$\{HOME\})/, (home) => process.env.HOME ?? home);

/** How `bin/ccg` begins. */
const HEAD = "#!/bin/sh\n# Finds Bun ";
