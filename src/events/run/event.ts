import type { HookInput } from "../../claude/hook-input.ts";
import { forModel } from "../../core/text/for-model.ts";
import type { PluginFolders } from "../../install/plugin/plugin-folders.ts";
import type { Config } from "../../store/config/config.ts";
import type { Env } from "../../store/paths.ts";
import type { Store } from "../../store/session-handle.ts";
import type { Budget } from "./budget.ts";

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
