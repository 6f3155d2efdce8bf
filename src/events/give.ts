import { additionalContext, type EventHandler } from "./event.ts";
import { giveLater } from "./later.ts";

/** UserPromptSubmit: what a compaction left to give, when no tool call came before. */
export const give: EventHandler = (input, services) => {
	const text = giveLater(input, services);
	return text ? additionalContext("UserPromptSubmit", text) : null;
};
