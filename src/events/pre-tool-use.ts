import { type EventHandler, hookAnswer } from "./run/event.ts";
import { claimFollowUp } from "./steps/bundles.ts";
import { claimNudge, isPreToolUseMute } from "./steps/nudge.ts";

/** PreToolUse: injects what a compaction or a restore left for this call; else the nudge, where this process claims the flush flag. */
export const preToolUse: EventHandler = (hook) => {
	const { text, userLine } = claimFollowUp(hook);
	// then PostToolUse gives the nudge
	const isMute = !text && isPreToolUseMute(hook.session);
	return hookAnswer("PreToolUse", text ?? (isMute ? null : claimNudge(hook)), userLine);
};
