import { existsSync } from "node:fs";
import { dropLossNote } from "../store/recovery/loss-note.ts";
import { keepHeard } from "../store/session/heard-prompts.ts";
import { sessionAt } from "../store/session-handle.ts";
import { attempt } from "./run/attempt.ts";
import { answer, type EventHandler, type Services, type SessionInput } from "./run/event.ts";
import { injectFollowUp } from "./steps/follow-up-block.ts";

/**
 * UserPromptSubmit: keeps that the prompt was handed over, which tells who spoke where the transcript does not. Then what a
 * compaction left to inject and to tell the user, when no tool call came before.
 */
export const userPromptSubmit: EventHandler = (input, services) => {
	const session = sessionAt(services, input.session_id);
	hearPrompt(input, services);
	if (!existsSync(session.paths.followUpMarker)) return null;
	const { text, line } = injectFollowUp(input, services);
	// the status line says it until the user speaks again
	dropLossNote(session);
	return answer("UserPromptSubmit", text, line);
};

/** Keeps that a prompt was handed over. 2.1.330 names no source; its types do: loops, schedules and the machine's own come this way too. */
export function hearPrompt({ session_id, prompt, source = "user" }: SessionInput, services: Services): void {
	if (prompt && (source === "user" || source === "sdk"))
		attempt(services.log, () => keepHeard(sessionAt(services, session_id), prompt));
}
