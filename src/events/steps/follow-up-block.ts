import { reloadedText } from "../../claude/machine/reloaded.ts";
import { behind, deliveryOf, type FoundBoundary, keptMessages } from "../../claude/transcript/compactions.ts";
import { audit, claimsOf, type LossReport } from "../../core/audit/audit.ts";
import { lossLine, reportLine } from "../../core/audit/verdict.ts";
import { MAX_INJECTED_CHARS } from "../../core/block/budget.ts";
import { followUpBlock } from "../../core/block/recovery-block.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { begunAt, type Compaction, type Cycle } from "../../core/session/cycle.ts";
import { safeText } from "../../core/text/text.ts";
import { appendLog } from "../../memory/notes-file.ts";
import { checkpointPath, loadCheckpoint, saveReport } from "../../store/recovery/checkpoints.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { attempt, type FollowUp, NO_FOLLOW_UP, type Services, type SessionInput } from "../run/event.ts";
import { reportCommand } from "./ccg-command.ts";
import { boundaryIn, keepFollowUpFlag } from "./compaction.ts";
import { budgetOf, recoveryBlockOf } from "./recovery-block.ts";
import { restoredText } from "./restored.ts";

/** What both the summary and the recovery block of a compaction lack, with the report of what the summary lost. */
interface Compared {
	/** `null` where nothing is missing. */
	text: string | null;
	report: LossReport;
	/** As PreCompact or SessionStart saved it. */
	checkpoint: Checkpoint;
}

/** Compares the summary with what was there before; `null` where no recovery block was made. */
export function compared(
	began: Compaction,
	summary: string | null,
	input: SessionInput,
	services: Services,
): Compared | null {
	const session = sessionAt(services, input.session_id);
	const { key, at, first } = began;
	const saved = first ? loadCheckpoint(session, key) : null;
	if (!first || !saved) return null;
	const checkpoint = withBoundary(saved, input, began);
	const base = checkpoint.projectDir;
	const ids = new Set(first.ids);
	const reloaded = reloadedText(base, services.env);
	const claims = summary === null ? [] : claimsOf(checkpoint, summary);
	const maxChars = budgetOf(checkpoint, services) - first.chars - 1;
	const place = { path: checkpointPath(session, key), base, maxChars, reloaded };
	const { text = null, ids: later = [] } = followUpBlock({ ...checkpoint, ...place }, ids, summary, claims) ?? {};
	const chars = { block: first.chars, followUp: text?.length ?? 0 };
	const report = audit({ ...checkpoint, at }, summary, { ids, later: new Set(later), chars }, claims, reloaded);
	return { text, report, checkpoint: saved };
}

/** Keeps the report, as part of the transaction that changes the cycle; the first one of a compaction is told in the daily log. */
export function keepReport({ report, checkpoint }: Compared, services: Services): void {
	const { root, log, now } = services;
	const { session, projectDir } = checkpoint;
	const isFirst = saveReport(sessionAt(services, session), report);
	if (isFirst && projectDir) attempt(log, () => appendLog(root, projectDir, reportLine(report), now));
}

/**
 * What is due with the first tool call or prompt of the main thread after a compaction: the follow-up block, `null` when
 * nothing is missing, and the line that tells the user what was lost. Where Claude Code's record shows that the recovery block did not arrive, that one is injected now.
 */
export function injectFollowUp(input: SessionInput, services: Services): FollowUp {
	const session = sessionAt(services, input.session_id);
	const restored = restoredText({ session: input.session_id }, services);
	const cycle = readCycle(session);
	const { began } = cycle;
	// what a compaction left comes with the next event
	if (restored || !began?.isDue) {
		keepFollowUpFlag(session, cycle);
		return { text: restored, line: null };
	}
	const { key } = began;
	const made = compared(began, summaryOf(cycle, input), input, services);
	const found = changeCycle(session, (now): FollowUp | null => {
		if (now.began?.key !== key || !now.began.isDue) return null;
		delete now.began.isDue;
		if (!made) return null;
		keepReport(made, services);
		return { text: made.text, line: takeLine(made.report, now.began, services) };
	});
	keepFollowUpFlag(session, { began: { ...began, isDue: false } });
	if (!made || !found) return NO_FOLLOW_UP;
	const { text, line } = found;
	const { checkpoint } = made;
	// the mod asks before the transcript can show it
	const isLost =
		!input.mod &&
		input.transcript_path !== undefined &&
		deliveryOf(input.transcript_path, key, begunAt({ ...checkpoint, at: began.at })) === "no";
	if (!isLost) return found;
	services.log(`the recovery block ${key} did not arrive; injected again`);
	const again = recoveryBlockOf(checkpoint, services, began.at).text;
	const whole = text ? `${again}\n\n${text}` : again;
	return { text: whole.length <= Math.min(MAX_INJECTED_CHARS, budgetOf(checkpoint, services)) ? whole : again, line };
}

/** What Claude Code kept word for word is known for sure once the boundary is written: behind SessionStart. */
const withBoundary = (checkpoint: Checkpoint, input: SessionInput, { at }: Pick<Compaction, "at">): Checkpoint =>
	behindBoundary(input, at, (path, boundary) => ({ ...checkpoint, kept: keptMessages(path, boundary, at) })) ??
	checkpoint;

/** What is read of the transcript by a boundary since `at`; `null` where there is none, or it can't be read. */
function behindBoundary<T>(
	{ transcript_path: path }: SessionInput,
	at: string,
	read: (path: string, boundary: FoundBoundary) => T,
): T | null {
	try {
		const boundary = boundaryIn(path);
		return boundary && boundary.at >= at ? read(path!, boundary) : null;
	} catch {
		return null;
	}
}

/** PostCompact's summary, else the one in the transcript. */
function summaryOf({ summary, began }: Cycle, input: SessionInput): string | null {
	const { at } = began!;
	if (summary && summary.at >= at) return summary.text;
	const found = behindBoundary(input, at, (path, { offset }) => behind(path, offset).summary);
	return found === null ? null : safeText(found);
}

/**
 * The line for the user, once per compaction; `null` when there is nothing to tell. With PreToolUse and UserPromptSubmit, whose
 * `systemMessage` Claude Code shows and does not send (measured on 2.1.118 and 2.1.330): PostCompact has no answer of its
 * own, and SessionStart comes before the summary.
 */
function takeLine(report: LossReport, began: Compaction, services: Services): string | null {
	if (!services.config.recovery.tellUser || began.lineTold) return null;
	const line = lossLine(report, reportCommand(services));
	if (line) began.lineTold = true;
	return line;
}
