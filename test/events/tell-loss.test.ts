import { expect, test } from "vitest";
import { postCompact } from "../../src/events/post-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import type { EventHandler } from "../../src/events/run/event.ts";
import { statusLine } from "../../src/events/status-line/status-line.ts";
import { stop } from "../../src/events/stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { Transcript } from "../kit/events.ts";
import { bytes } from "../kit/status-home.ts";
import { at, REQUEST } from "./follow-up-session.ts";

const FIRST = "0b8c9f1e-5a4d-4c3b-9e2f-1a2b3c4d5e6f";
const NEXT = "7c1d2e3f-9a8b-4f6e-8d5c-6b7a8c9d0e1f";
const LINE = /^ccg: the summary kept (?:\d+|none) of \d+ things you said; .*\. More: \S*ccg show latest --as report$/;
const CALL = { tool_name: "Bash" };

/** What the user is shown with a hook's answer. */
const line = (handler: EventHandler, fields: Record<string, string> = {}): string | null => {
	const answer = at.send(handler, fields);
	return answer === null ? null : (JSON.parse(answer).systemMessage ?? null);
};
const summarised = (prompt_id: string, compact_summary: string): null =>
	at.send(postCompact, { trigger: "auto", compact_summary, prompt_id }) as null;
const status = (prompt_id?: string): Promise<string> =>
	statusLine(
		bytes({ session_id: "s-1", model: { id: "claude-sonnet-4-6" }, cwd: at.project, prompt_id }),
		{ ...at.env, NO_COLOR: "1" },
		null,
	);

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
	summarised(FIRST, "Work went on.");
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
	summarised(FIRST, "We are on git branch `main`.");
	const { systemMessage, ...rest } = JSON.parse(at.send(preToolUse, CALL)!);
	expect(systemMessage).toMatch(/^ccg: the summary kept none of 2 things you said; all 2 are back\. More: /);
	expect(rest).toEqual({});
});

test.each([
	["nothing was lost", {}, `The user said: "Never touch the schema." and "${REQUEST}"`],
	["it is turned off", { recovery: { tellUser: false } }, "Work went on."],
])("none, nor in the status line, where %s", async (_, config, summary) => {
	at.configure(config);
	smallCompaction();
	summarised(FIRST, summary);
	expect(await status(FIRST)).not.toMatch(/\d (?:lost|back)/);
	expect(line(preToolUse, CALL)).toBeNull();
});

test("the status line says it until the next prompt, and no longer than that turn", async () => {
	smallCompaction();
	summarised(FIRST, "Work went on.");
	expect(await status(FIRST)).toContain("2 back");
	line(preToolUse, CALL);
	at.send(stop, { prompt_id: FIRST });
	expect(await status(FIRST)).toContain("2 back");
	expect(await status(NEXT)).not.toMatch(/\d (?:lost|back)/);
	at.send(stop, { prompt_id: NEXT });
	expect(await status(FIRST)).not.toMatch(/\d (?:lost|back)/);
});

test("where Claude Code names no prompts: until the turn ends, or a prompt that comes first", async () => {
	for (const end of [() => at.send(stop), () => at.send(userPromptSubmit)]) {
		smallCompaction();
		at.send(postCompact, { trigger: "auto", compact_summary: "Work went on." });
		expect(await status()).toContain("2 back");
		end();
		expect(await status()).not.toMatch(/\d (?:lost|back)/);
		at.later(5);
	}
});
