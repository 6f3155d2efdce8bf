import { safeText } from "../core/text/text.ts";
import { readRecoveryInjection, readReport, saveSummary } from "../store/recovery/compaction-record.ts";
import { readCommitted, readPending } from "../store/recovery/pending.ts";
import { sessionAt } from "../store/session-handle.ts";
import type { EventHandler } from "./run/event.ts";
import { settle } from "./steps/follow-up-block.ts";

/**
 * Receives the summary, keeps it, and compares it with the checkpoint. Never prints: behind `/compact` Claude Code shows what is
 * printed here and sends it to the model as well (measured on 2.1.118 and 2.1.330).
 * Comes after SessionStart as a rule, before it on some versions, or not at all.
 */
export const postCompact: EventHandler = (input, services) => {
	const { now } = services;
	const session = sessionAt(services, input.session_id);
	if (!input.compact_summary) throw new Error("input has no compact_summary");
	// what a model wrote goes to disk and, quoted, back to a model
	const summary = safeText(input.compact_summary);
	const first = readRecoveryInjection(session);
	// the summary of a compaction that SessionStart has not seen must not go into the report of the one before
	const isReported = first !== null && (readReport(session, first.key)?.summaryChars ?? null) !== null;
	saveSummary(session, now.toISOString(), summary);
	if (isReported) return null;
	// before SessionStart there is nothing to compare with: it takes the summary into account itself
	if (first && !readPending(session) && readCommitted(session)?.key === first.key)
		settle(input, services, first, summary);
	return null;
};
