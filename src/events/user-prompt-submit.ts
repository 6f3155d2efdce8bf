import { tryOrLog } from "../files/quietly.ts";
import { claimNewNotes } from "../memory/news.ts";
import { keepPromptHash } from "../store/session/heard-prompts.ts";
import { type EventHandler, type Hook, hookAnswer } from "./run/event.ts";
import { claimFollowUp } from "./steps/bundles.ts";
import { shellCommand } from "./steps/ccg-command.ts";

/**
 * UserPromptSubmit: keeps the prompt's hash, since the transcript does not always tell who spoke. Injects what a compaction or a restore left
 * for this prompt; else new notes from other machines.
 */
export const userPromptSubmit: EventHandler = (hook) => {
	keepUserPrompt(hook);
	const { text, userLine } = claimFollowUp(hook);
	return hookAnswer("UserPromptSubmit", text ?? tryOrLog(hook.log, () => newsFromMachines(hook)), userLine);
};

/** New notes from other machines, as text for the model; `null` where there are none. */
function newsFromMachines(hook: Hook): string | null {
	const { session, folder, config } = hook;
	const budget = config.startup.maxChars;
	return folder ? claimNewNotes(session, folder, hook.now, { budget, command: () => shellCommand(hook) }) : null;
}

/** Keeps the hash of a prompt that a person sent: where Claude Code names a source, also loops and schedules come here (2.1.330 names none). */
function keepUserPrompt({ input: { prompt, source = "user" }, session, log }: Hook): void {
	if (prompt && (source === "user" || source === "sdk")) tryOrLog(log, () => keepPromptHash(session, prompt));
}
