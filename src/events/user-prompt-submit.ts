import { dropLossNote } from "../store/recovery/loss-note.ts";
import { sessionAt } from "../store/session-handle.ts";
import { answer, type EventHandler } from "./run/event.ts";
import { injectFollowUp } from "./steps/follow-up-block.ts";

/** UserPromptSubmit: what a compaction left to inject and to tell the user, when no tool call came before. */
export const userPromptSubmit: EventHandler = (input, services) => {
	const { text, line } = injectFollowUp(input, services);
	// the status line says it until the user speaks again
	dropLossNote(sessionAt(services, input.session_id));
	return answer("UserPromptSubmit", text, line);
};
