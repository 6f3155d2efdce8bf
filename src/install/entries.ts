import { basename } from "node:path";
import { parseObject } from "../files/json-file.ts";
import { readTextPart } from "../files/read-file.ts";
import { realPath } from "../files/real-path.ts";

/** A command in a settings file. */
interface SettingsCommand {
	/** `null` for the status line. */
	event: string | null;
	command: string;
	/** The entry whole. */
	value: Record<string, unknown>;
}

/** A command in a settings file that runs this or another installation of ccg, and nothing else. */
export interface Entry extends SettingsCommand {
	/** The path of `bin/ccg` in the command, the home folder put in. */
	launcher: string;
	/** The name of a hook, also one that this version does not have, or `statusline`. */
	part: string;
	/** The user's own status line command, which ccg's runs. */
	wrapped?: string | undefined;
}

/** Parses the text of a settings file of any size; `null` where it is no JSON object. */
export const parseSettings = (text: string): Record<string, unknown> | null =>
	parseObject(text.trim() === "" ? "{}" : text, Number.POSITIVE_INFINITY);

/** The hooks and the status line of parsed settings, in the file's order. */
export function listCommands(settings: Record<string, unknown> | null): SettingsCommand[] {
	const found = Object.entries(settings?.hooks ?? {}).flatMap(([event, groups]) =>
		listOrEmpty(groups).flatMap((group) => listOrEmpty(group?.hooks).flatMap((value) => settingsCommand(value, event))),
	);
	return [...found, ...settingsCommand(settings?.statusLine, null)];
}

/** The entries of ccg in parsed settings, of this installation or another. */
export function ccgEntries(settings: Record<string, unknown> | null): Entry[] {
	return listCommands(settings).flatMap((entry) => {
		const call = parseCcgCommand(entry.command);
		return call && (entry.event !== null || call.part === "statusline") ? [{ ...entry, ...call }] : [];
	});
}

/** The entries of ccg in the text of a settings file. */
export const parseEntries = (text: string): Entry[] => ccgEntries(parseSettings(text));

/** A handler of a settings file as a list: empty where it has no command. */
// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
function settingsCommand(value: any, event: string | null): SettingsCommand[] {
	if (typeof value?.command !== "string") return [];
	return [{ event, command: value.command, value }];
}

// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
export const listOrEmpty = (value: unknown): any[] => (Array.isArray(value) ? value : []);

/**
 * How ccg's longer commands begin, and no other: makes `[` the shell's builtin. Where sh is bash, a function of that name could come from the
 * environment, which a repository's settings can set. The commands call nothing else by a name that a function could take.
 */
export const LONG_COMMAND_START = "unset -f '['; ";

/**
 * Parses a command that a version of ccg registered: a call of ccg alone, or one that begins and ends as the catalog's longer commands do.
 * `null` for any other command.
 */
export function parseCcgCommand(text: string): Omit<Entry, keyof SettingsCommand> | null {
	if (text.length > MAX_CHARS) return null;
	const isLong = text.startsWith(LONG_COMMAND_START) && ["; exit 0", "; fi"].some((end) => text.endsWith(end));
	const words = text.match(WORD) ?? [];
	const callAt = words.findIndex((_, n) => isCcgCall(words.slice(n, n + 3)));
	const [launcher = "", kind, hook = ""] = words.slice(Math.max(0, callAt));
	const isHook = kind === "hook";
	const isShort = callAt === 0 && ["", "; exit 0"].includes(words.slice(isHook ? 3 : 2).join(" "));
	if (!isShort && (callAt < 0 || !isLong)) return null;
	// the user's status line command, as `wrappingCommand` names it
	const wrapped = isHook ? undefined : words.find((word) => word.startsWith("w="));
	return {
		launcher: expandHome(unquote(launcher)),
		part: isHook ? hook : "statusline",
		...(wrapped && { wrapped: unquote(wrapped.slice("w=".length)) }),
	};
}

const MAX_CHARS = 8 * 1024;
/** A word of a shell command, quoted in part or whole; or a sign between words. */
const WORD = /(?:[^\s'"\\;&|<>(){}]|'[^']*'|"[^"]*"|\\.)+|\S/gs;

/** The text of a shell word without its quotes. */
const unquote = (word: string): string =>
	word.replace(/'([^']*)'|\\(.)|"([^"]*)"/gs, (_, single, escaped, double) => single ?? escaped ?? double);

/** Whether the first words of a command call ccg's status line or one of its hooks. */
const isCcgCall = ([launcher = "", kind, hook = ""]: string[]): boolean =>
	(kind === "statusline" || (kind === "hook" && /^[a-z][a-z-]*$/.test(hook))) && isOwnLauncher(launcher);

/** Whether a permission rule lets a ccg, of this installation or another, run one of these commands. */
export function isGrantOf(rule: unknown, commands: readonly string[]): boolean {
	if (typeof rule !== "string" || !rule.startsWith("Bash(")) return false;
	const granted = commands.find((command) => rule.endsWith(` ${command}:*)`));
	const launcher = granted === undefined ? "" : rule.slice("Bash(".length, -` ${granted}:*)`.length);
	return launcher.match(WORD)?.length === 1 && isOwnLauncher(launcher);
}

/** Whether a shell word is a path to a `ccg` whose file begins as `bin/ccg` does; where the file is gone the name is enough. */
function isOwnLauncher(word: string): boolean {
	const path = expandHome(unquote(word));
	if (!path.startsWith("/") || basename(path) !== "ccg") return false;
	return (readTextPart(realPath(path), LAUNCHER_START.length)?.text ?? LAUNCHER_START) === LAUNCHER_START;
}

/** A path with the home folder put in, as a shell and Claude Code do it. */
export const expandHome = (path: string): string =>
	path.replace(/^(?:~(?=\/)|\$HOME\b|\$\{HOME\})/, (home) => process.env.HOME ?? home);

/** How `bin/ccg` begins. */
const LAUNCHER_START = "#!/bin/sh\n# Finds Bun ";
