import { existsSync } from "node:fs";
import { readUsage } from "../store/pressure/usage-record.ts";
import { sessionAt } from "../store/session-handle.ts";
import { additionalContext, type EventHandler } from "./run/event.ts";
import { injectFollowUp } from "./steps/follow-up-block.ts";
import { claimNudge, isPreToolUseMute } from "./steps/nudge.ts";

/**
 * Injects what the last compaction left to inject, else the nudge where this run claims the flush marker.
 * Says nothing about permissions.
 */
export const preToolUse: EventHandler = (input, services) => {
	const session = sessionAt(services, input.session_id);
	const later = existsSync(session.paths.followUpMarker) ? injectFollowUp(input, services) : null;
	if (later) return additionalContext("PreToolUse", later);
	// PostToolUse injects it there
	if (isPreToolUseMute(readUsage(session)?.claudeVersion)) return null;
	const nudge = claimNudge(input, services);
	return nudge && additionalContext("PreToolUse", nudge);
};
