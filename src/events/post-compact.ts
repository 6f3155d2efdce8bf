import { safeText } from "../core/text/text.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import { sessionAt } from "../store/session-handle.ts";
import type { EventHandler } from "./run/event.ts";
import { compared, keepReport } from "./steps/follow-up-block.ts";

const MAX_SUMMARY = 200_000;

/**
 * Receives the summary, keeps it, and compares it with the checkpoint for the report; the follow-up block is made when it is injected.
 * Never prints: behind `/compact` Claude Code shows what is printed here and sends it to the model as well (measured on 2.1.118 and
 * 2.1.330). Comes after SessionStart as a rule, before it on some versions, or not at all.
 */
export const postCompact: EventHandler = (input, services) => {
	const session = sessionAt(services, input.session_id);
	if (!input.compact_summary) throw new Error("input has no compact_summary");
	const { began, prepared, summary: known } = readCycle(session);
	// one more is of a compaction that SessionStart has not seen, or of the same
	if (began && !prepared && known && known.at >= began.at) return null;
	// what a model wrote goes to disk and, quoted, back to a model
	const summary = { at: services.now.toISOString(), text: safeText(input.compact_summary).slice(0, MAX_SUMMARY) };
	// before SessionStart there is nothing to compare with
	const made = began?.isDue && !prepared ? compared(began, summary.text, input, services) : null;
	changeCycle(session, (cycle) => {
		cycle.summary = summary;
		if (made && cycle.began?.key === began?.key && !cycle.prepared) keepReport(made, services);
	});
	return null;
};
