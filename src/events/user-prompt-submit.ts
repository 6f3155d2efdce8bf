import { attempt } from "../files/quietly.ts";
import { newNotes } from "../memory/news.ts";
import { keepHeard } from "../store/session/heard-prompts.ts";
import { type EventHandler, type Hook, hookAnswer } from "./run/event.ts";
import { dueFollowUp } from "./steps/bundles.ts";
import { shellCommand } from "./steps/ccg-command.ts";

/**
 * UserPromptSubmit: keeps that the prompt was handed over, which tells who spoke where the transcript does not. Then what a
 * compaction left to inject and to tell the user, when no tool call came before; else what came from other machines.
 */
export const userPromptSubmit: EventHandler = (hook) => {
	hearPrompt(hook);
	const { text, line } = dueFollowUp(hook);
	return hookAnswer("UserPromptSubmit", text ?? attempt(hook.log, () => news(hook)), line);
};

/** What other machines brought since the start, or since the last prompt. */
function news(hook: Hook): string | null {
	const { session, folder, config } = hook;
	const budget = config.startup.maxChars;
	return folder ? newNotes(session, folder, hook.now, { budget, command: () => shellCommand(hook) }) : null;
}

/** Keeps that a prompt was handed over. 2.1.330 names no source; its types do: loops, schedules and the machine's own come this way too. */
function hearPrompt({ input: { prompt, source = "user" }, session, log }: Hook): void {
	if (prompt && (source === "user" || source === "sdk")) attempt(log, () => keepHeard(session, prompt));
}
