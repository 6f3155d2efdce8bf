import { steeringFor } from "../core/block/steering.ts";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import type { Cycle } from "../core/session/cycle.ts";
import type { SessionState } from "../core/state/session-state.ts";
import { forModel } from "../core/text/text.ts";
import { olderThan } from "../core/text/version.ts";
import { attempt, sizeOf } from "../files/quietly.ts";
import { noteMissed, readUsage } from "../store/pressure/flags.ts";
import { deleteCheckpoint } from "../store/recovery/checkpoints.ts";
import type { Session } from "../store/session-handle.ts";
import type { EventHandler } from "./run/event.ts";
import { startBeside } from "./steps/beside.ts";
import { loadBehindCompaction } from "./steps/bundles.ts";
import { takeCompactionCheckpoint } from "./steps/checkpoint.ts";

/**
 * Saves the working state before a compaction and tells the summariser what to keep word for word. Does not prove a
 * compaction: what it prepares counts once SessionStart or a boundary says so.
 */
export const preCompact: EventHandler = (hook) => {
	const { input, session, config, now, log } = hook;
	const also = (cycle: Cycle, { key, at, trigger, state }: Checkpoint): void => {
		const { prepared: before } = cycle;
		// an attempt that failed is made again within half a second; a busy machine is given some more
		if (before && now.getTime() - Date.parse(before.at) < SAME_ATTEMPT_MS) deleteCheckpoint(session, before.key);
		const unconfirmed = looksLikeSubagent(session, trigger, state);
		cycle.prepared = { key, at, place: sizeOf(input.transcript_path), trigger, ...(unconfirmed && { unconfirmed }) };
	};
	const checkpoint = takeCompactionCheckpoint(hook, input.trigger ?? "", { also });
	if (!checkpoint) return null;
	// until SessionStart has printed the block: where it is ended, or takes this for a subagent's, the next call or prompt looks
	attempt(log, () => noteMissed(session));
	if (config.workspaceFile.enabled) attempt(log, () => loadBehindCompaction().writeWorkspaceFile(session, checkpoint));
	// brings record, index and readable checkpoint up to date; a hook of its own would be a line in the terminal behind `/compact`
	hook.whenPrinted(() => startBeside(hook, ["hook", "session-end"], input));
	const steering = steeringFor(checkpoint.state, input.trigger, config.steering.maxChars);
	return steering && forModel(steering);
};

const SAME_ATTEMPT_MS = 5_000;

/**
 * Up to 2.1.280 a subagent's compaction came without `agent_id`. An automatic one while the main thread is far from its
 * own trigger is probably such; the boundary in the main transcript will tell.
 */
function looksLikeSubagent(session: Session, trigger: string, { tokens, claudeVersion }: SessionState): boolean {
	const measured = readUsage(session)?.trigger ?? 0;
	return trigger === "auto" && tokens !== null && tokens < measured / 2 && olderThan(claudeVersion, [2, 1, 281]);
}
