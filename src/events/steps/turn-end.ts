import { existsSync } from "node:fs";
import { type Due, HIGH_USE, phaseChanges } from "../../core/checkpoint/triggers.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { counted } from "../../core/text/text.ts";
import { attempt } from "../../files/quietly.ts";
import { latestCheckpoint, loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Hook } from "../run/event.ts";
import { loadBehindCompaction, loadMeasure } from "./bundles.ts";
import { checkpointPlace } from "./checkpoint.ts";
import { updateSession } from "./update-session.ts";

/**
 * Measures where no status line does, brings the record of the session up to date and takes the checkpoint that is due. `ended`: why
 * the session is going. Gives whether anything was new.
 */
export function turnEnd(hook: Hook, ended?: string): boolean {
	const { input, session, log } = hook;
	// an exit waits for this: no look for a transcript that is not there
	const isRead = ended === undefined || existsSync(input.transcript_path ?? "");
	const isMeasured = isRead && !existsSync(session.paths.statusLine);
	const isHigh = isMeasured && attempt(log, () => loadMeasure().measureTranscript(hook))?.isHigh;
	const { state, isNew } = updateSession(hook, ended);
	attempt(log, () => takeDue(hook, state, isHigh ? [HIGH_USE] : []));
	return isNew;
}

/**
 * Writes the readable form of the last compaction's checkpoint as it was told. The block names the file, and writing it costs as much
 * as all else that SessionStart does: hooks do it that nobody waits for.
 */
export function renewReadable({ session, log }: Hook): void {
	const { prepared, began } = readCycle(session);
	const { key } = prepared ?? began ?? {};
	const checkpoint = key ? loadCheckpoint(session, key) : null;
	if (checkpoint) attempt(log, () => loadBehindCompaction().writeReadable(session, checkpoint));
}

/** Another writer is waited for: nobody waits for this hook. */
export const WAIT_MS = 5_000;

/** One checkpoint for what is `due`, a wave of subagents that ended, a change of phase, or time without one. */
export function takeDue(hook: Hook, state: SessionState, due: Due[] = []): void {
	const { input, session, config, now } = hook;
	const { checkpoints: wanted, retention } = config;
	const { agents = [], seen } = readCycle(session);
	const changes = phaseChanges(state, seen, now);
	// where no account came with its end, the transcript tells later that it runs no more
	const isOver = agentsAtWork(state).every((id) => id === input.agent_id);
	if (wanted.waveAgents > 0 && agents.length >= wanted.waveAgents && isOver)
		due.push({ trigger: "wave_complete", reason: `a wave of ${counted(agents.length, "subagent")} ended` });
	if (wanted.phases && changes.reasons.length > 0)
		due.push({ trigger: "phase_transition", reason: changes.reasons.join(", ") });
	const minutes = minutesSince(latestCheckpoint(session)?.at ?? state.startedAt, now);
	if (wanted.minutes > 0 && minutes >= wanted.minutes)
		due.push({ trigger: "time_based", reason: `${Math.floor(minutes)} minutes without a checkpoint` });
	if (due.length > 0)
		loadBehindCompaction().saveDue(checkpointPlace(hook), due, { keep: retention.maxCheckpoints, waitMs: WAIT_MS });
	// after the checkpoint: killed in between, the next turn's end takes one more rather than none
	if (JSON.stringify(seen) === JSON.stringify(changes.seen)) return;
	changeCycle(session, (cycle) => void Object.assign(cycle, { seen: changes.seen }), WAIT_MS);
}

/** The ids of calls of subagents without a result, and of those in the background. */
const agentsAtWork = ({ open, backgroundTasks }: SessionState): string[] => [
	...Object.entries(open).flatMap(([id, { tool }]) => (tool === "Agent" || tool === "Task" ? [id] : [])),
	...backgroundTasks.flatMap(({ id, kind }) => (kind === "agent" ? [id] : [])),
];

/** A clock that was set back makes any distance count. */
function minutesSince(at: string, now: Date): number {
	const since = Date.parse(at);
	return Number.isNaN(since) ? 0 : Math.abs(now.getTime() - since) / 60_000;
}
