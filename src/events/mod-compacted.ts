import { existsSync } from "node:fs";
import { forModel } from "../core/text/text.ts";
import { sessionAt } from "../store/session-handle.ts";
import { postCompact } from "./post-compact.ts";
import { type EventHandler, NO_FOLLOW_UP } from "./run/event.ts";
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
	// where no PostCompact hook brought it
	if (input.compact_summary) postCompact(input, services);
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
