/**
 * What ccg registers in a settings file: the one place that builds each command; `entries.ts` reads them back. Claude Code
 * runs a hook command with `/bin/sh -c` (measured on 2.1.329), so every text here is POSIX.
 */

import { shellQuote, shellWord } from "../core/text/quoted.ts";
import { launcherStore, replaceHome, typedPath } from "../store/app-folder.ts";
import { type Entry, LONG_COMMAND_START } from "./entries.ts";

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
export const GRANTED_COMMANDS = ["memory save", "recall"];

/** The permission rules that let the agent run these commands without being asked. */
export const grantRules = (launcher: string): string[] =>
	GRANTED_COMMANDS.map((command) => `Bash(${typedPath(launcher)} ${command}:*)`);

const SESSION = "CLAUDE_CODE_SESSION_ID";
const HOME = '"$HOME"';
const USUAL_STORE = `${HOME}/.claude-memory`;

/**
 * The hooks whose shell command tests files before it starts the launcher; launcher and store are shell words. pre-tool-use starts it only with a
 * flush, halt or follow-up flag, of any session where Claude Code names none; post-tool-use only while no status line runs.
 */
const CONDITIONAL_HOOKS: { [part in HookPart]?: (launcher: string, store: string) => string } = {
	"pre-tool-use": (launcher, store) =>
		`${LONG_COMMAND_START}for f in ${["flush", "halt", "follow-up"].map((flag) => `${store}/run/${flag}/\${${SESSION}:-*}`).join(" ")}; do ` +
		`[ -f "$f" ] && { ${launcher} hook pre-tool-use; exit 0; }; done; exit 0`,
	"post-tool-use": (launcher, store) =>
		`${LONG_COMMAND_START}[ -e ${store}/run/statusline/"\${${SESSION}:--}" ] || ${launcher} hook post-tool-use; exit 0`,
};

/**
 * The shell command of a hook; launcher and store are shell words. Ends with 0 also where the launcher is gone. As short as can be, since a
 * terminal shows the commands of `/compact`.
 */
export const hookCommand = (part: HookPart, launcher: string, store = USUAL_STORE): string =>
	CONDITIONAL_HOOKS[part]?.(launcher, store) ?? `${launcher} hook ${part}; exit 0`;

/** The shell command of ccg's status line; the launcher is a shell word. */
const statusLineCommand = (launcher: string) => `${launcher} statusline; exit 0`;
/** The same around the user's own status line command, a shell word, which runs alone where the launcher is gone. */
const wrappingCommand = (launcher: string, wrapped: string) =>
	`${LONG_COMMAND_START}w=${wrapped}; if [ -x ${launcher} ]; then ${launcher} statusline --wrap "$w"; else eval "$w"; fi`;

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

/** All entries that an install with this launcher writes into a settings file. */
export function catalog(launcher: string) {
	return {
		hooks: HOOKS.map(({ event, part, timeout, async }) => {
			const command = entryCommand({ event, part }, launcher)!;
			// only keys Claude Code documents: an unknown one is a warning at every start; `timeout` is in seconds
			return { event, part, handler: { type: "command", command, timeout, ...(async && { async }) } };
		}),
		/** The status line's command; `wrapped` is the command that was there before. */
		statusLine: (wrapped?: string): string => entryCommand({ event: null, part: "statusline", wrapped }, launcher)!,
	};
}

/** The exact command that an install with this launcher writes for an entry; `null` where it registers none for that event and part. */
export function entryCommand(entry: Pick<Entry, "event" | "part" | "wrapped">, launcher: string): string | null {
	const { event, part, wrapped } = entry;
	const word = replaceHome(launcher, HOME, shellWord);
	if (event === null)
		return wrapped === undefined ? statusLineCommand(word) : wrappingCommand(word, shellQuote(wrapped));
	const hook = HOOKS.find((candidate) => candidate.event === event && candidate.part === part);
	const store = launcherStore(launcher);
	return hook ? hookCommand(hook.part, word, store === null ? USUAL_STORE : replaceHome(store, HOME, shellWord)) : null;
}
