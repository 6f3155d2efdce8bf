import { lastCompaction } from "../claude/transcript/compactions.ts";
import { dueKey } from "../core/session/cycle.ts";
import { safeText } from "../core/text/text.ts";
import { noteMissed } from "../store/pressure/flags.ts";
import { readReport } from "../store/recovery/checkpoints.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import type { EventHandler } from "./run/event.ts";
import { compareSummary, keepReport } from "./steps/follow-up-block.ts";

const MAX_SUMMARY = 200_000;

/**
 * Receives the summary and compares it with the checkpoint for the report; kept is what came of it.
 * Never prints: behind `/compact` Claude Code shows what is printed here and sends it to the model as well (measured on 2.1.118 and
 * 2.1.330). Comes after SessionStart as a rule, before it on some versions, or not at all.
 */
export const postCompact: EventHandler = (hook) => {
	const { input, session } = hook;
	if (!input.compact_summary) throw new Error("input has no compact_summary");
	const cycle = readCycle(session);
	const { prepared, began } = cycle;
	// SessionStart did not tell it: the next call or prompt looks, and compares
	if (prepared) noteMissed(session);
	// one more summary is of a compaction that SessionStart has not seen, or of the same
	const isReported = began && (readReport(session, began.key)?.summaryChars ?? null) !== null;
	if (prepared || !began || !dueKey(cycle) || isReported) return null;
	// what a model wrote goes to disk and, quoted, back to a model
	const summary = safeText(input.compact_summary).slice(0, MAX_SUMMARY);
	const made = compareSummary(hook, began, summary, lastCompaction(input.transcript_path));
	if (made) changeCycle(session, (now) => dueKey(now) === began.key && !now.prepared && keepReport(hook, made));
	return null;
};
