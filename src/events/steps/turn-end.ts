import { existsSync } from "node:fs";
import { waitFor } from "../../claude/transcript/transcripts.ts";
import { type DueTrigger, HIGH_USE_TRIGGER, phaseChanges } from "../../core/checkpoint/triggers.ts";
import { momentTokens } from "../../core/session/status.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { countWithNoun, safeText } from "../../core/text/text.ts";
import { tryOrLog } from "../../files/quietly.ts";
import { readLastUsage } from "../../store/pressure/flags.ts";
import { readCheckpoint, readLatestCheckpoint } from "../../store/recovery/checkpoints.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Hook } from "../run/event.ts";
import { loadCompactionBundle, loadMeasure } from "./bundles.ts";
import { checkpointSource } from "./checkpoint.ts";
import { updateSession } from "./update-session.ts";

/**
 * At a turn's end: measures where no status line does, brings the session's record up to date and saves a checkpoint that is due.
 * `endReason`: why the session ends, if it does. Gives whether the record changed.
 */
export function finishTurn(hook: Hook, endReason?: string): boolean {
	const { input, session, log } = hook;
	const turn = updateTurn(hook, endReason);
	// measuring waits for a transcript that is not there yet: not while Claude Code wants to exit
	const mayMeasure = endReason === undefined || existsSync(input.transcript_path ?? "");
	const needsMeasuring = mayMeasure && !existsSync(session.paths.statusLine);
	const needsCheckpoint = needsMeasuring && tryOrLog(log, () => loadMeasure().measureTranscript(hook))?.needsCheckpoint;
	const due = needsCheckpoint ? [HIGH_USE_TRIGGER] : [];
	tryOrLog(log, () => saveDueCheckpoint(hook, turn.state, due, findMoment(hook, turn)));
	return turn.isChanged;
}

/** The tokens of a turn that ended at a good moment to compact (`momentTokens`), if its last words are in the record. */
export const findMoment = ({ session }: Hook, { state, isWhole }: ReturnType<typeof updateTurn>): number | undefined =>
	isWhole ? momentTokens(state, readLastUsage(session)?.trigger) : undefined;

const LAG_MS = 300;

/** Brings the record up to the turn's last words, which Claude Code may write behind Stop (2.1.205). `isWhole`: they are there. */
export function updateTurn(hook: Hook, endReason?: string) {
	const tail = hook.input.last_assistant_message?.slice(-200) ?? "";
	const lastWords = safeText(tail).trim().slice(-12);
	const hasLastWords = ({ prose, order }: SessionState): boolean =>
		!lastWords || prose.some((said) => said.order === order && said.text.endsWith(lastWords));
	let isChanged = false;
	const readState = (): SessionState => {
		const updated = updateSession(hook, endReason);
		isChanged ||= updated.isChanged;
		return updated.state;
	};
	const state = waitFor(readState, hasLastWords, LAG_MS);
	return { state, isChanged, isWhole: hasLastWords(state) };
}

/**
 * Writes the readable file of the last compaction's checkpoint, which the block names. SessionStart leaves it to the hooks that nobody waits
 * for: it would take twice as long.
 */
export function rewriteReadableFile({ session, log }: Hook): void {
	const { prepared, began } = readCycle(session);
	const { key } = prepared ?? began ?? {};
	const checkpoint = key ? readCheckpoint(session, key) : null;
	if (checkpoint) tryOrLog(log, () => loadCompactionBundle().writeReadableCheckpoint(session, checkpoint));
}

/** How long to wait for another writer: nobody waits for this hook. */
export const WAIT_MS = 5_000;

/** Saves one checkpoint for all that is due: `due`, a wave of subagents, a change of phase, time without one. Keeps the turn's good `moment`. */
export function saveDueCheckpoint(hook: Hook, state: SessionState, due: DueTrigger[] = [], moment?: number): void {
	const { input, session, config, now } = hook;
	const { checkpoints: limits } = config;
	const { maxCheckpoints: keep } = config.retention;
	const { agents = [], seen: lastLook, moment: lastMoment } = readCycle(session);
	const changes = phaseChanges(state, lastLook, now);
	// the transcript may still list the subagent whose end is told now
	const isWaveOver = runningAgents(state).every((id) => id === input.agent_id);
	if (limits.waveAgents > 0 && agents.length >= limits.waveAgents && isWaveOver)
		due.push({ trigger: "wave_complete", reason: `a wave of ${countWithNoun(agents.length, "subagent")} ended` });
	if (limits.phases && changes.reasons.length > 0)
		due.push({ trigger: "phase_transition", reason: changes.reasons.join(", ") });
	const minutes = minutesSince(readLatestCheckpoint(session)?.at ?? state.startedAt, now);
	if (limits.minutes > 0 && minutes >= limits.minutes)
		due.push({ trigger: "time_based", reason: `${Math.floor(minutes)} minutes without a checkpoint` });
	if (due.length > 0) loadCompactionBundle().saveForTriggers(checkpointSource(hook), due, { keep, waitMs: WAIT_MS });
	// kept after the checkpoint: a process killed in between costs a second checkpoint rather than the only one
	const look = { seen: changes.seen, moment };
	if (JSON.stringify({ seen: lastLook, moment: lastMoment }) === JSON.stringify(look)) return;
	changeCycle(session, (cycle) => void Object.assign(cycle, look), WAIT_MS);
}

/** The ids of the subagents that still run: of calls without a result, and of those in the background. */
const runningAgents = ({ open, backgroundTasks }: SessionState): string[] => [
	...Object.entries(open).flatMap(([id, { tool }]) => (tool === "Agent" || tool === "Task" ? [id] : [])),
	...backgroundTasks.flatMap(({ id, kind }) => (kind === "agent" ? [id] : [])),
];

/** The minutes between a time and now, also where the clock was set back; 0 for a text that is no time. */
function minutesSince(at: string, now: Date): number {
	const since = Date.parse(at);
	return Number.isNaN(since) ? 0 : Math.abs(now.getTime() - since) / 60_000;
}
