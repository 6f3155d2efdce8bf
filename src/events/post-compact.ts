import { safeText } from "../core/text/text.ts";
import { loadCheckpoint, readReport } from "../store/recovery/checkpoints.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import { sessionAt } from "../store/session-handle.ts";
import type { EventHandler } from "./run/event.ts";
import { keepSettled, settled, withBoundary } from "./steps/follow-up-block.ts";

const MAX_SUMMARY = 200_000;

/**
 * Receives the summary, keeps it, and compares it with the checkpoint. Never prints: behind `/compact` Claude Code shows what is
 * printed here and sends it to the model as well (measured on 2.1.118 and 2.1.330).
 * Comes after SessionStart as a rule, before it on some versions, or not at all.
 */
export const postCompact: EventHandler = (input, services) => {
	const session = sessionAt(services, input.session_id);
	if (!input.compact_summary) throw new Error("input has no compact_summary");
	// what a model wrote goes to disk and, quoted, back to a model
	const summary = { at: services.now.toISOString(), text: safeText(input.compact_summary).slice(0, MAX_SUMMARY) };
	const { began, prepared } = readCycle(session);
	// before SessionStart there is nothing to compare with: it takes the summary into account itself; and a summary of a
	// compaction that SessionStart has not seen must not go into the report of the one before
	const isReported = began && (readReport(session, began.key)?.summaryChars ?? null) !== null;
	const checkpoint = began && !prepared && !isReported ? loadCheckpoint(session, began.key) : null;
	const made = began && checkpoint && settled(withBoundary(checkpoint, input, began), began, summary.text, services);
	changeCycle(session, (cycle) => {
		cycle.summary = summary;
		if (made && cycle.began?.key === began.key && !cycle.prepared)
			keepSettled(cycle, made, cycle.began.followUp?.isGiven ?? false, input, services);
	});
	return null;
};
