/**
 * What ccg registers in a settings file: the one place that builds each command and recognises it again. Claude Code
 * runs a hook command with `/bin/sh -c` (measured on 2.1.329), so every text here is POSIX.
 */
import { quoted, shellWord, unquoted } from "./shell-word.ts";

/** What an entry does; each is a file in `hooks/`. */
export const HOOK_PARTS = [
	"session-start",
	"pre-tool-use",
	"give",
	"usage",
	"stop",
	"pre-compact",
	"context",
	"post-compact",
] as const;
export type HookPart = (typeof HOOK_PARTS)[number];
export type Part = HookPart | "statusline";

/** Only keys Claude Code documents: an unknown one is a warning at every start. */
export interface Handler {
	type: "command";
	command: string;
	/** Seconds. */
	timeout: number;
	async?: true;
}

export interface HookEntry {
	event: string;
	part: HookPart;
	handler: Handler;
}

export interface Catalog {
	launcher: string;
	hooks: HookEntry[];
	/** The status line's command; `wrapped` is the command that was there before. */
	statusLine(wrapped?: string): string;
	/** Lets the agent run `ccg memory save` without being asked. */
	memoryRule: string;
}

/** A command of ccg, read back: of this installation or of another one. */
export interface Recognised {
	launcher: string;
	part: Part;
	wrapped?: string;
	/** The store the command was installed with, when `CCG_HOME` was set then. */
	home?: string;
}

/**
 * Where sh is bash it takes functions out of the environment, which a repository's settings can set; `[` is meant as the
 * builtin. What else is called are special builtins, which come before functions, and the launcher by its path.
 */
const BUILTINS = "unset -f '['; ";
const STORE = "$" + "{CCG_HOME:-$HOME/.claude-memory}";
const SESSION = "CLAUDE_CODE_SESSION_ID";

/**
 * The commands, by part; `l` is the launcher as a quoted word. A launcher that is gone ends 0 in silence. While no flush
 * or halt marker exists, pre-tool-use is one shell with builtins only; usage is one while a status line feeds the session.
 * Where a version names no session, any such marker counts; what a compaction left to give then comes with the next prompt.
 */
const HOOK_TEXT: Record<HookPart, (l: string) => string> = {
	"session-start": (l) => `[ -x ${l} ] && ${l} hook session-start; exit 0`,
	"pre-tool-use": (l) =>
		`for f in "${STORE}/run/flush/"\${${SESSION}:-*} "${STORE}/run/halt/"\${${SESSION}:-*} "${STORE}/run/give/\${${SESSION}:--}"; do ` +
		`[ -f "$f" ] && [ -x ${l} ] && { ${l} hook pre-tool-use; exit 0; }; done; exit 0`,
	give: (l) =>
		`for f in "${STORE}/run/give/"\${${SESSION}:-*}; do ` +
		`[ -f "$f" ] && [ -x ${l} ] && { ${l} hook give; exit 0; }; done; exit 0`,
	usage: (l) => `[ -e "${STORE}/run/statusline/\${${SESSION}:--}" ] || { [ -x ${l} ] && ${l} hook usage; }; exit 0`,
	stop: (l) => `[ -x ${l} ] && ${l} hook stop; exit 0`,
	"pre-compact": (l) => `[ -x ${l} ] && ${l} hook pre-compact; exit 0`,
	context: (l) => `[ -x ${l} ] && ${l} hook context; exit 0`,
	"post-compact": (l) => `[ -x ${l} ] && ${l} hook post-compact; exit 0`,
};
/** Texts of earlier versions: still recognised, so that an installation over them replaces them. */
const FORMER_TEXT: [HookPart, (l: string) => string][] = [
	[
		"pre-tool-use",
		(l) =>
			`for f in "${STORE}/run/flush/"\${${SESSION}:-*} "${STORE}/run/give/\${${SESSION}:--}"; do ` +
			`[ -f "$f" ] && [ -x ${l} ] && { ${l} hook pre-tool-use; exit 0; }; done; exit 0`,
	],
];
const STATUS_LINE = (l: string) => `[ -x ${l} ] && ${l} statusline; exit 0`;
const WRAPPING = (l: string, w: string) =>
	`w=${w}; if [ -x ${l} ]; then ${l} statusline --wrap "$w"; else eval "$w"; fi`;

const HOOKS: { event: string; part: HookPart; timeout: number; async?: true }[] = [
	{ event: "SessionStart", part: "session-start", timeout: 10 },
	{ event: "PreToolUse", part: "pre-tool-use", timeout: 10 },
	{ event: "UserPromptSubmit", part: "give", timeout: 10 },
	{ event: "PostToolBatch", part: "usage", timeout: 10, async: true },
	{ event: "Stop", part: "stop", timeout: 20, async: true },
	{ event: "PreCompact", part: "pre-compact", timeout: 20 },
	{ event: "PreCompact", part: "context", timeout: 20, async: true },
	{ event: "PostCompact", part: "post-compact", timeout: 20 },
	// not asynchronous: it would be cut off; its timeout raises the 1.5 s that all hooks of this event share (contract §1.4)
	{ event: "SessionEnd", part: "context", timeout: 10 },
];

