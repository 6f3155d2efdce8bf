import { saveDue } from "../../claude/recovery/save-due.ts";
import { firstLook, phaseChanges } from "../../core/recovery/checkpoints/phase.ts";
import type { Due } from "../../core/recovery/checkpoints/triggers.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { readCheckpointLog } from "../../store/recovery/checkpoint-log.ts";
import { aloneWithCheckpoints, readTriggerRecord, writeTriggerRecord } from "../../store/recovery/trigger-record.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import type { Services, SessionInput } from "../run/event.ts";
import { checkpointPlace } from "./checkpoint-place.ts";

/** A checkpoint that another process is taking is waited for: nobody waits for this hook. */
export const WAIT_MS = 5_000;

/** What the end of a turn looks at. */
export interface TurnFacts {
	state: Pick<SessionState, "startedAt">;
	changes: ReturnType<typeof phaseChanges>;
	/** Subagents at work. */
	running: number;
}

/** Facts of a state that goes on changing. */
export function turnFacts(state: SessionState, session: Session, now: Date): TurnFacts {
	const { seen } = readTriggerRecord(session);
	return {
		state: { startedAt: state.startedAt },
		changes: phaseChanges(state, seen ?? firstLook(now)),
		running: agentsAtWork(state).length,
	};
}

/** The ids of calls of subagents without a result, and of those in the background. */
export const agentsAtWork = ({ open, backgroundTasks }: SessionState): string[] => [
	...Object.entries(open).flatMap(([id, { tool }]) => (tool === "Agent" || tool === "Task" ? [id] : [])),
	...backgroundTasks.flatMap(({ id, kind }) => (kind === "agent" ? [id] : [])),
];

/** At a turn's end: one checkpoint for what is `due`, a wave that ended unseen, a change of phase, or time without one. */
export function checkpointAtTurnsEnd(input: SessionInput, services: Services, facts: TurnFacts, due: Due[] = []): void {
	const { config, now } = services;
	const { checkpoints: wanted, retention } = config;
	const session = sessionAt(services, input.session_id);
	const record = readTriggerRecord(session);
	if (wanted.waveAgents > 0 && record.agents.length >= wanted.waveAgents && facts.running === 0)
		due.push(waveDue(record.agents.length));
	if (wanted.phases && facts.changes.reasons.length > 0)
		due.push({ trigger: "phase_transition", reason: facts.changes.reasons.join(", ") });
	const minutes = minutesWithout(session, facts, now);
	if (wanted.minutes > 0 && minutes >= wanted.minutes)
		due.push({ trigger: "time_based", reason: `${Math.floor(minutes)} minutes without a checkpoint` });
	if (due.length > 0)
		saveDue(checkpointPlace(input, services), due, { keep: retention.maxCheckpoints, waitMs: WAIT_MS });
	keepLook(session, facts);
}

export const waveDue = (agents: number): Due => ({
	trigger: "wave_complete",
	reason: `a wave of ${agents === 1 ? "one subagent" : `${agents} subagents`} ended`,
});

/** Since the last checkpoint, else since the session began. A clock that was set back makes any distance count. */
function minutesWithout(session: Session, { state }: TurnFacts, now: Date): number {
	const since = Date.parse(readCheckpointLog(session).at(-1)?.at ?? state.startedAt);
	return Number.isNaN(since) ? 0 : Math.abs(now.getTime() - since) / 60_000;
}

/** After the checkpoint: killed in between, the next turn's end takes one more rather than none. */
function keepLook(session: Session, { changes }: TurnFacts): void {
	const { seen } = readTriggerRecord(session);
	if (seen && JSON.stringify(seen) === JSON.stringify(changes.seen)) return;
	aloneWithCheckpoints(
		session,
		() => writeTriggerRecord(session, { ...readTriggerRecord(session), seen: changes.seen }),
		WAIT_MS,
	);
}
