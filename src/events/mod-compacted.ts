import { existsSync } from "node:fs";
import { forModel, safeText } from "../core/text/text.ts";
import { changeCycle, readCycle } from "../store/session/cycles.ts";
import { sessionAt } from "../store/session-handle.ts";
import { type EventHandler, NO_FOLLOW_UP, type Services, type SessionInput } from "./run/event.ts";
import { late } from "./steps/late.ts";

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
	const started = { ...input, hook_event_name: "SessionStart", source: "compact" };
	const block = late().afterCompaction(started, services);
	const isDue = existsSync(session.paths.followUpMarker);
	const { text, line } = isDue ? late().injectFollowUp(input, services) : NO_FOLLOW_UP;
	if (!block && !text && !line) return null;
	const answer: CompactedAnswer = {
		block: block && forModel(block),
		followUp: text && forModel(text),
		line: line && forModel(line),
	};
	return JSON.stringify(answer);
};

/** Where no PostCompact hook brought the summary, the mod does. */
function keepSummary({ session_id: sid, compact_summary: summary }: SessionInput, services: Services): void {
	const session = sessionAt(services, sid);
	const { prepared, summary: known } = readCycle(session);
	if (!summary || !prepared || (known && known.at >= prepared.at)) return;
	changeCycle(session, (cycle) => {
		cycle.summary = { at: services.now.toISOString(), text: safeText(summary) };
	});
}
