import { appendFileSync, writeFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { postToolUse } from "../../src/events/post-tool-use.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { goodMoment, stop } from "../../src/events/stop.ts";
import { subagentStop } from "../../src/events/subagent-stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { readLastUsage } from "../../src/store/pressure/flags.ts";
import { readCycle } from "../../src/store/session/cycles.ts";
import { linesText, Transcript } from "../kit/events.ts";
import { type EventSession, eventSession, given } from "../kit/services.ts";

let at: EventSession;
beforeEach(() => {
	at = eventSession("good-moment");
});

/** A turn that commits, and its last words, at so many tokens. */
const committed = (lastWords: string, tokens = 140_000, before = new Transcript(at.project)): Transcript =>
	before
		.typed("Add the cart.")
		.call("Bash", { command: "git commit -m 'Add the cart'" }, "[main abcdef1] Add the cart\n 1 file changed")
		.said("It is in.", tokens - 200)
		.said(lastWords, tokens);
/** Writes a transcript without its last line; gives that line. */
function writeWithoutEnd(transcript: Transcript): string {
	const lines = transcript.text().trimEnd().split("\n");
	writeFileSync(at.transcript, linesText(lines.slice(0, -1)));
	return linesText(lines.slice(-1));
}
const ask = (last_assistant_message: string) => at.send(goodMoment, { last_assistant_message });
const moment = () => readCycle(at.stored).moment;

test.each([
	["a commit, and nothing open", { moment: "auto" }, "It is committed.", 140_000, "compact"],
	["not asked for", {}, "It is committed.", 140_000, null],
	["a question", { moment: "auto" }, "Shall I push?", 140_000, null],
	["not yet worth it", { moment: "auto" }, "It is committed.", 80_000, null],
	["the trigger is not known", { moment: "auto" }, "It is committed.", 299_999, null],
	["so many tokens that each message costs much", { moment: "auto" }, "It is committed.", 300_000, "compact"],
])("the mod asks at a turn's end: %s", (name, config, words, tokens, expected) => {
	at.configure(config);
	committed(words, tokens).write(at.transcript);
	if (!/trigger|so many/.test(name)) at.send(postToolUse);
	expect(ask(words)).toBe(expected);
	expect(at.failures).toEqual([]);
});

test("last words that Claude Code writes behind the event are waited for; where they don't come nothing is a good moment", () => {
	at.configure({ moment: "auto" });
	// the turn before ended with the same words
	const before = new Transcript(at.project).typed("Look.").said("Now it is in.");
	const late = writeWithoutEnd(committed("Now it is in.", 140_000, before));
	at.send(postToolUse);
	expect(ask("Now it is in.")).toBe(null);
	at.addSoon(late);
	expect(ask("Now it is in.")).toBe("compact");
});

test("a turn that puts the compaction off is judged by the farther trigger", () => {
	at.env.CLAUDE_CODE_AUTO_COMPACT_WINDOW = "100000";
	const transcript = new Transcript(at.project).typed("Add the cart.").said("I look.", 67_800).write(at.transcript);
	at.send(stop, { last_assistant_message: "I look." });
	committed("It is committed.", 68_000).write(transcript);
	at.send(stop, { last_assistant_message: "It is committed." });
	expect([readLastUsage(at.stored)?.trigger, moment()]).toEqual([167_000, undefined]);
});

test("last words with a secret at their end are known again", () => {
	at.configure({ moment: "auto" });
	const words = "The key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
	committed(words, 300_000).write(at.transcript);
	expect(ask(words)).toBe("compact");
});

test("the agent is told with the next prompt, once, where the user wants that", () => {
	const prompt = () => given(at.send(userPromptSubmit, { prompt: "Go on." }), "UserPromptSubmit");
	const told = () => prompt()?.includes("a good moment to compact (about 27,000 tokens");
	at.configure({ moment: "agent" });
	const late = writeWithoutEnd(committed("It is committed."));
	at.send(postToolUse);
	at.addSoon(late);
	at.send(stop, { last_assistant_message: "It is committed." });
	expect([told(), told()]).toEqual([true, undefined]);
	at.send(stop, { last_assistant_message: "It is committed." });
	// an answer came since
	appendFileSync(at.transcript, new Transcript(at.project).said("And a word more.", 141_000).text());
	at.send(postToolUse);
	expect(told()).toBe(undefined);
	at.configure({});
	at.send(stop, { last_assistant_message: "And a word more." });
	expect([moment(), told()]).toEqual([141_000, undefined]);
});

test("a compaction ends it, and in the middle of a turn there is none", () => {
	committed("It is committed.").write(at.transcript);
	at.send(postToolUse);
	at.send(stop, { last_assistant_message: "It is committed." });
	expect(moment()).toBe(140_000);
	at.send(subagentStop, { hook_event_name: "SubagentStop", agent_id: "a1", agent_type: "Explore" });
	expect(moment()).toBe(undefined);
	at.send(stop, { last_assistant_message: "It is committed." });
	expect(moment()).toBe(140_000);
	at.send(preCompact, { hook_event_name: "PreCompact", trigger: "manual" });
	at.send(sessionStart, { hook_event_name: "SessionStart", source: "compact" });
	expect(moment()).toBe(undefined);
});
