import { expect, test } from "vitest";
import { decode } from "../../../src/core/transcript/decode.ts";

const AT = "2026-11-21T02:00:00.000Z";
const by = (by: string, text: string) => ({ kind: "told", at: AT, by, text });
const user = (content: unknown, more: object = {}) => ({
	type: "user",
	timestamp: AT,
	message: { role: "user", content },
	...more,
});
const said = (text: string, source = "typed") => [{ kind: "message", at: AT, text, source }];
const texts = (...parts: string[]) => parts.map((text) => ({ type: "text", text }));
const queue = (operation: string, content?: string) => ({ type: "queue-operation", operation, timestamp: AT, content });
const attached = (prompt: unknown, more: object = {}) => ({
	type: "attachment",
	timestamp: AT,
	attachment: { type: "queued_command", prompt, ...more },
});
const IMAGE = { type: "image", source: {} };
const assistant = (message: object) => ({ type: "assistant", timestamp: AT, message: { content: [], ...message } });
const enqueued = (text: string) => [{ kind: "message", at: AT, text, source: "queued", waits: true }];

test.each<[string, unknown, unknown[]]>([
	["a typed message", user("Fix it"), said("Fix it")],
	["text blocks", user(texts("Fix", "it")), said("Fix\nit")],
	["text beside an image", user([IMAGE, ...texts("see this")]), said("[image]\nsee this")],
	["an image that the words name", user([...texts("What is [Image #1]?"), IMAGE]), said("What is [Image #1]?")],
	["a reminder of the machine's in front", user("<system-reminder>x</system-reminder>\nFix it"), said("Fix it")],
	[
		"a slash command with arguments",
		user(
			"<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>this branch</command-args>",
		),
		said("/review this branch", "command"),
	],
	["a slash command without", user("<command-name>/exit</command-name><command-args></command-args>"), []],
	["a shell command typed", user("<bash-input>make</bash-input>"), said("! make", "command")],
	["a queued message, 2.0 to 2.1", queue("enqueue", "and this"), enqueued("and this")],
	["the same, taken back", queue("popAll", "and this"), [{ kind: "taken back", at: AT, text: "and this" }]],
	["the same, 2.1.118", attached("/model opus", { commandMode: "prompt" }), []],
	["a queued command of the user's", queue("enqueue", "/review 12"), enqueued("/review 12")],
	["a queued message, 2.1.329", attached("and this"), said("and this", "queued")],
	["a queued notification", queue("enqueue", "<task-notification>"), []],
	["a queued entry of the client's", queue("enqueue", '{"task_id":"b1","status":"completed"}'), []],
	["a tag of the user's", user("<Button> must never be disabled"), said("<Button> must never be disabled")],
	["/compact", user("<command-name>/compact</command-name><command-args>keep x</command-args>"), []],
	["an interruption", user(texts("[Request interrupted by user]")), []],
	[
		"a meta message",
		user("Base directory for this skill", { isMeta: true }),
		[by("host", "Base directory for this skill")],
	],
	[
		"a subagent's message as what is said aside",
		user("count", { isSidechain: true, agentId: "a1" }),
		[{ kind: "aside", agent: "a1", events: [{ kind: "told", at: AT, by: "host", text: "count" }] }],
	],
	["a summary", user("This session is being continued", { isCompactSummary: true }), []],
	[
		"the place",
		user([], { cwd: "/p", gitBranch: "main", version: "2.1.329" }),
		[{ kind: "place", cwd: "/p", branch: "main", version: "2.1.329" }],
	],
	[
		"a tool result, and what the user said when he allowed the call",
		user(
			[
				{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "out" }], is_error: true },
				{ type: "text", text: "from the mirror" },
			],
			{ toolUseResult: 1 },
		),
		[{ kind: "result", at: AT, id: "t1", failed: true, text: "out", detail: 1 }, ...said("from the mirror")],
	],
	[
		"an answer",
		assistant({
			id: "m1",
			model: "opus",
			usage: { input_tokens: 5, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 9 },
			content: [...texts("Yes."), { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }],
		}),
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
		{
			...assistant({ model: "m", content: [{ type: "text", text: "You've hit your limit" }] }),
			isApiErrorMessage: true,
		},
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
		[{ kind: "boundary", at: AT, uuid: "u", trigger: "auto", preTokens: 9 }],
	],
])("decodes %s", (_, line, events) => {
	expect(decode(line)).toEqual(events);
});

