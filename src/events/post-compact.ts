import { safeText } from "../core/text/text.ts";
import { readRecoveryInjection, readReport, saveSummary } from "../store/recovery/compaction-record.ts";
import { readCommitted, readPending } from "../store/recovery/pending.ts";
import { sessionAt } from "../store/session-handle.ts";
import type { EventHandler } from "./run/event.ts";
import { settle } from "./steps/follow-up-block.ts";

/**
 * Receives the summary, keeps it, and compares it with the checkpoint. Never prints: Claude Code takes no answer here.
 * Comes after SessionStart as a rule, before it on some versions, or not at all.
 */
export const postCompact: EventHandler = (input, services) => {
	const { now } = services;
	const sid = input.session_id;
	const session = sessionAt(services, sid);
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
		settle(sid, services, first, summary);
	return null;
};
