import { lastCompaction } from "../claude/transcript/compactions.ts";
import { dueKey, summarySince } from "../core/session/cycle.ts";
import { safeText } from "../core/text/text.ts";
import { noteMissed } from "../store/pressure/flags.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import type { EventHandler } from "./run/event.ts";
import { compared, keepReport } from "./steps/follow-up-block.ts";

const MAX_SUMMARY = 200_000;

/**
 * Receives the summary, keeps it, and compares it with the checkpoint for the report.
 * Never prints: behind `/compact` Claude Code shows what is printed here and sends it to the model as well (measured on 2.1.118 and
 * 2.1.330). Comes after SessionStart as a rule, before it on some versions, or not at all.
 */
export const postCompact: EventHandler = (hook) => {
	const { input, session, now } = hook;
	if (!input.compact_summary) throw new Error("input has no compact_summary");
	const cycle = readCycle(session);
	// before SessionStart there is nothing to compare with
	const began = cycle.prepared ? undefined : cycle.began;
	// one more is of a compaction that SessionStart has not seen, or of the same
	if (began && summarySince(cycle, began.at) !== null) return null;
	// what a model wrote goes to disk and, quoted, back to a model
	const summary = { at: now.toISOString(), text: safeText(input.compact_summary).slice(0, MAX_SUMMARY) };
	const seen = lastCompaction(input.transcript_path);
	const made = began && dueKey(cycle) ? compared(hook, began, summary.text, seen) : null;
	// SessionStart did not tell it: the next call or prompt looks
	if (cycle.prepared) noteMissed(session);
	changeCycle(session, (one) => {
		one.summary = summary;
		if (made && one.began?.key === began?.key && !one.prepared) keepReport(hook, made);
	});
	return null;
};
