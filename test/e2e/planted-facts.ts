/** A session with one planted fact of each kind, played to the real Claude Code: for the test and for the fidelity bench. */
import { claudeSandbox } from "./claude-sandbox.ts";
import { SUMMARY } from "./loopback-api.ts";
import PLANTED from "./planted-facts.json";
import { says, turnsOf } from "./replies.ts";

export const AGENT = "Compare the row counts of both ledgers.";

/** One planted fact of each kind, as the model must find it after each compaction. */
export const FACTS = PLANTED.facts;
/** What is about the turn at hand, or has ended before the next one (Claude Code reports their end). */
export const OF_THE_FIRST = ["assumption", "open question", "background shell", "background agent"];

const filler = (n: string) => Array.from({ length: 40 }, (_, i) => `helperNumber${n}x${i}`).join(" ");

/** Plays the session: six prompts, three compactions, a background agent. Gives the sandbox, to be closed, and the session's id. */
export async function playFacts(summary = SUMMARY) {
	const made = claudeSandbox(
		// the background agent is at work all the time
		({ first }) => (first.includes(AGENT) ? { delayMs: 22_000, text: "They are equal.", tokens: 3_000 } : undefined),
		{ env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" }, summary: () => says(5_000, summary) },
	);
	const names: Record<string, string> = { ...FACTS, AGENT, PROJECT: made.project };
	const turns = turnsOf(PLANTED.turns, (name) => names[name] ?? filler(name.replace("FILLER ", "")));
	return { made, sid: await made.play(turns) };
}
