import type { HookInput } from "../../claude/hook-input.ts";
import { forModel } from "../../core/text/text.ts";
import type { PluginFolders } from "../../install/plugin/plugin-folders.ts";
import type { Config } from "../../store/config/config.ts";
import type { Env } from "../../store/paths.ts";
import type { Store } from "../../store/session-handle.ts";

/** What an event handler may use. A handler decides and returns; it neither prints nor exits. */
export interface Services extends Store {
	env: Env;
	config: Config;
	/** Name of the profile in force; `null` without one. */
	profile?: string | null;
	now: Date;
	/** Absolute path of `bin/ccg`, for what the model is told to run. */
	launcher: string;
	/** The folders of the plugin this hook belongs to; absent in one that a settings file registers. */
	plugin?: PluginFolders | null;
	/** What the hook may still take; without one there is no limit. */
	budget?: Budget;
	/** For what went wrong without stopping the event: one line in the log. */
	log(reason: unknown): void;
}

/** An input whose session id has been checked. */
export type SessionInput = HookInput & { session_id: string };

/** Gives the text for stdout, or `null` to stay silent. */
export type EventHandler = (input: SessionInput, services: Services) => string | null;

type Answering = "SessionStart" | "PreToolUse" | "PostToolUse" | "UserPromptSubmit";

/** The one JSON object a hook may answer with. */
export const additionalContext = (event: Answering, text: string): string => answer(event, text, null)!;

/** The same with a line that Claude Code shows to the user and does not send; `null` where neither says anything. */
export function answer(event: Answering, text: string | null, line: string | null): string | null {
	if (!text && !line) return null;
	return JSON.stringify({
		...(line && { systemMessage: forModel(line) }),
		...(text && { hookSpecificOutput: { hookEventName: event, additionalContext: forModel(text) } }),
	});
}

/** What one hook says after a compaction: `text` to the model, `line` to the user. */
export interface FollowUp {
	text: string | null;
	line: string | null;
}

export const NO_FOLLOW_UP: FollowUp = { text: null, line: null };

/** A part that may fail without the rest failing. */
export function attempt(log: Services["log"], act: () => void): void {
	try {
		act();
	} catch (error) {
		log(error);
	}
}

/** The first failure of a run is logged only, as of a transcript that several parts can't read. */
export function loggingOnce(services: Services): Services {
	let told = false;
	const log = (reason: unknown): void => {
		if (!told) services.log(reason);
		told = true;
	};
	return { ...services, log };
}

/**
 * The time a hook may still take for what it could do without. Counted in the process's own time on the processor: a busy
 * machine cuts nothing off, and the same input gives the same text. Size limits do the work; this is for what they overlook.
 */
export interface Budget {
	/** Milliseconds spent since the process began, all its threads together. */
	spentMs(): number;
	/** Optional steps are left out from here on. */
	isSpent(): boolean;
}

/** An honest hook takes 40 to 250 ms. */
const LIMIT_MS = 600;

/** What this process may take. No variable says so: a repository's settings could set it. */
export function budgetOf(): Budget {
	const spentMs = (): number => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1000;
	};
	return { spentMs, isSpent: () => spentMs() >= LIMIT_MS };
}
