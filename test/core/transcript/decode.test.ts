import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeLine } from "../../../src/core/transcript/decode.ts";
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

/** The line that a case of a section stands for. */
const LINES: Record<string, (content: string) => unknown> = {
	"a line of today": userLine,
	"a line with fields": (row) => {
		const [, fields, content] = /^(\{.*?\}) (.*)$/.exec(row)!;
		return userLine(content, JSON.parse(fields!));
	},
	"a line of 2.0.30": (content) => userLine(content, { version: "2.0.30" }),
	"put into the queue": (content) => ({ type: "queue-operation", operation: "enqueue", timestamp: AT, content }),
	"another line": (line) => ({ timestamp: AT, ...JSON.parse(line) }),
};

describe.each(Object.entries(LINES))("%s", (section, lineOf) => {
	test.each(CASES[section]!)("%s", (row) => {
		const [content, expected] = row.split(" => ");
		const events = decodeLine(lineOf(content!));
		for (const event of events) if ("at" in event) expect(event.at).toBe(AT);
		const shownOf = events.filter(({ kind }) => section !== "a line of 2.0.30" || kind !== "told").map(shown);
		expect(shownOf.join("; ") || "nothing").toBe(expected!);
	});
});

test.each(CASES["who allowed a call"]!)("who allowed a call: %s", (row) => {
	const [permissionDecision, granted] = row.split(" => ");
	const result = { type: "tool_result", tool_use_id: "t", content: "ok" };
	const [event] = decodeLine(userLine([result], { permissionDecision: JSON.parse(permissionDecision!) }));
	expect((event as { granted?: string }).granted ?? "nobody").toBe(granted!);
});

test("no text makes the reading slow", () => {
	const started = performance.now();
	for (const text of [
		`<command-name>${" ".repeat(200_000)}x`,
		`<task-notification><status>${" ".repeat(200_000)}x`,
		`</system-reminder>${"<system-reminder>".repeat(20_000)}`,
	])
		decodeLine(userLine(text));
	expect(performance.now() - started).toBeLessThan(5_000);
});
