import { expect, test } from "vitest";
import { postCompact } from "../../src/events/post-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import type { EventHandler } from "../../src/events/run/event.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { Transcript } from "../kit/events.ts";
import { at, REQUEST } from "./follow-up-session.ts";

const LINE = /^ccg: the summary kept (?:\d+|none) of \d+ things you said; .*\. More: \S*ccg show latest --as report$/;
const CALL = { tool_name: "Bash" };

/** What the user is shown with a hook's answer. */
const line = (handler: EventHandler, fields: Record<string, string> = {}): string | null => {
	const answer = at.send(handler, fields);
	return answer === null ? null : (JSON.parse(answer).systemMessage ?? null);
};
const summarised = (compact_summary: string): null =>
	at.send(postCompact, { trigger: "auto", compact_summary }) as null;

/** A compaction whose block holds all that was said. */
function smallCompaction(): void {
	const transcript = new Transcript(at.project).typed("Never touch the schema.").typed(REQUEST);
	transcript.write(at.transcript);
	at.pre();
	at.compacted(transcript);
	at.start();
}

test.each([
	["tool call", preToolUse, userPromptSubmit],
	["prompt", userPromptSubmit, preToolUse],
])("with the first %s after the compaction, once, beside the follow-up block", (_, event, other) => {
	at.compaction();
	at.start();
	summarised("Work went on.");
	const answer = JSON.parse(at.send(event, CALL)!);
	expect(answer.systemMessage).toMatch(LINE);
	expect(answer.hookSpecificOutput.additionalContext).not.toContain("More:");
	expect([line(event, CALL), line(other, CALL)]).toEqual([null, null]);
	at.later(1);
	expect(at.start("resume")).not.toBeNull();
	expect([line(event, CALL), line(other, CALL)]).toEqual([null, null]);
	expect(at.failures).toEqual([]);
});

test("also where nothing is left to inject", () => {
	smallCompaction();
	summarised("We are on git branch `main`.");
	const { systemMessage, ...rest } = JSON.parse(at.send(preToolUse, CALL)!);
	expect(systemMessage).toMatch(/^ccg: the summary kept 0 of 2 things you said; 2 are back\. More: /);
	expect(rest).toEqual({});
});

test.each([
	["nothing was lost", {}, `The user said: "Never touch the schema." and "${REQUEST}"`],
	["it is turned off", { recovery: { tellUser: false } }, "Work went on."],
])("none where %s", (_, config, summary) => {
	at.configure(config);
	smallCompaction();
	summarised(summary);
	expect(line(preToolUse, CALL)).toBeNull();
});
