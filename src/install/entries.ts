import { basename } from "node:path";
import { LEADING, readShell } from "../core/text/read-shell.ts";
import { quoted } from "../core/text/shell-word.ts";
import { programsOnPath } from "../files/on-path.ts";
import { readPart } from "../files/read-file.ts";
import { realPath } from "../files/real-path.ts";
import { parseObject } from "../store/json-file.ts";

/** A command in a settings file. */
interface SettingsCommand {
	/** `null` for the status line. */
	event: string | null;
	command: string;
	/** Its words, where no shell takes the command apart. */
	args: string[] | undefined;
	/** The entry whole. */
	value: Record<string, unknown>;
	/** The keys and places that lead to the entry. */
	at: (string | number)[];
	/** A matcher around it has it run for some calls only. */
	isNarrowed: boolean;
}

/** A command in which ccg is called. */
export interface Entry extends SettingsCommand, Call {}

/** The object in a settings file's text, of any size; `null` where there is none. */
export const settingsIn = (text: string): Record<string, unknown> | null =>
	parseObject(text.trim() === "" ? "{}" : text, Number.POSITIVE_INFINITY);

/** The hooks and the status line of parsed settings, in the file's order. */
export function commandsIn(settings: Record<string, unknown> | null): SettingsCommand[] {
	const found = Object.entries(settings?.hooks ?? {}).flatMap(([event, groups]) =>
		list(groups).flatMap((group, n) =>
			list(group?.hooks).flatMap((value, i) => commandOf(value, event, ["hooks", event, n, "hooks", i], group.matcher)),
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
function commandOf(value: any, event: string | null, at: SettingsCommand["at"], matcher?: unknown): SettingsCommand[] {
	if (typeof value?.command !== "string") return [];
	const { command, args } = value;
	const isNarrowed = typeof matcher === "string" && !["", "*"].includes(matcher);
	return [{ event, command, value, at, isNarrowed, args: Array.isArray(args) ? args.map(String) : undefined }];
}

// biome-ignore lint/suspicious/noExplicitAny: a file of anybody's
export const list = (value: unknown): any[] => (Array.isArray(value) ? value : []);

/** A call of ccg in a command, of this installation or of another one. */
export interface Call {
	/** As the command names it, a `~` resolved. */
	launcher: string;
	/** The name of a hook, also one that this version does not have, or `statusline`. */
	part: string;
	wrapped?: string | undefined;
	/** Another program runs in it too, so the entry is the user's own. */
	isShared: boolean;
}

/**
 * The call of ccg in an entry, whatever leads to it: the command is taken apart as sh does it, and so is a word in which another
 * text stands (`sh -c`, `eval`). Where something else runs, or is given the call, the entry is shared.
 */
export function callIn(command: string, args?: readonly string[]): Call | null {
	const set = new Map([["HOME", process.env.HOME ?? ""]]);
	const texts = [args ? [command, ...args].map(quoted).join(" ") : command];
	let [own, wrapped, isShared]: [string[]?, string?, boolean?] = [];
	for (const [level, text] of texts.entries()) {
		const read = level < MAX_TEXTS && text.length <= MAX_CHARS ? readShell(text, set) : null;
		isShared ||= !read || read.isCut || read.hasOutput;
		if (!read || read.isCut) break;
		for (const { words, redirections } of read.commands) {
			isShared ||= !redirections.every(({ target }) => HARMLESS_TARGET.test(target?.text ?? "-"));
			const run = programIn(words.map(({ text }) => text ?? ""));
			if (run[0] === "eval") {
				const given = run.slice(1).join(" ");
				// in place of a launcher that is gone a wrapped status line runs by itself
				if (given !== wrapped) texts.push(given);
				continue;
			}
			const at = run.findIndex((_, i) => isCall(run.slice(i, i + 3)));
			if (at >= 0) own ??= run.slice(at);
			if (own?.[1] === "statusline" && own[2] === "--wrap") wrapped = own[3];
			if (!run[0] || at === 0) continue;
			if (at < 0 && (BUILTINS.has(run[0]) || basename(run[0]) === "ccg")) continue;
			if (run.some((word) => /\s/.test(word))) texts.push(run.join(" "));
			isShared ||= at > 0 || !/\s/.test(run[0]);
		}
	}
	if (!own) return null;
	const part = own[1] === "statusline" ? own[1] : own[2]!;
	return { launcher: atHome(own[0]!), part, wrapped, isShared: !!isShared };
}

const MAX_CHARS = 8 * 1024;
/** Texts within texts. */
const MAX_TEXTS = 20;

/** A command's words from the program on to which the others lead; where there is none, those that do more than lead. */
function programIn(words: string[]): string[] {
	const at = words.findIndex((word, i) => {
		const before = words[i - 1] ?? "";
		if (/\s/.test(word) && /^-(?:[^\Wc]*c\w*|S|-)$/.test(before)) return true;
		return !LEADING.test(word) && !(/^[A-Z_\d]+$/.test(word) && /^-[us]$/.test(before));
	});
	return at < 0 ? words.filter((word) => LEADING.exec(word)?.[1]) : words.slice(at);
}

const isCall = ([program, part, hook = ""]: string[]): boolean =>
	(part === "statusline" || (part === "hook" && /^[a-z][a-z-]*$/.test(hook))) && isLauncher(program!);

/** The launcher of a permission rule for a command of ccg's, or `null` when the rule is somebody else's. */
export function recogniseRule(rule: string, command: string): string | null {
	const tail = ` ${command}:*)`;
	if (!rule.startsWith("Bash(") || !rule.endsWith(tail)) return null;
	const words = readShell(rule.slice(5, -tail.length), new Map()).commands.flatMap(({ words }) =>
		words.map(({ text }) => text ?? ""),
	);
	const [launcher = "", ...more] = words;
	return more.length === 0 && launcher.endsWith("/ccg") && isLauncher(launcher) ? launcher : null;
}

/** Of a redirection: a descriptor, or what keeps nothing. */
const HARMLESS_TARGET = /^(?:\d+|-|\/dev\/(?:null|stdin|stdout|stderr))$/;

/** Builtins of the shell that neither run nor say anything. */
const BUILTINS = new Set(
	"} : [ [[ case cd done esac exit export false fi for read set test true umask unset".split(" "),
);

/** By what stands in it: a copy may have any name and lie anywhere, and another program may be called ccg. One that is gone: by its name. */
function isLauncher(program: string): boolean {
	const [path] = program.includes("/") ? [atHome(program)] : programsOnPath(program, process.env.PATH ?? "");
	const text = path?.startsWith("/") ? readPart(realPath(path), HEAD.length)?.text : undefined;
	return text === undefined ? basename(program) === "ccg" : text === HEAD;
}

const atHome = (path: string): string => path.replace(/^~(?=\/)/, process.env.HOME ?? "~");

/** How `bin/ccg` begins. */
const HEAD = "#!/bin/sh\n# Finds Bun ";
