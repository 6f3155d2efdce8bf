import { goodMomentText } from "../core/pressure/nudge-text.ts";
import { tryOrLog } from "../files/quietly.ts";
import { claimNewNotes } from "../memory/news.ts";
import { readLastUsage } from "../store/pressure/flags.ts";
import { changeCycle, readKnownCycle } from "../store/session/cycles.ts";
import { keepPromptHash } from "../store/session/heard-prompts.ts";
import { type EventHandler, type Hook, hookAnswer } from "./run/event.ts";
import { claimFollowUp } from "./steps/bundles.ts";
import { shellCommand } from "./steps/ccg-command.ts";

/**
 * UserPromptSubmit: answers what is asked of ccg itself. Keeps any other prompt's hash, since the transcript does not always tell who spoke, and
 * injects what a compaction or a restore left for it; else that the turn before it ended at a good moment to compact, or new notes from other
 * machines.
 */
export const userPromptSubmit: EventHandler = (hook) => {
	const reason = answerToUser(hook);
	if (reason !== null) return { decision: "block", reason };
	keepUserPrompt(hook);
	const { text, userLine } = claimFollowUp(hook);
	const told = text ?? tryOrLog(hook.log, () => goodMomentNote(hook) ?? newsFromMachines(hook));
	return hookAnswer("UserPromptSubmit", told, userLine);
};

/** A whole prompt that asks ccg: `ccg`, `ccg report`, the same behind `/`, `/ccg recall WORDS`. Without `/` the last one may be for the model. */
const ASKS_CCG = /^(?:\/?ccg(?:[ :](report))?|\/ccg recall (.+))$/s;

/**
 * What ccg answers to such a prompt, `null` for any other one. Claude Code shows the user why a prompt is blocked, and asks no model (2.1.332;
 * behind a `!` line it asks one). Nothing is changed: a prompt may come from a schedule.
 */
function answerToUser({ input: { prompt = "" }, session: { id }, folder, env, launcher, log }: Hook): string | null {
	const [isAsked, report, words = ""] = ASKS_CCG.exec(prompt.trim()) ?? [];
	if (!isAsked) return null;
	const reading = words ? ["recall", "--", words.replaceAll("\0", " ").slice(0, 4_000)] : ["status", id];
	const views = ["report", "page"].map((view) => ["show", "latest", "--as", view, "--session", id]);
	const place = { env: { ...env, CLAUDE_CODE_SESSION_ID: id }, cwd: folder || "/", timeout: 4_000 };
	const run = (args: string[]) => Bun.spawnSync([launcher, ...args], place);
	const runs = tryOrLog(log, () => (report ? views : [reading]).map(run)) ?? [];
	const told = runs.map(({ stdout }) => `${stdout}`.trim()).filter(Boolean);
	return told.join("\n\n") || `${runs[0]?.stderr ?? ""}`.trim() || "ccg gave no answer; try it in a terminal.";
}

/** Where `moment` is "agent" and the last turn ended at a good moment to compact: that it did, as text for the model, once. */
function goodMomentNote({ session, config }: Hook): string | null {
	const usage = config.moment === "agent" ? readLastUsage(session) : null;
	if (!usage || usage.tokens !== readKnownCycle(session).moment) return null;
	changeCycle(session, (cycle) => void delete cycle.moment);
	return goodMomentText(usage);
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
