import { steeringText } from "../core/block/steering.ts";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import type { Cycle } from "../core/session/cycle.ts";
import type { SessionState } from "../core/state/session-state.ts";
import { cleanForModel } from "../core/text/text.ts";
import { olderThan } from "../core/text/version.ts";
import { startDetached } from "../files/on-path.ts";
import { fileSize, tryOrLog } from "../files/quietly.ts";
import { raiseMissedFlag, readLastUsage } from "../store/pressure/flags.ts";
import { deleteCheckpoint } from "../store/recovery/checkpoints.ts";
import type { Session } from "../store/session-handle.ts";
import type { EventHandler } from "./run/event.ts";
import { loadCompactionBundle } from "./steps/bundles.ts";
import { saveCompactionCheckpoint } from "./steps/checkpoint.ts";

/**
 * PreCompact: saves the checkpoint and answers with a text that tells the summariser what to keep word for word. A compaction need not
 * follow: what this prepares counts once SessionStart or a boundary in the transcript comes.
 */
export const preCompact: EventHandler = (hook) => {
	const { input, session, config, now, log } = hook;
	const prepareCycle = (cycle: Cycle, { key, at, trigger, state }: Checkpoint): void => {
		const { prepared: last } = cycle;
		// Claude Code repeats a failed attempt at once: its first checkpoint is not needed
		if (last && now.getTime() - Date.parse(last.at) < SAME_ATTEMPT_MS) deleteCheckpoint(session, last.key);
		const unconfirmed = looksLikeSubagent(session, trigger, state);
		cycle.prepared = { key, at, place: fileSize(input.transcript_path), trigger, ...(unconfirmed && { unconfirmed }) };
	};
	const checkpoint = saveCompactionCheckpoint(hook, input.trigger ?? "", { editCycle: prepareCycle });
	if (!checkpoint) return null;
	// until SessionStart has printed the block; where it does not, the next call or prompt injects it
	tryOrLog(log, () => raiseMissedFlag(session));
	if (config.workspaceFile.enabled) tryOrLog(log, () => loadCompactionBundle().writeWorkspaceFile(session, checkpoint));
	// brings record, index and readable checkpoint up to date
	hook.whenPrinted(() => startDetached(hook.launcher, ["hook", "session-end"], hook.env, input));
	const steering = steeringText(checkpoint.state, input.trigger, config.steering.maxChars);
	return steering && cleanForModel(steering);
};

const SAME_ATTEMPT_MS = 5_000;

/**
 * Whether a compaction is probably a subagent's: an automatic one while the main thread is far from its own trigger. Up to 2.1.280 Claude Code
 * did not say whose it is.
 */
function looksLikeSubagent(session: Session, trigger: string, { tokens, claudeVersion }: SessionState): boolean {
	const mainTrigger = readLastUsage(session)?.trigger ?? 0;
	return trigger === "auto" && tokens !== null && tokens < mainTrigger / 2 && olderThan(claudeVersion, [2, 1, 281]);
}
