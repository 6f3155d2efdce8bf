import fc from "fast-check";
import { expect, test } from "vitest";
import { decode } from "../../../src/core/transcript/decode.ts";

const AT = "2026-11-21T02:00:00.000Z";
const user = (content: unknown, more: object = {}) => ({
	type: "user",
	timestamp: AT,
	message: { role: "user", content },
	...more,
});
const said = (text: string, source = "typed") => [{ kind: "message", at: AT, text, source }];
const enqueued = (text: string) => [{ kind: "message", at: AT, text, source: "queued", waits: true }];

test.each<[string, unknown, unknown[]]>([
	["a typed message", user("Fix it"), said("Fix it")],
	[
		"text blocks",
		user([
			{ type: "text", text: "Fix" },
			{ type: "text", text: "it" },
		]),
		said("Fix\nit"),
	],
	[
		"text beside an image",
		user([
			{ type: "image", source: {} },
			{ type: "text", text: "see this" },
		]),
		said("[image]\nsee this"),
	],
	["an image alone", user([{ type: "image", source: {} }]), said("[image]")],
	[
		"an image that the words name",
		user([
			{ type: "text", text: "What is [Image #1]?" },
			{ type: "image", source: {} },
		]),
		said("What is [Image #1]?"),
	],
	[
		"a queued message with an image",
		{
			type: "attachment",
			timestamp: AT,
			attachment: { type: "queued_command", prompt: [{ type: "image" }, { type: "text", text: "and this" }] },
		},
		said("[image]\nand this", "queued"),
	],
	["a reminder of the machine's in front", user("<system-reminder>x</system-reminder>\nFix it"), said("Fix it")],
	[
		"a slash command with arguments",
		user("<command-name>/review</command-name>\n<command-args>this branch</command-args>"),
		said("/review this branch", "command"),
	],
	["a slash command without", user("<command-name>/exit</command-name><command-args></command-args>"), []],
	["a shell command typed", user("<bash-input>make</bash-input>"), said("! make", "command")],
	[
		"a queued message, 2.0 to 2.1",
		{ type: "queue-operation", operation: "enqueue", timestamp: AT, content: "and this" },
		enqueued("and this"),
	],
	[
		"a queued message taken back",
		{ type: "queue-operation", operation: "popAll", timestamp: AT, content: "and this" },
		[{ kind: "taken back", at: AT, text: "and this" }],
	],
	["a queued command of the host's", { type: "queue-operation", operation: "enqueue", content: "/compact keep x" }, []],
	[
		"the same, 2.1.118",
		{ type: "attachment", attachment: { type: "queued_command", prompt: "/model opus", commandMode: "prompt" } },
		[],
	],
	["the same, bare", { type: "queue-operation", operation: "enqueue", content: "/rewind" }, []],
	[
		"a queued command of the user's",
		{ type: "queue-operation", operation: "enqueue", timestamp: AT, content: "/review 12" },
		enqueued("/review 12"),
	],
	["a queue removal", { type: "queue-operation", operation: "remove", timestamp: AT }, []],
	[
		"a queued message, 2.1.329",
		{ type: "attachment", timestamp: AT, attachment: { type: "queued_command", prompt: "and this" } },
		said("and this", "queued"),
	],
	[
		"a queued notification",
		{ type: "queue-operation", operation: "enqueue", timestamp: AT, content: "<task-notification>" },
		[],
	],
	[
		"a message that begins with a tag of the user's",
		user("<Button> must never be disabled"),
		said("<Button> must never be disabled"),
	],
	[
		"a compaction asked for by hand",
		user("<command-name>/compact</command-name><command-args>keep x</command-args>"),
		[],
	],
	["a hook's message", user("<user-prompt-submit-hook>x</user-prompt-submit-hook>"), []],
	["command output", user("<local-command-stdout>ok</local-command-stdout>"), []],
	[
		"an interruption",
		user([{ type: "text", text: "[Request interrupted by user]" }]),
		[{ kind: "interrupted", at: AT }],
	],
	["a meta message", user("Base directory for this skill", { isMeta: true }), []],
	["a subagent's message", user("count", { isSidechain: true }), []],
	["a summary", user("This session is being continued", { isCompactSummary: true }), []],
	["another hook's line", { type: "attachment", attachment: { type: "hook_success", stdout: "x" } }, []],
	[
		"the place",
		user([], { cwd: "/p", gitBranch: "main", version: "2.1.329" }),
		[{ kind: "place", cwd: "/p", branch: "main", version: "2.1.329" }],
	],
	[
		"a tool result, not the text beside it",
		user(
			[
				{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "out" }], is_error: true },
				{ type: "text", text: "machine" },
			],
			{ toolUseResult: 1 },
		),
		[{ kind: "result", at: AT, id: "t1", failed: true, text: "out", detail: 1, beside: true }],
	],
	[
		"a tool result of a version that signs what a person said",
		user(
			[
				{ type: "tool_result", tool_use_id: "t1", content: "out" },
				{ type: "text", text: "machine" },
			],
			{ toolUseResult: 1, version: "2.1.329" },
		),
		[{ kind: "result", at: AT, id: "t1", failed: false, text: "out", detail: 1 }],
	],
	[
		"an answer",
		{
			type: "assistant",
			timestamp: AT,
			message: {
				id: "m1",
				model: "claude-opus-5-5",
				usage: { input_tokens: 5, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 9 },
				content: [
					{ type: "thinking", thinking: "" },
					{ type: "text", text: "Yes." },
					{ type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } },
				],
			},
		},
		[
			{
				kind: "usage",
				messageId: "m1",
				model: "claude-opus-5-5",
				tokens: 115,
				input: 5,
				output: 9,
				cacheCreation: 10,
				cacheRead: 100,
			},
			{ kind: "said", at: AT, text: "Yes." },
			{ kind: "call", at: AT, id: "t", tool: "Bash", input: { command: "ls" } },
		],
	],
	[
		"an API error's stand-in",
		{ type: "assistant", message: { model: "<synthetic>", usage: { input_tokens: 4 }, content: [] } },
		[],
	],
	[
		"an answer without numbers",
		{ type: "assistant", message: { model: "m", usage: { input_tokens: 0 }, content: [] } },
		[],
	],
	[
		"a boundary",
		{
			type: "system",
			subtype: "compact_boundary",
			timestamp: AT,
			uuid: "u",
			compactMetadata: { trigger: "auto", preTokens: 9 },
		},
		[{ kind: "boundary", at: AT, uuid: "u", trigger: "auto", preTokens: 9, postTokens: null }],
	],
	[
		"a boundary without numbers",
		{ type: "system", subtype: "compact_boundary" },
		[{ kind: "boundary", at: "", uuid: "", trigger: "", preTokens: null, postTokens: null }],
	],
	["a microcompaction", { type: "system", subtype: "microcompact_boundary" }, []],
])("decodes %s", (_, line, events) => {
	expect(decode(line)).toEqual(events);
});

