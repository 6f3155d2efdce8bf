import { tryOrLog } from "../files/quietly.ts";
import { claimNewNotes } from "../memory/news.ts";
import { keepPromptHash } from "../store/session/heard-prompts.ts";
import { type EventHandler, type Hook, hookAnswer } from "./run/event.ts";
import { claimFollowUp } from "./steps/bundles.ts";
import { shellCommand } from "./steps/ccg-command.ts";

/**
 * UserPromptSubmit: answers what is asked of ccg itself. Keeps any other prompt's hash, since the transcript does not always tell who spoke, and
 * injects what a compaction or a restore left for it; else new notes from other machines.
 */
export const userPromptSubmit: EventHandler = (hook) => {
	const reason = answerToUser(hook);
	if (reason !== null) return { decision: "block", reason };
	keepUserPrompt(hook);
	const { text, userLine } = claimFollowUp(hook);
	return hookAnswer("UserPromptSubmit", text ?? tryOrLog(hook.log, () => newsFromMachines(hook)), userLine);
};

/** A whole prompt that asks ccg: `ccg`, `ccg report`, the same behind `/`, `/ccg recall WORDS`. Without `/` the last one may be for the model. */
const ASKS_CCG = /^(?:\/?ccg(?:[ :](report))?|\/ccg recall (.+))$/s;

/**
 * What ccg answers to such a prompt; `null` for any other one. Claude Code shows the reason of a block to the user, and asks no model (2.1.332,
 * where it does so behind a `!` line). Only what reads: a prompt may come from a schedule.
 */
function answerToUser({ input: { prompt = "" }, session: { id }, folder, env, launcher }: Hook): string | null {
	const [isAsked, report, words] = ASKS_CCG.exec(prompt.trim()) ?? [];
	if (!isAsked) return null;
	const place = { env: { ...env, CLAUDE_CODE_SESSION_ID: id }, cwd: folder || "/", timeout: 4_000 };
	const reading = words ? ["recall", "--", words] : ["status", id];
	const calls = report ? ["report", "page"].map((view) => ["show", "latest", "--as", view]) : [reading];
	const runs = calls.map((args) => Bun.spawnSync([launcher, ...args], place));
	const told = runs.map(({ stdout }) => `${stdout}`.trim()).filter(Boolean);
	return told.join("\n\n") || `${runs[0]!.stderr}`.trim() || "ccg gave no answer in time; try it in a terminal.";
}

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
