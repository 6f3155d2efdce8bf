import { existsSync } from "node:fs";
import { sessionPaths } from "../store/paths.ts";
import { readUsage } from "../store/pressure/usage-record.ts";
import { sessionAt } from "../store/session-handle.ts";
import { additionalContext, type EventHandler } from "./run/event.ts";
import { giveFollowUp } from "./steps/follow-up-block.ts";
import { claimNudge, isPreToolUseMute } from "./steps/nudge.ts";

/**
 * Injects what the last compaction left to inject, else the nudge where this run claims the flush marker.
 * Says nothing about permissions.
 */
export const preToolUse: EventHandler = (input, services) => {
	const { root } = services;
	const later = existsSync(sessionPaths(root, input.session_id).giveMarker) ? giveFollowUp(input, services) : null;
	if (later) return additionalContext("PreToolUse", later);
	// PostToolUse injects it there
	if (isPreToolUseMute(readUsage(sessionAt(root, input.session_id))?.claudeVersion)) return null;
	const nudge = claimNudge(input, services);
	return nudge && additionalContext("PreToolUse", nudge);
};
