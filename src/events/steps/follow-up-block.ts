import { reloadedText } from "../../claude/machine/reloaded.ts";
import { keptMessages, lastBoundary, summaryAfter } from "../../claude/transcript/compactions.ts";
import { deliveryOf } from "../../claude/transcript/delivery.ts";
import { MAX_INJECTED_CHARS } from "../../core/recovery/budget.ts";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { summarisedPart } from "../../core/recovery/kept.ts";
import { claimsOf, lossReport } from "../../core/recovery/loss-report.ts";
import { reportLine } from "../../core/recovery/loss-verdict.ts";
import { followUpBlock } from "../../core/recovery/recovery-block.ts";
import { safeText } from "../../core/text/text.ts";
import { appendLog } from "../../store/memory/daily-log.ts";
import { checkpointPath, loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import {
	claimFollowUpMarker,
	isFollowUpInjected,
	type RecoveryInjection,
	readFollowUpInjection,
	readRecoveryInjection,
	readSummary,
	saveFollowUpInjection,
	saveReport,
} from "../../store/recovery/compaction-record.ts";
import type { Pending } from "../../store/recovery/pending.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { attempt } from "../run/attempt.ts";
import type { Services, SessionInput } from "../run/event.ts";
import { budgetOf, recoveryBlockOf } from "./recovery-block.ts";
import { restoredText } from "./restored.ts";
import { claimLine, noteLoss } from "./tell-loss.ts";

/**
 * Writes the loss report of a compaction and its follow-up block, which holds what both the summary and the recovery block
 * lack. As soon as the summary is known or has to be done without.
 */
export function settle(
	input: SessionInput,
	services: Services,
	first: RecoveryInjection,
	summary: string | null,
	isDue = false,
): string | null {
	const { root, env, log, now } = services;
	const session = sessionAt(services, input.session_id);
	const checkpoint = withBoundary(loadCheckpoint(session, first.key), input, first);
	if (!checkpoint) return null;
	const given = new Set(first.ids);
	const reloaded = reloadedText(checkpoint.projectDir, env);
	const claims = summary === null ? [] : claimsOf(checkpoint, summary);
	const before = readFollowUpInjection(session);
	// a summary that comes after the follow-up block corrects the report, not what was injected
	const later =
		!isDue && before?.key === first.key && isFollowUpInjected(session, first.key)
			? before
			: followUpBlock(
					{
						...checkpoint,
						path: checkpointPath(session, first.key),
						base: checkpoint.projectDir,
						maxChars: budgetOf(checkpoint, services) - first.chars - 1,
						reloaded,
					},
					given,
					summary,
					claims,
				);
	const { text = null, ids = [] } = later ?? {};
	saveFollowUpInjection(session, { key: first.key, text, ids });
	attempt(log, () => {
		const all = { ids: given, later: new Set(ids), chars: { block: first.chars, followUp: text?.length ?? 0 } };
		const report = lossReport({ ...checkpoint, at: first.at }, summary, all, claims, reloaded);
		const isFirst = saveReport(session, report);
		noteLoss(input, services, report);
		if (isFirst && checkpoint.projectDir) appendLog(root, checkpoint.projectDir, reportLine(report), now);
	});
	return text;
}

/** What one hook says after a compaction: `text` to the model, `line` to the user. */
export interface FollowUp {
	text: string | null;
	line: string | null;
}

export const NO_FOLLOW_UP: FollowUp = { text: null, line: null };

/**
 * What is due with the first tool call or prompt of the main thread after a compaction: the follow-up block, `null` when
 * nothing is missing, and the line that tells the user what was lost. Where Claude Code's record shows that the recovery block did not arrive, that one is injected now.
 */
export function injectFollowUp(input: SessionInput, services: Services): FollowUp {
	const session = sessionAt(services, input.session_id);
	const restored = restoredText(input.session_id, services);
	// what a compaction left comes with the next event
	if (restored) return { text: restored, line: null };
	const key = claimFollowUpMarker(session);
	const first = readRecoveryInjection(session);
	if (!key || first?.key !== key) return NO_FOLLOW_UP;
	const settled = readFollowUpInjection(session);
	const checkpoint = loadCheckpoint(session, key);
	const isSettled = settled?.key === key && isSame(checkpoint, withBoundary(checkpoint, input, first));
	const text = isSettled ? settled.text : settle(input, services, first, laterSummary(input, services, first), true);
	const line = claimLine(input, services, key);
	// the mod asks before the transcript can show it
	if (
		!input.mod &&
		checkpoint &&
		input.transcript_path &&
		deliveryOf(input.transcript_path, key, begunAt({ ...checkpoint, at: first.at })) === "no"
	) {
		services.log(`the recovery block ${key} did not arrive; injected again`);
		const again = recoveryBlockOf(checkpoint, services, first.at).text;
		const whole = text ? `${again}\n\n${text}` : again;
		return { text: whole.length <= Math.min(MAX_INJECTED_CHARS, budgetOf(checkpoint, services)) ? whole : again, line };
	}
	return { text, line };
}

/** What Claude Code kept word for word is known for sure once the boundary is written: behind SessionStart. */
function withBoundary(
	checkpoint: Checkpoint | null,
	{ transcript_path: path }: SessionInput,
	{ at }: RecoveryInjection,
): Checkpoint | null {
	try {
		const boundary = path ? lastBoundary(path) : null;
		if (!checkpoint || !boundary || boundary.at < at) return checkpoint;
		return { ...checkpoint, kept: keptMessages(path!, boundary, at) };
	} catch {
		return checkpoint;
	}
}

const isSame = (a: Checkpoint | null, b: Checkpoint | null): boolean => told(a) === told(b);
const told = (one: Checkpoint | null): string | null => one && JSON.stringify(summarisedPart(one.state, one.kept));

/** When the compaction began; `""` where SessionStart took the checkpoint, behind the boundary. */
export const begunAt = ({ trigger, at }: Pick<Pending, "trigger" | "at">): string =>
	/^(?:compact|resume|fork)$/.test(trigger) ? "" : at;

/** PostCompact's summary, else the one in the transcript. */
function laterSummary(input: SessionInput, services: Services, first: RecoveryInjection): string | null {
	const brought = readSummary(sessionAt(services, input.session_id), first.at);
	if (brought !== null || !input.transcript_path) return brought;
	try {
		const boundary = lastBoundary(input.transcript_path);
		const summary = boundary && boundary.at >= first.at ? summaryAfter(input.transcript_path, boundary.offset) : null;
		return summary === null ? null : safeText(summary);
	} catch {
		return null;
	}
}
