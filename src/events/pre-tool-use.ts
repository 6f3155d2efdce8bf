import { existsSync } from "node:fs";
import { readUsage } from "../store/pressure/flags.ts";
import { sessionAt } from "../store/session-handle.ts";
import { answer, type EventHandler, NO_FOLLOW_UP } from "./run/event.ts";
import { late } from "./steps/late.ts";
import { claimNudge, isPreToolUseMute } from "./steps/nudge.ts";

/**
 * Injects what the last compaction left to inject, else the nudge where this run claims the flush marker, and tells the user what
 * was lost.
 * Says nothing about permissions.
 */
export const preToolUse: EventHandler = (input, services) => {
	const session = sessionAt(services, input.session_id);
	const { text, line } = existsSync(session.paths.followUpMarker)
		? late().injectFollowUp(input, services)
		: NO_FOLLOW_UP;
	// PostToolUse injects the nudge where this is not heard
	const isMute = !text && isPreToolUseMute(readUsage(session)?.claudeVersion);
	return answer("PreToolUse", text ?? (isMute ? null : claimNudge(input, services)), line);
};
