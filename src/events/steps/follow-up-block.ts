import { type LastCompaction, lastCompaction } from "../../claude/transcript/compactions.ts";
import { waitFor } from "../../claude/transcript/transcripts.ts";
import { audit, type LossReport } from "../../core/audit/audit.ts";
import { lossLine, lossVerdict, triggerName } from "../../core/audit/verdict.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { requestOf } from "../../core/checkpoint/document-state.ts";
import { type Compaction, dueKey, takeFollowUp } from "../../core/session/cycle.ts";
import { storePath } from "../../core/text/quoted.ts";
import { firstWords, oneLine, safeText } from "../../core/text/text.ts";
import { attempt } from "../../files/quietly.ts";
import { logCompaction } from "../../memory/notes-file.ts";
import { dropFollowUp, MISSED, readFollowUp } from "../../store/pressure/flags.ts";
import { checkpointPath, loadCheckpoint, saveReport } from "../../store/recovery/checkpoints.ts";
import { writeReadable } from "../../store/recovery/workspace-file.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";
import { reportCommand } from "./ccg-command.ts";
import { blockAtStart, keepFollowUpFlag } from "./compaction.ts";
import { recoveryBlockOf } from "./recovery-block.ts";
import { restoredText } from "./restored.ts";

/** Compares the summary in the transcript with the checkpoint that was saved before; `null` where that is gone. */
function compareSummary(hook: Hook, { key, at, place }: Compaction) {
	const saved = loadCheckpoint(hook.session, key);
	if (!saved) return null;
	const seen = seenOnceWritten(hook.input.transcript_path, place);
	// before the boundary is written, what Claude Code kept word for word is not known
	const isSeen = isWrittenSince(seen, place);
	const checkpoint = isSeen ? { ...saved, kept: seen.kept(place) } : saved;
	const { summary } = isSeen ? seen.behind() : { summary: null };
	const report = audit(
		{ ...checkpoint, at },
		summary === null ? null : safeText(summary),
		recoveryBlockOf(hook, saved),
	);
	return { report, checkpoint: saved, seen };
}

/** Whether the transcript holds the boundary of a compaction that began at `place`. */
const isWrittenSince = (seen: LastCompaction, place: number): boolean => (seen.boundary()?.offset ?? -1) >= place;

const LAG_MS = 300;

/** What stands behind a compaction, once boundary and summary are written or a moment is over. */
function seenOnceWritten(path: string | undefined, place: number): LastCompaction {
	const isWritten = (seen: LastCompaction) => isWrittenSince(seen, place) && seen.behind().summary !== null;
	return waitFor(
		() => lastCompaction(path),
		(seen) => !path || isWritten(seen),
		LAG_MS,
	);
}

/** Keeps the report, as part of the transaction that changes the cycle; the first one of a compaction is told in the daily log. */
function keepReport({ session, root, log, now }: Hook, report: LossReport, checkpoint: Checkpoint): void {
	const { projectDir } = checkpoint;
	const isFirst = saveReport(session, report);
	if (isFirst && projectDir)
		attempt(log, () => logCompaction(root, projectDir, compactionLine(session, checkpoint, report), now));
}

const LOGGED = 100;

/** What the daily log says of a compaction, behind its opening bracket. */
function compactionLine(session: Session, { state, key }: Checkpoint, report: LossReport): string {
	const request = firstWords(oneLine(requestOf(state)?.text ?? ""), LOGGED);
	const size = state.tokens === null ? "" : `, ${Math.round(state.tokens / 1000)}k tokens`;
	const of = `${triggerName(report.trigger)}${size})${request ? ` while working on "${request}"` : ""}`;
	return `${of}; checkpoint ${key}: ${storePath(checkpointPath(session, key))}. ${lossVerdict([report])} ${report.blockChars} characters were injected.`;
}

/**
 * What is due with the first tool call or prompt of the main thread behind a compaction: the line that tells the user what the summary
 * holds, and the recovery block where Claude Code's record shows that it did not arrive. What was restored comes before, and what a
 * compaction left then with the next event.
 */
export function injectFollowUp(hook: Hook): { text: string | null; line: string | null } {
	const { session, log } = hook;
	const flag = readFollowUp(session);
	const isMissed = flag === MISSED;
	// of all that ask at once one looks for what SessionStart should have told, and the flag is down meanwhile
	if (flag === null || (isMissed && !dropFollowUp(session))) return { text: null, line: null };
	const { prepared: wasPrepared } = readCycle(session);
	const missed = isMissed ? blockAtStart(hook) : null;
	const restored = isMissed ? null : restoredText({ session: session.id }, hook);
	const cycle = readCycle(session);
	const key = dueKey(cycle);
	if (restored || !key) {
		keepFollowUpFlag(session, key);
		return { text: restored ?? missed, line: null };
	}
	const made = compareSummary(hook, cycle.began!);
	// the next call may read what the block names: not as it was before the compaction
	if (made) attempt(log, () => writeReadable(session, made.checkpoint));
	const line = changeCycle(session, (now) => {
		const began = takeFollowUp(now, key);
		if (!began || !made) return undefined;
		keepReport(hook, made.report, made.checkpoint);
		return takeLine(hook, made.report, began);
	});
	keepFollowUpFlag(session, null);
	if (!made || line === undefined) return { text: missed, line: null };
	const { checkpoint, seen } = made;
	// claimed, and the flag says that it was not printed: SessionStart was ended in between (what was prepared since put the flag up too)
	const isUntold = missed !== null || (isMissed && !wasPrepared);
	if (!isUntold && seen.delivered(key, cycle.began!.place) !== "no") return { text: null, line };
	if (!missed) log(`the recovery block ${key} did not arrive; injected again`);
	return { text: missed ?? recoveryBlockOf(hook, checkpoint).text, line };
}

/** Reports a compaction that no call and no prompt has followed, for when none does. What is to be injected waits on. */
export function reportDue(hook: Hook): void {
	const { session } = hook;
	const { began } = readCycle(session);
	const made = began && compareSummary(hook, began);
	if (made) changeCycle(session, (now) => dueKey(now) === began.key && keepReport(hook, made.report, made.checkpoint));
}

/**
 * The line for the user, once per compaction; `null` when there is nothing to tell. With PreToolUse and UserPromptSubmit, whose
 * `systemMessage` Claude Code shows and does not send (measured on 2.1.118 and 2.1.330): SessionStart comes before the summary.
 */
function takeLine(hook: Hook, report: LossReport, began: Compaction): string | null {
	if (!hook.config.recovery.tellUser || began.lineTold) return null;
	const line = lossLine(report, reportCommand(hook));
	if (line) began.lineTold = true;
	return line;
}
