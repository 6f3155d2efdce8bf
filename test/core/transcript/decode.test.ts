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
	return event.kind === "ended" ? `ended: ${event.id}, ${event.status}` : event.kind;
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

const attached = (attachment: object) => ({ type: "attachment", timestamp: AT, attachment });
const queued = (prompt: string, more: object = {}) => attached({ type: "queued_command", prompt, ...more });
const assistant = (message: object) => ({ type: "assistant", timestamp: AT, message: { content: [], ...message } });
const usage = { input_tokens: 5, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 9 };
const toolUse = { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } };
const result = { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "out" }], is_error: true };
const boundary = { type: "system", subtype: "compact_boundary", timestamp: AT, uuid: "u" };
const message = (text: string, source: string) => ({ kind: "message", at: AT, text, source });

test.each<[string, unknown, unknown[]]>([
	["a queued message, 2.1.329", queued("and this"), [message("and this", "queued")]],
	["a queued command of the client's", queued("/model opus", { commandMode: "prompt" }), []],
	[
		"one that was taken back",
		{ type: "queue-operation", operation: "popAll", timestamp: AT, content: "and this" },
		[{ kind: "taken back", at: AT, text: "and this" }],
	],
	[
		"what is said aside",
		userLine("count", { isSidechain: true, agentId: "a1" }),
		[{ kind: "aside", agent: "a1", events: [{ kind: "told", at: AT, by: "host", text: "count" }] }],
	],
	[
		"the place",
		userLine([], { cwd: "/p", gitBranch: "main", version: "2.1.329" }),
		[{ kind: "place", cwd: "/p", branch: "main", version: "2.1.329" }],
	],
	[
		"a tool's result, and what the user said when he allowed the call",
		userLine([result, { type: "text", text: "from the mirror" }], { toolUseResult: 1 }),
		[{ kind: "result", at: AT, id: "t1", failed: true, text: "out", detail: 1 }, message("from the mirror", "typed")],
	],
	[
		"an answer",
		assistant({ id: "m1", model: "opus", usage, content: [{ type: "text", text: "Yes." }, toolUse] }),
		[
			{
				...{ kind: "usage", messageId: "m1", model: "opus", tokens: 115, input: 5, output: 9 },
				...{ cacheCreation: 10, cacheRead: 100 },
			},
			{ kind: "said", at: AT, text: "Yes." },
			{ kind: "call", at: AT, id: "t", tool: "Bash", input: { command: "ls" } },
		],
	],
	["an API error's stand-in", assistant({ model: "<synthetic>", usage: { input_tokens: 4 } }), []],
	[
		"an API error, a limit",
		{ ...assistant({ model: "m", content: [{ type: "text", text: "You've hit it" }] }), isApiErrorMessage: true },
		[],
	],
	[
		"a boundary",
		{ ...boundary, compactMetadata: { trigger: "auto", preTokens: 9 } },
		[{ kind: "boundary", at: AT, uuid: "u", trigger: "auto", preTokens: 9 }],
	],
	[
		"a hook's context",
		attached({ type: "hook_additional_context", content: ["The branch is frozen."] }),
		[{ kind: "told", at: AT, by: "hook", text: "The branch is frozen." }],
	],
	["ccg's own", attached({ type: "hook_additional_context", content: ["ccg recovery 2026-11-21: it"] }), []],
])("decodes %s", (_, line, events) => {
	expect(decode(line)).toEqual(events);
});

test.each([
	[{ decision: "accept", source: "user_temporary", grantScope: "once" }, "once"],
	[{ decision: "accept", source: "user_permanent", grantScope: "project" }, "project"],
	[{ decision: "accept", source: "user_permanent", grantScope: "project", reasonType: "rule" }, undefined],
	[{ decision: "accept", source: "config", reasonType: "mode" }, undefined],
	[{ decision: "reject", source: "user_temporary" }, undefined],
	["accept", undefined],
])("who allowed a call: %j", (permissionDecision, granted) => {
	const [event] = decode(userLine([{ ...result, is_error: false }], { permissionDecision }));
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
