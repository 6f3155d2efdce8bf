import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { readUsage } from "../../src/store/pressure/flags.ts";
import { markerState } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { type EventSession, eventSession } from "../kit/services.ts";

const usageOf = ({ stored }: EventSession) => ({ ...readUsage(stored), marker: markerState(stored) });

test("behind a boundary, before the next answer, the tokens are unknown again", () => {
	const at = eventSession();
	const transcript = new Transcript(at.project);
	transcript.usage(150_000).write(at.transcript);
	at.send(postToolBatch);
	transcript.boundary().summary().write(at.transcript);
	at.send(postToolBatch);
	expect(usageOf(at)).toMatchObject({ tokens: null, zone: "unknown" });
});

test("more tokens than a model's window prove its larger variant", () => {
	const line = JSON.stringify({
		type: "assistant",
		version: "2.1.329",
		message: { id: "m", model: "claude-opus-4-6", usage: { input_tokens: 300_000 }, content: [] },
	});
	const at = eventSession();
	writeFileSync(at.transcript, `${line}\n`);
	at.send(postToolBatch);
	expect(usageOf(at)).toMatchObject({ window: 1_000_000, zone: "calm", marker: "none" });
});

test.each([
	["2.1.8", "PostToolUse"],
	["2.1.9", "PreToolUse"],
])("on %s the nudge comes once, with %s", (version, speaker) => {
	const at = eventSession();
	new Transcript(at.project, new Date(), "claude-sonnet-4-6", version).usage(150_000).write(at.transcript);
	const fields = { hook_event_name: "PostToolUse" };
	const said = [postToolBatch, preToolUse, postToolBatch].map((handler) => at.send(handler, fields));
	const events = said.map((text) => text && JSON.parse(text).hookSpecificOutput.hookEventName);
	expect(events).toEqual(speaker === "PostToolUse" ? [speaker, null, null] : [null, speaker, null]);
	expect(said.join()).toContain("ccg nudge");
});
