import { keepHeard } from "../../store/session/heard-prompts.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { attempt, type Services, type SessionInput } from "../run/event.ts";

/** Keeps that a prompt was handed over. 2.1.330 names no source; its types do: loops, schedules and the machine's own come this way too. */
export function hearPrompt({ session_id, prompt, source = "user" }: SessionInput, services: Services): void {
	if (prompt && (source === "user" || source === "sdk"))
		attempt(services.log, () => keepHeard(sessionAt(services, session_id), prompt));
}
