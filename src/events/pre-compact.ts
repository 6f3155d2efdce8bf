import { olderThan } from "../core/pressure/model.ts";
import { checkpointMarkdown } from "../core/recovery/checkpoint-markdown.ts";
import { isSteering, steeringText } from "../core/recovery/steering.ts";
import type { SessionState } from "../core/state/session-state.ts";
import { forModel } from "../core/text/for-model.ts";
import { deleteCheckpoint } from "../store/recovery/delete-checkpoint.ts";
import { readPending, setPending } from "../store/recovery/pending.ts";
import { writeWorkspaceFile } from "../store/recovery/workspace-file.ts";
import { sessionAt } from "../store/session-handle.ts";
import { attempt } from "./run/attempt.ts";
import type { EventHandler, Services, SessionInput } from "./run/event.ts";
import { triggerOf } from "./steps/learn-triggers.ts";
import { takeCompactionCheckpoint } from "./steps/told-checkpoint.ts";

/**
 * Saves the working state before a compaction and tells the summariser what to keep word for word. Does not prove a
 * compaction: what it leaves is pending until SessionStart commits it.
 */
export const preCompact: EventHandler = (input, services) => {
	const { config, now, log } = services;
	const sid = input.session_id;
	const session = sessionAt(services, sid);
	// the mod ran this before, and what it printed is in the summariser's instructions
	const before = readPending(session);
	if (!input.mod && isSteering(input.custom_instructions ?? "") && before?.mod) return null;
	const checkpoint = takeCompactionCheckpoint(input, services);
	if (!checkpoint) return null;
	let unconfirmed = false;
	attempt(log, () => {
		unconfirmed = looksLikeSubagent(input, services, checkpoint.state);
	});
	setPending(session, {
		key: checkpoint.key,
		at: checkpoint.at,
		trigger: checkpoint.trigger,
		...(unconfirmed ? { unconfirmed } : {}),
		...(input.mod ? { mod: true } : {}),
	});
	if (config.workspaceFile.enabled)
		attempt(log, () => writeWorkspaceFile(session, checkpoint.projectDir, checkpointMarkdown(checkpoint)));
	// an attempt that failed is made again within half a second
	if (before && now.getTime() - Date.parse(before.at) < SAME_ATTEMPT_MS)
		attempt(log, () => void deleteCheckpoint(session, before.key));
	const steering = steeringText(checkpoint.state, config.steering.maxChars);
	return steering && forModel(steering);
};

const SAME_ATTEMPT_MS = 5_000;

/**
 * Up to 2.1.280 a subagent's compaction came without `agent_id`. An automatic one while the main thread is far from its
 * own trigger is probably such; the boundary in the main transcript will tell.
 */
function looksLikeSubagent(input: SessionInput, services: Services, state: SessionState): boolean {
	if (input.trigger !== "auto" || state.tokens === null || !olderThan(state.claudeVersion, [2, 1, 281])) return false;
	const { tokens } = triggerOf(services, input.cwd ?? "", state);
	return tokens !== null && state.tokens < tokens / 2;
}
