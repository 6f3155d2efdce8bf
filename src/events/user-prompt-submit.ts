import { keepHeard } from "../store/session/heard-prompts.ts";
import { answer, attempt, type EventHandler, type Hook } from "./run/event.ts";
import { dueFollowUp } from "./steps/late.ts";

/**
 * UserPromptSubmit: keeps that the prompt was handed over, which tells who spoke where the transcript does not. Then what a
 * compaction left to inject and to tell the user, when no tool call came before.
 */
export const userPromptSubmit: EventHandler = (hook) => {
	hearPrompt(hook);
	const { text, line } = dueFollowUp(hook);
	return answer("UserPromptSubmit", text, line);
};

/** Keeps that a prompt was handed over. 2.1.330 names no source; its types do: loops, schedules and the machine's own come this way too. */
export function hearPrompt({ input: { prompt, source = "user" }, session, log }: Hook): void {
	if (prompt && (source === "user" || source === "sdk")) attempt(log, () => keepHeard(session, prompt));
}