const CAVEAT = "Caveat: The messages below were generated by the user while running local commands. DO NOT respond";
test.each<[unknown, unknown[]]>([
	[CAVEAT, []],
	[texts(CAVEAT, "<local-command-stdout>Set model</local-command-stdout>", "Fix the parser"), said("Fix the parser")],
	["[Request interrupted by user]\nFix the parser", said("Fix the parser")],
	[texts("[Request interrupted by user for tool use]", "Fix the parser"), said("Fix the parser")],
	["This session is being continued from a previous conversation that ran out of context.", []],
	["This session is being continued from another machine. Application state may have changed.", []],
	["<local-command-stdout>Compacted</local-command-stdout>", []],
	[texts("<system-reminder>Never push.</system-reminder>", "Fix it"), said("Fix it")],
	['<mcp-resource server="x">Never push.</mcp-resource>', []],
	["Unknown skill: reviw", []],
	["<bash-notification><shell-id>b1</shell-id></bash-notification>", []],
	["/rate-limit-options", []],
	["/ccgx it", said("/ccgx it")],
	["<command-message>review</command-message>\n<command-name>/review</command-name>", said("/review", "command")],
	["<command-name>/cost</command-name>\n<command-message>cost</command-message>\n<command-args></command-args>", []],
	['It says 《AI…》, and `a "b"`', said('It says 《AI…》, and `a "b"`')],
	["This slash command can only be invoked by Claude, not directly by users. Ask Claude to run /x for you.", []],
	['The user has expressed a desire to invoke the agent "reviewer". Please invoke it.', []],
	["Your tool call was malformed and could not be parsed. Please retry.", []],
	["Explanatory output style is active. Remember to follow the specific guidelines for this style.", []],
	["No response requested.", []],
	["No response requested. Just push.", said("No response requested. Just push.")],
])("notices of old versions: %j", (content, events) => {
	const line = user(content, { version: "2.0.30" });
	expect(decode(line).filter(({ kind }) => kind !== "place" && kind !== "told")).toEqual(events);
});

test.each<[string, object, object[]]>([
	["<local-command-stdout>Set model</local-command-stdout>", {}, [{ by: "output" }]],
	["<bash-stdout>3 files</bash-stdout><bash-stderr></bash-stderr>", { version: "2.1.329" }, [{ by: "output" }]],
	["<task-notification><task-id>b1</task-id><status>killed</status></task-notification>", {}, [{ by: "notification" }]],
	['<teammate-message teammate_id="ada">Done.</teammate-message>', { turnOrigin: "peer" }, [{ by: "teammate" }]],
	["<user-prompt-submit-hook>lint first</user-prompt-submit-hook>", {}, [{ by: "hook" }]],
	["Stop hook feedback: run the tests", { isMeta: true }, [{ by: "hook" }]],
	["<command-name>/exit</command-name>", { isMeta: true }, []],
	["Good morning, the nightly run", { turnOrigin: "scheduled" }, [{ by: "host" }]],
])("what no person typed is told as whose it is: %j", (content, fields, expected) => {
	const events = decode(user(content, fields)).filter(({ kind }) => kind === "told");
	expect(events).toMatchObject(expected.map((one) => ({ ...one, kind: "told", text: content })));
});

test("a hook's context is told, ccg's own is not", () => {
	const attached = (text: string) => ({
		type: "attachment",
		attachment: { type: "hook_additional_context", content: [text] },
	});
	expect(decode(attached("The branch is frozen."))).toMatchObject([{ kind: "told", by: "hook" }]);
	expect(decode(attached("ccg recovery 2026-11-21: this session"))).toEqual([]);
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
	const result = { kind: "result", at: "", id: "t", failed: false, text: "ok", detail: undefined };
	expect({ ...event }).toEqual({ ...result, ...expected });
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
