import { type EventHandler, hookAnswer } from "./run/event.ts";
import { dueFollowUp } from "./steps/bundles.ts";
import { isPreToolUseMute, takeNudge } from "./steps/nudge.ts";

/**
 * Injects what the last compaction left to inject, else the nudge where this run claims the flush marker, and tells the user how
 * much the summary holds. Says nothing about permissions.
 */
export const preToolUse: EventHandler = (hook) => {
	const { text, line } = dueFollowUp(hook);
	// PostToolUse injects the nudge where this is not heard
	const isMute = !text && isPreToolUseMute(hook.session);
	return hookAnswer("PreToolUse", text ?? (isMute ? null : takeNudge(hook)), line);
};