const CAVEAT = "Caveat: The messages below were generated by the user while running local commands. DO NOT respond";
const texts = (...parts: string[]) => parts.map((text) => ({ type: "text", text }));
const stopped = { kind: "interrupted", at: AT };
test.each<[unknown, unknown[]]>([
	[CAVEAT, []],
	[texts(CAVEAT, "<local-command-stdout>Set model</local-command-stdout>", "Fix the parser"), said("Fix the parser")],
	["[Request interrupted by user]\nFix the parser", [stopped, ...said("Fix the parser")]],
	[texts("[Request interrupted by user for tool use]", "Fix the parser"), [stopped, ...said("Fix the parser")]],
	["This session is being continued from a previous conversation that ran out of context.", []],
	["This session is being continued from another machine. Application state may have changed.", []],
	["<local-command-stdout>Compacted</local-command-stdout>", []],
	[texts("<system-reminder>Never push.</system-reminder>", "Fix it"), said("Fix it")],
	['<mcp-resource server="x">Never push.</mcp-resource>', []],
	["This slash command can only be invoked by Claude, not directly by users. Ask Claude to run /x for you.", []],
	['The user has expressed a desire to invoke the agent "reviewer". Please invoke it.', []],
	["Your tool call was malformed and could not be parsed. Please retry.", []],
	["Explanatory output style is active. Remember to follow the specific guidelines for this style.", []],
	["No response requested.", []],
	["No response requested. Just push.", said("No response requested. Just push.")],
])("notices of old versions: %j", (content, events) => {
	const line = user(content, { version: "2.0.30" });
	expect(decode(line).filter(({ kind }) => kind !== "place")).toEqual(events);
});

test.each([
	[{ decision: "accept", source: "user_temporary", grantScope: "once" }, { granted: "once" }],
	[{ decision: "accept", source: "user_permanent", grantScope: "project" }, { granted: "project" }],
	[{ decision: "accept", source: "user_permanent", grantScope: "project", reasonType: "rule" }, {}],
	[{ decision: "accept", source: "config", reasonType: "mode" }, {}],
	[{ decision: "reject", source: "user_temporary" }, {}],
	["accept", {}],
])("who allowed a call: %j", (permissionDecision, expected) => {
	const content = [{ type: "tool_result", tool_use_id: "t", content: "ok" }];
	const [event] = decode({ type: "user", message: { role: "user", content }, permissionDecision });
	expect({ ...event }).toEqual({
		kind: "result",
		at: "",
		id: "t",
		failed: false,
		text: "ok",
		detail: undefined,
		...expected,
	});
});

test("no text makes the reading slow", () => {
	const started = performance.now();
	for (const text of [
		`<command-name>${" ".repeat(200_000)}x`,
		`<task-notification><status>${" ".repeat(200_000)}x`,
		`<task-notification><task-id>${" ".repeat(200_000)}x`,
		"<system-reminder>".repeat(20_000),
		`</system-reminder>${"<system-reminder>".repeat(20_000)}`,
	])
		decode({ type: "user", message: { role: "user", content: text } });
	expect(performance.now() - started).toBeLessThan(5_000);
});

test("survives anything", () => {
	const shape = fc.letrec((tie) => ({
		value: fc.oneof(
			{ maxDepth: 4 },
			fc.jsonValue(),
			fc.record(
				{
					type: fc.constantFrom("user", "assistant", "system", "attachment", "queue-operation", "x"),
					subtype: fc.constant("compact_boundary"),
					message: tie("value"),
					content: tie("value"),
					attachment: tie("value"),
					usage: tie("value"),
					input: tie("value"),
					compactMetadata: tie("value"),
				},
				{ requiredKeys: [] },
			),
		),
	}));
	fc.assert(
		fc.property(shape.value, (value) => Array.isArray(decode(value))),
		{ numRuns: 2_000 },
	);
});
