import { join } from "node:path";
import { expect, test } from "vitest";
import { decode } from "../../../src/core/transcript/decode.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { corpus } from "../../kit/corpus.ts";

const AT = "2026-11-21T02:00:00.000Z";
const CASES = corpus(join(import.meta.dirname, "decode.txt"));

/** A line of the user's; of a list each text is a block, `[image]` and `[document]` are pictures. */
function userLine(content: unknown, more: object = {}) {
	const blockOf = (text: string) =>
		/^\[(?:image|document)\]$/.test(text) ? { type: text.slice(1, -1) } : { type: "text", text };
	const given = typeof content === "string" && content.startsWith('["') ? JSON.parse(content).map(blockOf) : content;
	return { type: "user", timestamp: AT, message: { role: "user", content: given }, ...more };
}

/** An event in a few words. */
function shown(event: TranscriptEvent): string {
	if (event.kind === "message") return `${event.source}${event.waits ? ", waits" : ""}: ${event.text}`;
	if (event.kind === "told") return `${event.by}: ${event.text}`;
	if (event.kind === "ended") return `ended: ${event.id}, ${event.status}`;
	return JSON.stringify(event, (name, value) => (name === "at" ? undefined : value));
}
const decoded = (line: unknown): string => decode(line).map(shown).join("; ") || "nothing";

test.each(CASES["a line of today"]!)("%s", (row) => {
	const [content, events] = row.split(" => ");
	expect(decoded(userLine(content))).toBe(events!);
});

test.each(CASES["a line with fields"]!)("%s", (row) => {
	const [, fields, content, events] = /^(\{.*?\}) (.*) => (.*)$/.exec(row)!;
	expect(decoded(userLine(content, JSON.parse(fields!)))).toBe(events!);
});

test.each(CASES["a line of 2.0.30"]!)("%s", (row) => {
	const [content, events] = row.split(" => ");
	const said = decode(userLine(content, { version: "2.0.30" })).filter(({ kind }) => kind !== "told");
	expect(said.map(shown).join() || "nothing").toBe(events!);
});

test.each(CASES["put into the queue"]!)("put into the queue: %s", (row) => {
	const [content, events] = row.split(" => ");
	expect(decoded({ type: "queue-operation", operation: "enqueue", timestamp: AT, content })).toBe(events!);
});

test.each(CASES["another line"]!)("%s", (row) => {
	const [line, events] = row.split(" => ");
	const given = decode({ timestamp: AT, ...JSON.parse(line!) });
	for (const event of given) if ("at" in event) expect(event.at).toBe(AT);
	expect(given.map(shown).join("; ") || "nothing").toBe(events!);
});

test.each([
	[{ decision: "accept", source: "user_temporary", grantScope: "once" }, "once"],
	[{ decision: "accept", source: "user_permanent", grantScope: "project" }, "project"],
	[{ decision: "accept", source: "user_permanent", grantScope: "project", reasonType: "rule" }, undefined],
	[{ decision: "accept", source: "config", reasonType: "mode" }, undefined],
	[{ decision: "reject", source: "user_temporary" }, undefined],
	["accept", undefined],
])("who allowed a call: %j", (permissionDecision, granted) => {
	const result = { type: "tool_result", tool_use_id: "t", content: "ok" };
	const [event] = decode(userLine([result], { permissionDecision }));
	expect((event as { granted?: string }).granted).toBe(granted);
});

test("no text makes the reading slow", () => {
	const started = performance.now();
	for (const text of [
		`<command-name>${" ".repeat(200_000)}x`,
		`<task-notification><status>${" ".repeat(200_000)}x`,
		`</system-reminder>${"<system-reminder>".repeat(20_000)}`,
	])
		decode(userLine(text));
	expect(performance.now() - started).toBeLessThan(5_000);
});