/** All entries of one installation. `home` is `CCG_HOME` of the installer's environment, absolute; it goes into every command. */
export function catalog(launcher: string, home?: string): Catalog {
	const l = quoted(launcher);
	const prefix = BUILTINS + (home ? homePrefix(home) : "");
	return {
		launcher,
		hooks: HOOKS.map(({ event, part, timeout, async }) => ({
			event,
			part,
			handler: { type: "command", command: prefix + HOOK_TEXT[part](l), timeout, ...(async && { async }) },
		})),
		statusLine: (wrapped) => prefix + (wrapped === undefined ? STATUS_LINE(l) : WRAPPING(l, quoted(wrapped))),
		memoryRule: memoryRule(launcher),
	};
}

/** What a command string is to ccg, or `null` when it is somebody else's. */
export function recognise(command: string): Recognised | null {
	// (versions before had no such beginning)
	const whole = command.startsWith(BUILTINS) ? command.slice(BUILTINS.length) : command;
	const home = HOME_PREFIX.exec(whole);
	const text = home ? whole.slice(home[0].length) : whole;
	for (const { part, pattern } of PATTERNS) {
		const found = pattern.exec(text)?.groups;
		if (!found) continue;
		const launcher = unquoted(found.launcher!);
		if (part === null && !launcher.startsWith("/")) continue;
		const name = part ?? (found.part as Part | undefined) ?? "statusline";
		return {
			launcher,
			part: name,
			...(found.wrapped !== undefined && { wrapped: unquoted(found.wrapped) }),
			...(home && { home: unquoted(home[1]!) }),
		};
	}
	return null;
}

/** The permission rule for `ccg memory save`, with the launcher as a shell command names it. */
export function memoryRule(launcher: string): string {
	return `Bash(${shellWord(launcher)} memory save:*)`;
}

/** The launcher a memory rule is for, or `null` when the rule is somebody else's. */
export function recogniseMemoryRule(rule: string): string | null {
	const word = new RegExp(`^Bash\\((${QUOTED}|[A-Za-z0-9_./-]+) memory save:\\*\\)$`).exec(rule)?.[1];
	const launcher = word && unquoted(word);
	return launcher?.endsWith("/ccg") ? launcher : null;
}

/** The settings that hold the entries and nothing else, as an object. */
export function settingsValue(
	entries: Catalog,
	{ wrapped, allowMemory }: { wrapped?: string; allowMemory?: boolean } = {},
) {
	const hooks: Record<string, { hooks: Handler[] }[]> = {};
	for (const { event, handler } of entries.hooks) hooks[event] = [...(hooks[event] ?? []), { hooks: [handler] }];
	return {
		...(allowMemory && { permissions: { allow: [entries.memoryRule] } }),
		hooks,
		statusLine: statusLineValue(entries, wrapped),
	};
}

export function statusLineValue(entries: Catalog, wrapped?: string) {
	return { type: "command", command: entries.statusLine(wrapped), padding: 0 };
}

/** The text of `settings.example.json`, and of the snippet to paste where a settings file can't be written. */
export function settingsExample(launcher: string): string {
	return `${JSON.stringify(settingsValue(catalog(launcher)), null, 2)}\n`;
}

/** Not `${CCG_HOME:-…}`: bash takes an apostrophe in there for an open quote (measured on 5.2), dash does not. */
function homePrefix(home: string): string {
	return `[ -n "$CCG_HOME" ] || CCG_HOME=${quoted(home)}; export CCG_HOME; `;
}

const QUOTED = "'(?:[^']|'\\\\'')*'";
const HOME_PREFIX = new RegExp(`^\\[ -n "\\$CCG_HOME" \\] \\|\\| CCG_HOME=(${QUOTED}); export CCG_HOME; `);

/** Made from the texts themselves, so that what is built is what is found. */
const PATTERNS: { part: Part | null; pattern: RegExp }[] = [
	...Object.entries(HOOK_TEXT).map(([part, text]) => ({ part: part as Part, pattern: patternOf(text) })),
	...FORMER_TEXT.map(([part, text]) => ({ part, pattern: patternOf(text) })),
	{ part: "statusline", pattern: patternOf(STATUS_LINE) },
	{ part: "statusline", pattern: patternOf(WRAPPING) },
	// The plain call, as somebody would write it by hand; `null` takes the part from the call.
	{ part: null, pattern: plainCall() },
];

function patternOf(text: (l: string, w: string) => string): RegExp {
	let seen = false;
	const source = text("\0l", "\0w")
		.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
		.replaceAll("\0w", `(?<wrapped>${QUOTED})`)
		.replace(/\0l/g, () => {
			if (seen) return "\\k<launcher>";
			seen = true;
			return `(?<launcher>${QUOTED})`;
		});
	return new RegExp(`^${source}$`);
}

function plainCall(): RegExp {
	const word = "'(?:[^']|'\\\\'')*/ccg'|\"[^\"\\\\$`]*/ccg\"|[A-Za-z0-9_./-]+/ccg";
	return new RegExp(
		`^(?<launcher>${word}) (?:hook (?<part>${Object.keys(HOOK_TEXT).join("|")})|statusline)(?:; exit 0)?$`,
	);
}
