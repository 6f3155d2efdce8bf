import { reloadedText } from "../../claude/machine/reloaded.ts";
import { behind, deliveryOf, type FoundBoundary, keptMessages } from "../../claude/transcript/compactions.ts";
import { audit, claimsOf, type LossReport } from "../../core/audit/audit.ts";
import { lossLine, reportLine } from "../../core/audit/verdict.ts";
import { MAX_INJECTED_CHARS } from "../../core/block/budget.ts";
import { followUpBlock } from "../../core/block/recovery-block.ts";
import { summarisedPart } from "../../core/block/situation.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { begunAt, type Compaction, type Cycle } from "../../core/session/cycle.ts";
import { safeText } from "../../core/text/text.ts";
import { appendLog } from "../../memory/notes-file.ts";
import { checkpointPath, loadCheckpoint, readReport, saveReport } from "../../store/recovery/checkpoints.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { attempt, type FollowUp, NO_FOLLOW_UP, type Services, type SessionInput } from "../run/event.ts";
import { reportCommand } from "./ccg-command.ts";
import { boundaryIn, keepFollowUpFlag } from "./compaction.ts";
import { recoveryBlockOf } from "./recovery-block.ts";
import { restoredText } from "./restored.ts";

/** What both the summary and the recovery block of a compaction lack, with the report of what the summary lost. */
interface Settled {
	text: string | null;
	ids: string[];
	report: LossReport;
	/** Of the project whose log tells it. */
	folder: string;
}

/** As soon as the summary is known or has to be done without. `checkpoint`: with what Claude Code kept word for word. */
export function settled(
	checkpoint: Checkpoint,
	began: Compaction,
	summary: string | null,
	services: Services,
): Settled | null {
	const { key, at, first } = began;
	if (!first) return null;
	const given = new Set(first.ids);
	const reloaded = reloadedText(checkpoint.projectDir, services.env);
	const claims = summary === null ? [] : claimsOf(checkpoint, summary);
	// a summary that comes after the follow-up block corrects the report, not what was injected
	const later = began.followUp?.isGiven
		? began.followUp
		: followUpBlock(
				{
					...checkpoint,
					path: checkpointPath(sessionAt(services, checkpoint.session), key),
					base: checkpoint.projectDir,
					maxChars: services.config.recovery.maxChars - first.chars - 1,
					reloaded,
				},
				given,
				summary,
				claims,
			);
	const { text = null, ids = [] } = later ?? {};
	const all = { ids: given, later: new Set(ids), chars: { block: first.chars, followUp: text?.length ?? 0 } };
	const report = audit({ ...checkpoint, at }, summary, all, claims, reloaded);
	return { text, ids, report, folder: checkpoint.projectDir };
}

/** Keeps what was settled, as part of the transaction that changes the cycle. */
export function keepSettled(
	cycle: Cycle,
	{ text, ids, report, folder }: Settled,
	isGiven: boolean,
	input: SessionInput,
	services: Services,
): void {
	const { root, log, now } = services;
	cycle.began!.followUp = { text, ids, isGiven };
	const isFirst = saveReport(sessionAt(services, input.session_id), report);
	if (isFirst && folder) attempt(log, () => appendLog(root, folder, reportLine(report), now));
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
	const saved = loadCheckpoint(session, key);
	const checkpoint = saved && withBoundary(saved, input, began);
	const isReady = began.followUp !== undefined && told(saved) === told(checkpoint);
	const made = isReady || !checkpoint ? null : settled(checkpoint, began, summaryOf(cycle, input), services);
	const report = made?.report ?? readReport(session, key);
	const found = changeCycle(session, (now): FollowUp | null => {
		if (now.began?.key !== key || !now.began.isDue) return null;
		delete now.began.isDue;
		if (made) keepSettled(now, made, true, input, services);
		else if (now.began.followUp) now.began.followUp.isGiven = true;
		return { text: now.began.followUp?.text ?? null, line: takeLine(report, now.began, services) };
	});
	keepFollowUpFlag(session, { began: { ...began, isDue: false } });
	if (!found) return NO_FOLLOW_UP;
	const { text, line } = found;
	// the mod asks before the transcript can show it
	const isLost =
		!input.mod &&
		saved !== null &&
		input.transcript_path !== undefined &&
		deliveryOf(input.transcript_path, key, begunAt({ ...saved, at: began.at })) === "no";
	if (!isLost) return { text, line };
	services.log(`the recovery block ${key} did not arrive; injected again`);
	const again = recoveryBlockOf(saved, services, began.at).text;
	const whole = text ? `${again}\n\n${text}` : again;
	return {
		text: whole.length <= Math.min(MAX_INJECTED_CHARS, services.config.recovery.maxChars) ? whole : again,
		line,
	};
}

/** What Claude Code kept word for word is known for sure once the boundary is written: behind SessionStart. */
export const withBoundary = (checkpoint: Checkpoint, input: SessionInput, { at }: Pick<Compaction, "at">): Checkpoint =>
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

const told = (one: Checkpoint | null): string | null => one && JSON.stringify(summarisedPart(one.state, one.kept));

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
function takeLine(report: LossReport | null, began: Compaction, services: Services): string | null {
	if (!report || !services.config.recovery.tellUser || began.lineTold) return null;
	const line = lossLine(report, reportCommand(services));
	if (line) began.lineTold = true;
	return line;
}
