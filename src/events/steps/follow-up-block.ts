import { type LastCompaction, lastCompaction } from "../../claude/transcript/compactions.ts";
import { audit, type LossReport } from "../../core/audit/audit.ts";
import { lossLine, lossVerdict, triggerName } from "../../core/audit/verdict.ts";
import { brief } from "../../core/block/item.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { requestOf } from "../../core/checkpoint/document-state.ts";
import { type Compaction, type Cycle, dueKey, takeFollowUp } from "../../core/session/cycle.ts";
import { storePath } from "../../core/text/quoted.ts";
import { oneLine, safeText } from "../../core/text/text.ts";
import { logCompaction } from "../../memory/notes-file.ts";
import { dropFollowUp, MISSED, readFollowUp } from "../../store/pressure/flags.ts";
import {
	checkpointPath,
	hasReadable,
	loadCheckpoint,
	readReport,
	saveReport,
} from "../../store/recovery/checkpoints.ts";
import { writeReadable } from "../../store/recovery/workspace-file.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import { attempt, type Hook } from "../run/event.ts";
import { reportCommand } from "./ccg-command.ts";
import { blockAtStart, keepFollowUpFlag } from "./compaction.ts";
import { recoveryBlockOf } from "./recovery-block.ts";
import { restoredText } from "./restored.ts";

/** A report with the checkpoint that PreCompact or SessionStart saved. */
interface Compared {
	report: LossReport;
	checkpoint: Checkpoint;
}

/** Compares the summary with what was there before; `null` where the checkpoint is gone. */
export function compareSummary(
	hook: Hook,
	{ key, at, place }: Compaction,
	summary: string | null,
	seen: LastCompaction,
): Compared | null {
	const saved = loadCheckpoint(hook.session, key);
	if (!saved) return null;
	// what Claude Code kept word for word is known for sure once the boundary is written: behind SessionStart
	const checkpoint = isSeen(seen, place) ? { ...saved, kept: seen.kept(place) } : saved;
	return { report: audit({ ...checkpoint, at }, summary, recoveryBlockOf(hook, saved)), checkpoint: saved };
}

/** Whether the transcript holds the boundary of a compaction that began at `place`. */
const isSeen = (seen: LastCompaction, place: number): boolean => (seen.boundary()?.offset ?? -1) >= place;

/** Keeps the report, as part of the transaction that changes the cycle; the first one of a compaction is told in the daily log. */
export function keepReport({ session, root, log, now }: Hook, { report, checkpoint }: Compared): void {
	const { projectDir } = checkpoint;
	const isFirst = saveReport(session, report);
	if (isFirst && projectDir)
		attempt(log, () => logCompaction(root, projectDir, compactionLine(session, checkpoint, report), now));
}

const LOGGED = 100;

/** What the daily log says of a compaction, behind its opening bracket. */
function compactionLine(session: Session, { state, key }: Checkpoint, report: LossReport): string {
	const request = brief(oneLine(requestOf(state)?.text ?? ""), LOGGED).replace(/ \S+…$/, "…");
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
	const { input, session, log } = hook;
	const flag = readFollowUp(session);
	const isMissed = flag === MISSED;
	// of all that ask at once one looks for what SessionStart should have told, and the flag is down meanwhile
	if (flag === null || (isMissed && !dropFollowUp(session))) return { text: null, line: null };
	const { prepared } = readCycle(session);
	const late = isMissed ? blockAtStart(hook) : null;
	const restored = isMissed ? null : restoredText({ session: session.id }, hook);
	const cycle = readCycle(session);
	const key = dueKey(cycle);
	if (restored || !key) {
		keepFollowUpFlag(session, key);
		return { text: restored ?? late, line: null };
	}
	const { place } = cycle.began!;
	const seen = lastCompaction(input.transcript_path);
	const made = compareNow(hook, cycle, seen);
	// the next call may read what the block names: not as it was before the compaction
	if (made && !hasReadable(session, key)) attempt(log, () => writeReadable(session, made.checkpoint));
	const line = changeCycle(session, (now) => {
		const began = takeFollowUp(now, key);
		if (!began || !made) return undefined;
		keepReport(hook, made);
		return takeLine(hook, made.report, began);
	});
	keepFollowUpFlag(session, null);
	if (!made || line === undefined) return { text: late, line: null };
	const { checkpoint } = made;
	// claimed, and the flag says that it was not printed: SessionStart was ended in between (what was prepared since put the flag up too)
	const isUntold = late !== null || (isMissed && !prepared);
	if (!isUntold && seen.delivered(key, place) !== "no") return { text: null, line };
	if (!late) log(`the recovery block ${key} did not arrive; injected again`);
	return { text: late ?? recoveryBlockOf(hook, checkpoint).text, line };
}

/** By the summary in the transcript; where that is not written yet, as PostCompact has reported it. */
function compareNow(hook: Hook, { began }: Cycle, seen: LastCompaction): Compared | null {
	const { key, place } = began!;
	const summary = isSeen(seen, place) ? summaryIn(seen) : null;
	const made = compareSummary(hook, began!, summary, seen);
	const report = summary === null ? readReport(hook.session, key) : null;
	return made && report ? { ...made, report } : made;
}

/** Reports a compaction that no call and no prompt has followed, for when none does. What is to be injected waits on. */
export function reportDue(hook: Hook): void {
	const { session, input } = hook;
	const cycle = readCycle(session);
	const made = compareNow(hook, cycle, lastCompaction(input.transcript_path));
	if (made) changeCycle(session, (now) => dueKey(now) === dueKey(cycle) && keepReport(hook, made));
}

function summaryIn(seen: LastCompaction): string | null {
	const { summary } = seen.behind();
	return summary === null ? null : safeText(summary);
}

/**
 * The line for the user, once per compaction; `null` when there is nothing to tell. With PreToolUse and UserPromptSubmit, whose
 * `systemMessage` Claude Code shows and does not send (measured on 2.1.118 and 2.1.330): PostCompact has no answer of its
 * own, and SessionStart comes before the summary.
 */
function takeLine(hook: Hook, report: LossReport, began: Compaction): string | null {
	if (!hook.config.recovery.tellUser || began.lineTold) return null;
	const line = lossLine(report, reportCommand(hook));
	if (line) began.lineTold = true;
	return line;
}
