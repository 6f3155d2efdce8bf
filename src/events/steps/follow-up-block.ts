import { type LastCompaction, readLastCompaction } from "../../claude/transcript/compactions.ts";
import { waitFor } from "../../claude/transcript/transcripts.ts";
import { auditCompaction, type LossReport } from "../../core/audit/audit.ts";
import { lossLine, lossVerdict, triggerName } from "../../core/audit/verdict.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { lastRequest } from "../../core/checkpoint/document-state.ts";
import { type Compaction, claimReport, unreportedKey } from "../../core/session/cycle.ts";
import { storePath } from "../../core/text/quoted.ts";
import { firstWords, oneLine, safeText } from "../../core/text/text.ts";
import { tryOrLog } from "../../files/quietly.ts";
import { logCompaction } from "../../memory/notes-file.ts";
import { dropFollowUpFlag, MISSED, readFollowUpKey } from "../../store/pressure/flags.ts";
import { checkpointPath, readCheckpoint, saveReport } from "../../store/recovery/checkpoints.ts";
import { writeReadableCheckpoint } from "../../store/recovery/workspace-file.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";
import { claimRecoveryBlock, setFollowUpFlag } from "./compaction.ts";
import { makeRecoveryBlock } from "./recovery-block.ts";
import { claimRestoredText } from "./restored.ts";

/** Compares Claude Code's summary with the compaction's checkpoint, and gives the report; `null` where the checkpoint is gone. */
function compareSummary(hook: Hook, { key, at, place }: Compaction) {
	const saved = readCheckpoint(hook.session, key);
	if (!saved) return null;
	const transcript = waitForSummary(hook.input.transcript_path, place);
	// before the boundary is written, what Claude Code kept word for word is not known
	const hasBoundary = hasBoundarySince(transcript, place);
	const checkpoint = hasBoundary ? { ...saved, kept: transcript.keptRanges(place) } : saved;
	const { summary } = hasBoundary ? transcript.afterBoundary() : { summary: null };
	const summaryText = summary === null ? null : safeText(summary);
	const report = auditCompaction({ ...checkpoint, at }, summaryText, makeRecoveryBlock(hook, saved));
	return { report, checkpoint: saved, transcript };
}

/** Whether the transcript holds a compaction boundary at or after byte `place`. */
const hasBoundarySince = ({ boundary }: LastCompaction, place: number): boolean => (boundary()?.offset ?? -1) >= place;

const LAG_MS = 300;

/** Reads the last compaction as soon as its boundary (at or after byte `place`) and summary are written; waits `LAG_MS` at most. */
function waitForSummary(path: string | undefined, place: number): LastCompaction {
	const isWritten = (transcript: LastCompaction): boolean =>
		!path || (hasBoundarySince(transcript, place) && transcript.afterBoundary().summary !== null);
	return waitFor(() => readLastCompaction(path), isWritten, LAG_MS);
}

/** Keeps the report, in the transaction that changes the cycle; the first report on a compaction gets a line in the daily log. */
function keepReport({ session, root, log, now }: Hook, report: LossReport, checkpoint: Checkpoint): void {
	const { projectDir } = checkpoint;
	const isFirst = saveReport(session, report);
	if (isFirst && projectDir)
		tryOrLog(log, () => logCompaction(root, projectDir, compactionLogLine(session, checkpoint, report), now));
}

/** So many characters of the user's request are logged. */
const MAX_REQUEST = 100;

/** What the daily log says of a compaction, from its trigger on: the log writes `(` before it. */
function compactionLogLine(session: Session, { state, key }: Checkpoint, report: LossReport): string {
	const request = firstWords(oneLine(lastRequest(state)?.text ?? ""), MAX_REQUEST);
	const size = state.tokens === null ? "" : `, ${Math.round(state.tokens / 1000)}k tokens`;
	const occasion = `${triggerName(report.trigger)}${size})${request ? ` while working on "${request}"` : ""}`;
	return `${occasion}; checkpoint ${key}: ${storePath(checkpointPath(session, key))}. ${lossVerdict([report])} ${report.blockChars} characters were injected.`;
}

/**
 * Claims what the follow-up flag announces to the first tool call or prompt after a compaction: `userLine`, which tells the user what the
 * summary holds, and as `text` for the model the recovery block, where Claude Code's record shows that it did not arrive. A restored
 * checkpoint comes first; then the compaction waits for the next call or prompt.
 */
export function claimFollowUpTexts(hook: Hook): { text: string | null; userLine: string | null } {
	const { session, log } = hook;
	const flag = readFollowUpKey(session);
	const isMissed = flag === MISSED;
	// "missed": SessionStart has printed no block. Of several hooks at once, the one that drops the flag claims the block
	if (flag === null || (isMissed && !dropFollowUpFlag(session))) return { text: null, userLine: null };
	const { prepared: wasPrepared } = readCycle(session);
	const missedBlock = isMissed ? claimRecoveryBlock(hook) : null;
	const restored = isMissed ? null : claimRestoredText({ session: session.id }, hook);
	const cycle = readCycle(session);
	const key = unreportedKey(cycle);
	if (restored || !key) {
		setFollowUpFlag(session, key);
		return { text: restored ?? missedBlock, userLine: null };
	}
	const compared = compareSummary(hook, cycle.began!);
	// the next call may read the file that the block names: it has to be up to date
	if (compared) tryOrLog(log, () => writeReadableCheckpoint(session, compared.checkpoint));
	const userLine = changeCycle(session, (now) => {
		const began = claimReport(now, key);
		if (!began || !compared) return undefined;
		keepReport(hook, compared.report, compared.checkpoint);
		return claimUserLine(hook, compared.report, began);
	});
	setFollowUpFlag(session, null);
	if (!compared || userLine === undefined) return { text: missedBlock, userLine: null };
	const { checkpoint, transcript } = compared;
	// SessionStart claimed the block, but was killed before it printed it (a PreCompact since then raises the flag as well)
	const isNotPrinted = missedBlock !== null || (isMissed && !wasPrepared);
	if (!isNotPrinted && transcript.blockDelivery(key, cycle.began!.place) !== "no") return { text: null, userLine };
	if (!missedBlock) log(`the recovery block ${key} did not arrive; injected again`);
	return { text: missedBlock ?? makeRecoveryBlock(hook, checkpoint).text, userLine };
}

/** Keeps the report on a compaction that no call or prompt has followed yet; what they have to inject still waits for them. */
export function keepDueReport(hook: Hook): void {
	const { session } = hook;
	const { began } = readCycle(session);
	const compared = began && compareSummary(hook, began);
	if (!compared) return;
	const { report, checkpoint } = compared;
	changeCycle(session, (cycle) => unreportedKey(cycle) === began.key && keepReport(hook, report, checkpoint));
}

/**
 * The line that tells the user what a compaction's summary lacks, once per compaction; `null` where it lacks nothing. PreToolUse and
 * UserPromptSubmit show it, not SessionStart, which runs before the summary is written.
 */
function claimUserLine(hook: Hook, report: LossReport, began: Compaction): string | null {
	if (!hook.config.recovery.tellUser || began.lineTold) return null;
	const line = lossLine(report, "type ccg report");
	if (line) began.lineTold = true;
	return line;
}
