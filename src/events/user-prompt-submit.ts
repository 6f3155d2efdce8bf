import { additionalContext, type EventHandler } from "./run/event.ts";
import { injectFollowUp } from "./steps/follow-up-block.ts";

/** UserPromptSubmit: what a compaction left to inject, when no tool call came before. */
export const userPromptSubmit: EventHandler = (input, services) => {
	const text = injectFollowUp(input, services);
	return text ? additionalContext("UserPromptSubmit", text) : null;
};
