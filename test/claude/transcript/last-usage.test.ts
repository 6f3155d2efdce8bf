import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastUsage } from "../../../src/claude/transcript/compactions.ts";
import { linesText } from "../../kit/events.ts";
import { scratch } from "../../scratch-home.ts";

const path = join(scratch("usage"), "t.jsonl");

const AT = "2026-11-21T02:00:00.000Z";
const user = (content: unknown, more: object = {}) => ({
	type: "user",
	timestamp: AT,
	message: { role: "user", content },
	...more,
});

const answer = (tokens: number, more: object = {}) =>
	JSON.stringify({
		type: "assistant",
		version: "2.1.329",
		message: { id: "m", model: "claude-opus-5-5", usage: { input_tokens: tokens }, content: [] },
		...more,
	});
const boundary = JSON.stringify({ type: "system", subtype: "compact_boundary", uuid: "u" });

test.each<[string, string[], unknown]>([
	["the last answer counts", [answer(10), answer(20)], { tokens: 20, model: "claude-opus-5-5", version: "2.1.329" }],
	["a subagent's does not", [answer(10), answer(99, { isSidechain: true })], { tokens: 10 }],
	["behind a boundary nothing is known", [answer(90_000), boundary], { tokens: null, model: null, version: null }],
	["after the boundary", [answer(90_000), boundary, answer(5_000)], { tokens: 5_000 }],
	["broken lines are passed over", [answer(10), '{"usage"', "", "null"], { tokens: 10 }],
	["far from the end", [answer(10), JSON.stringify(user("x".repeat(3_000_000)))], { tokens: 10 }],
	[
		"a word in a text is no boundary",
		[answer(10), JSON.stringify(user("what is a compact_boundary?"))],
		{ tokens: 10 },
	],
])("usage in the tail: %s", (_, lines, expected) => {
	writeFileSync(path, linesText(lines));
	expect(lastUsage(path)).toMatchObject(expected as object);
});

test("a tail without answers says nothing", () => {
	for (const text of [`${JSON.stringify(user("hello"))}\n`, ""]) {
		writeFileSync(path, text);
		expect(lastUsage(path)).toBeNull();
	}
});
