import { existsSync } from "node:fs";
import { forModel } from "../core/text/for-model.ts";
import { safeText } from "../core/text/text.ts";
import { readSummary, saveSummary } from "../store/recovery/compaction-record.ts";
import { readPending } from "../store/recovery/pending.ts";
import { sessionAt } from "../store/session-handle.ts";
import type { EventHandler, Services, SessionInput } from "./run/event.ts";
import { sessionStart } from "./session-start.ts";
import { injectFollowUp, NO_FOLLOW_UP } from "./steps/follow-up-block.ts";

/** What the mod appends behind a summary: both parts for the model, a line for the user; `null` where somebody else did. */
export interface CompactedAnswer {
	block: string | null;
	followUp: string | null;
	line: string | null;
}

/** What SessionStart injects after a compaction and the next tool call would bring, at once and by the same claims. */
export const modCompacted: EventHandler = (input, services) => {
	const session = sessionAt(services, input.session_id);
	keepSummary(input, services);
	const block = contextOf(sessionStart({ ...input, hook_event_name: "SessionStart", source: "compact" }, services));
	const isDue = existsSync(session.paths.followUpMarker);
	const { text, line } = isDue ? injectFollowUp(input, services) : NO_FOLLOW_UP;
	if (!block && !text && !line) return null;
	const answer: CompactedAnswer = { block, followUp: text && forModel(text), line: line && forModel(line) };
	return JSON.stringify(answer);
};

/** Where no PostCompact hook brought the summary, the mod does. */
function keepSummary({ session_id: sid, compact_summary: summary }: SessionInput, services: Services): void {
	const session = sessionAt(services, sid);
	const pending = readPending(session);
	if (!summary || !pending || readSummary(session, pending.at) !== null) return;
	saveSummary(session, services.now.toISOString(), safeText(summary));
}

function contextOf(answer: string | null): string | null {
	return answer && (JSON.parse(answer).hookSpecificOutput?.additionalContext ?? null);
}
