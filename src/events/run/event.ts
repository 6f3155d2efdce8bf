import type { HookInput } from "../../claude/hook-input.ts";
import type { Config } from "../../core/config/config.ts";
import { cleanForModel } from "../../core/text/text.ts";
import type { PluginFolders } from "../../install/plugin/plugin-folders.ts";
import type { Env } from "../../store/paths.ts";
import type { Session, Store } from "../../store/session-handle.ts";

/** One event of a session, and what its handler may use. A handler decides and returns; it neither prints nor exits. */
export interface Hook extends Store {
	/** Its session id has been checked. */
	input: HookInput & { session_id: string };
	session: Session;
	/** Where the session began; `""` where nothing tells. */
	folder: string;
	env: Env;
	config: Config;
	now: Date;
	/** Absolute path of `bin/ccg`, for what the model is told to run. */
	launcher: string;
	/** The folders of the plugin this hook belongs to; `null` in one that a settings file registers. */
	plugin: PluginFolders | null;
	budget: Budget;
	/** What is done once the answer was written to stdout, all of it, or there was none. */
	whenPrinted(act: () => void): void;
	/** For what went wrong without stopping the event: one line in the log. */
	log(reason: unknown): void;
}

/** What a hook says: a text for the summariser, or the one JSON object that it may answer with. */
export type Answer = string | { [field: string]: unknown };

/** Gives what is for stdout, or `null` to stay silent. */
export type EventHandler = (hook: Hook) => Answer | null;

/** An answer with `text` for the model, and a line that Claude Code shows to the user alone; `null` where there is neither. */
export function hookAnswer(
	event: "SessionStart" | "PreToolUse" | "PostToolUse" | "UserPromptSubmit",
	text: string | null,
	userLine: string | null = null,
): Answer | null {
	if (!text && !userLine) return null;
	return {
		...(userLine && { systemMessage: cleanForModel(userLine) }),
		...(text && { hookSpecificOutput: { hookEventName: event, additionalContext: cleanForModel(text) } }),
	};
}

/**
 * The time a hook may still take for what it could do without. Counted in the process's own time on the processor: a busy
 * machine cuts nothing off, and the same input gives the same text. Size limits do the work; this is for what they overlook.
 */
export interface Budget {
	/** Milliseconds spent since the process began, all its threads together. */
	spentMs(): number;
	/** Optional steps are left out from here on. */
	isTimeUp(): boolean;
}

/** An honest hook takes 40 to 250 ms. */
const LIMIT_MS = 600;

/** The budget of this process, by the processor time it has used. No variable changes it: a repository's settings could set one. */
export function processBudget(): Budget {
	const spentMs = (): number => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1000;
	};
	return { spentMs, isTimeUp: () => spentMs() >= LIMIT_MS };
}
