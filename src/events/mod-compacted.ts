import { forModel } from "../core/text/text.ts";
import { postCompact } from "./post-compact.ts";
import type { EventHandler } from "./run/event.ts";
import { dueFollowUp, late } from "./steps/late.ts";

/**
 * What SessionStart injects after a compaction and the next tool call would bring, at once and by the same claims: the mod appends both
 * parts behind the summary, and shows the line. `null` where somebody else did.
 */
export const modCompacted: EventHandler = (hook) => {
	const { input } = hook;
	// where no PostCompact hook brought it
	if (input.compact_summary) postCompact(hook);
	const started = { ...input, hook_event_name: "SessionStart", source: "compact" };
	const block = late().blockAtStart({ ...hook, input: started, whenPrinted: (act) => act() });
	const { text, line } = dueFollowUp(hook);
	if (!block && !text && !line) return null;
	return { block: block && forModel(block), followUp: text && forModel(text), line: line && forModel(line) };
};
