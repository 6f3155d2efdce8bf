import { existsSync } from "node:fs";
import { sessionAt } from "../store/session-handle.ts";
import { answer, type EventHandler } from "./run/event.ts";
import { late } from "./steps/late.ts";
import { hearPrompt } from "./steps/prompt.ts";

/**
 * UserPromptSubmit: keeps that the prompt was handed over, which tells who spoke where the transcript does not. Then what a
 * compaction left to inject and to tell the user, when no tool call came before.
 */
export const userPromptSubmit: EventHandler = (input, services) => {
	const session = sessionAt(services, input.session_id);
	hearPrompt(input, services);
	if (!existsSync(session.paths.followUpMarker)) return null;
	const { text, line } = late().injectFollowUp(input, services);
	return answer("UserPromptSubmit", text, line);
};
