/**
 * What ccg registers in a settings file: the one place that builds each command; `entries.ts` reads them back. Claude Code
 * runs a hook command with `/bin/sh -c` (measured on 2.1.329), so every text here is POSIX.
 */

import { quoted, shellWord } from "../core/text/quoted.ts";
import { inHome, storeOfLauncher, typedWord } from "../store/app-folder.ts";
import { BUILTINS, type Entry } from "./entries.ts";

/** What an entry does; each is a file in `hooks/`. */
export const HOOK_PARTS = [
	"session-start",
	"pre-tool-use",
	"user-prompt-submit",
	"post-tool-use",
	"stop",
	"subagent-stop",
	"pre-compact",
	"session-end",
] as const;
type HookPart = (typeof HOOK_PARTS)[number];
export type EntryName = HookPart | "statusline";

export type Catalog = ReturnType<typeof catalog>;

/** The commands that the agent may be allowed to run without being asked: they keep to the project at hand. */
export const GRANTED = ["memory save", "recall"];

/** The permission rules for them, with the launcher as a shell command names it. */
export const grantRules = (launcher: string): string[] =>
	GRANTED.map((command) => `Bash(${typedWord(launcher)} ${command}:*)`);

const SESSION = "CLAUDE_CODE_SESSION_ID";
const HOME = '"$HOME"';
const USUAL_STORE = `${HOME}/.claude-memory`;

/**
 * The commands that are more than a start; `l` is the launcher as a shell word, `s` its store. While no flush or halt marker exists, pre-tool-use is one
 * shell with builtins only; usage is one while a status line feeds the session. Where a version names no session, any such marker counts.
 */
const GUARDED: { [part in HookPart]?: (l: string, s: string) => string } = {
	"pre-tool-use": (l, s) =>
		`${BUILTINS}for f in ${s}/run/flush/\${${SESSION}:-*} ${s}/run/halt/\${${SESSION}:-*} ${s}/run/follow-up/\${${SESSION}:-*}; do ` +
		`[ -f "$f" ] && { ${l} hook pre-tool-use; exit 0; }; done; exit 0`,
	"post-tool-use": (l, s) =>
		`${BUILTINS}[ -e ${s}/run/statusline/"\${${SESSION}:--}" ] || ${l} hook post-tool-use; exit 0`,
};

/**
 * A hook's command without anything around it; `l` is the launcher as a shell word. One that is gone ends 0, with nothing on stdout.
 * A terminal shows the commands of a compaction by `/compact` as they are: they are as short as can be.
 */
export const hookText = (part: HookPart, l: string, s = USUAL_STORE): string =>
	GUARDED[part]?.(l, s) ?? `${l} hook ${part}; exit 0`;

const STATUS_LINE = (l: string) => `${l} statusline; exit 0`;
const WRAPPING = (l: string, w: string) =>
	`${BUILTINS}w=${w}; if [ -x ${l} ]; then ${l} statusline --wrap "$w"; else eval "$w"; fi`;

/** Events that every Claude Code since 2.0.30 knows: up to 2.1.100 an unknown one makes it skip the whole settings file. */
const HOOKS: { event: string; part: HookPart; timeout: number; async?: true }[] = [
	{ event: "SessionStart", part: "session-start", timeout: 10 },
	{ event: "PreToolUse", part: "pre-tool-use", timeout: 10 },
	{ event: "UserPromptSubmit", part: "user-prompt-submit", timeout: 10 },
	{ event: "PostToolUse", part: "post-tool-use", timeout: 10, async: true },
	{ event: "Stop", part: "stop", timeout: 20, async: true },
	{ event: "SubagentStop", part: "subagent-stop", timeout: 20, async: true },
	{ event: "PreCompact", part: "pre-compact", timeout: 20 },
	// not asynchronous: it would be cut off; its timeout raises the 1.5 s that all hooks of this event share
	{ event: "SessionEnd", part: "session-end", timeout: 10 },
];

/** All entries of one installation. */
export function catalog(launcher: string) {
	return {
		hooks: HOOKS.map(({ event, part, timeout, async }) => {
			const command = commandFor({ event, part }, launcher)!;
			// only keys Claude Code documents: an unknown one is a warning at every start; `timeout` is in seconds
			return { event, part, handler: { type: "command", command, timeout, ...(async && { async }) } };
		}),
		/** The status line's command; `wrapped` is the command that was there before. */
		statusLine: (wrapped?: string): string => commandFor({ event: null, part: "statusline", wrapped }, launcher)!,
	};
}

/** What a ccg at this launcher registers in the place of an entry, letter by letter; `null` where it registers none. */
export function commandFor(
	{ event, part, wrapped }: Pick<Entry, "event" | "part" | "wrapped">,
	launcher: string,
): string | null {
	const l = inHome(launcher, HOME, shellWord);
	if (event === null) return wrapped === undefined ? STATUS_LINE(l) : WRAPPING(l, quoted(wrapped));
	const own = HOOKS.find((one) => one.event === event && one.part === part);
	const store = storeOfLauncher(launcher);
	return own ? hookText(own.part, l, store === null ? USUAL_STORE : inHome(store, HOME, shellWord)) : null;
}
