import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { afterEvent, afterLines, begun, contextOf, type Seen, sessionOf } from "../../kit/applied.ts";
import { at, call, enqueued, message, takenBack } from "../../kit/session-events.ts";

const AT = Date.parse(at) / 1000;

const given = (text: string): TranscriptEvent => ({ kind: "message", at, text, source: "queued" });

const usage = (messageId: string, output: number, model = "opus"): TranscriptEvent => ({
	kind: "usage",
	messageId,
	model,
	tokens: 110,
	input: 10,
	output,
	cacheCreation: 0,
	cacheRead: 100,
});
describe("history", () => {
	test("user, assistant and tool, with time, tokens and the event log's id", () => {
		const { context, records } = sessionOf(
			message("Run the tests"),
			{ kind: "said", at, text: "I do." },
			call("Bash", { command: "npm test" }, "12 passed"),
		);
		expect(context.recent_history).toEqual([
			{ timestamp: AT, role: "user", content: "Run the tests", token_count: 4, id: "u0.0" },
			{ timestamp: AT, role: "assistant", content: "I do.", token_count: 2, id: "u1.0" },
			{ timestamp: AT, role: "tool", content: "Bash npm test\n-> 12 passed", token_count: 7, id: "u3.0", tool: "Bash" },
		]);
		expect(records.map(({ kind, id, pos }) => [kind, id, pos])).toEqual([
			["message", "u0.0", 0],
			["message", "u1.0", 10],
			["message", "u3.0", 30],
		]);
	});
	test("a long text is cut in the context and counted whole; the event log holds at least as much", () => {
		const { context, records } = sessionOf(message("x".repeat(7_000)));
		expect(context.recent_history[0]!.content.length).toBeLessThan(2_100);
		expect(context.recent_history[0]!.token_count).toBe(1_750);
		expect(records[0]).toMatchObject({ text: "x".repeat(7_000) });
	});
	test("a message that was queued and then typed counts once, also over two readings; typed twice it counts twice", () => {
		const queued: TranscriptEvent = { kind: "message", at, text: "and this", source: "queued" };
		const once = sessionOf(queued, queued, message("and  this"));
		expect(once.context.recent_history.map(({ content }) => content)).toEqual(["and this"]);
		expect(once.records).toHaveLength(1);
		expect(afterEvent(sessionOf(queued), message("and this")).context.recent_history).toHaveLength(1);
		expect(afterEvent(once, message("and this")).context.recent_history).toHaveLength(2);
	});
	test("secrets are out, in the context and in the event log", () => {
		const key = `sk-ant-${"a1".repeat(20)}`;
		const made = sessionOf(message(`use ${key}`), call("Bash", { command: `curl -H 'x-api-key: ${key}'` }, key, true), {
			kind: "said",
			at,
			text: key,
		});
		expect(JSON.stringify(made)).not.toContain(key);
		expect(JSON.stringify(made)).toContain("[REDACTED");
	});
});

test("tool statistics: total, by tool, failures; a tool called __proto__ is one like others", () => {
	const { tool_stats: stats } = contextOf(
		call("Bash", { command: "a" }),
		call("Bash", { command: "b" }, "no", true),
		call("__proto__", {}),
		call("constructor", {}),
	);
	expect(stats.total_calls).toBe(4);
	expect(stats.failures).toBe(1);
	expect(Object.entries(stats.by_tool)).toEqual([
		["Bash", 2],
		["__proto__", 1],
		["constructor", 1],
	]);
});

describe("tokens", () => {
	test("a message of several lines counts once, with its last count, also with others in between", () => {
		const { token_usage: used } = contextOf(usage("m1", 1), usage("m1", 1), usage("m2", 5), usage("m1", 90));
		expect(used).toEqual({
			opus: { messages: 2, input_tokens: 20, output_tokens: 95, cache_creation_tokens: 0, cache_read_tokens: 200 },
		});
	});
	test("by model, and over two readings", () => {
		const first = sessionOf(usage("m1", 1));
		const second = afterEvent(afterEvent(first, usage("m1", 7)), usage("m2", 3, "haiku")).context;
		expect(second.token_usage.opus).toMatchObject({ messages: 1, output_tokens: 7 });
		expect(second.token_usage.haiku).toMatchObject({ messages: 1, output_tokens: 3 });
	});
});

describe("facts", () => {
	test("what the user directs, once; answers; notes that were saved", () => {
		const { facts } = contextOf(
			message("Never push to main.\nHi there."),
			message("never  push to MAIN."),
			call("Bash", { command: "/opt/ccg/bin/ccg memory save --target log 'tests need node 20'" }),
			call("AskUserQuestion", { questions: [{ question: "Tabs?" }] }, "x", false, { answers: { "Tabs?": "yes" } }),
		);
		expect(facts).toEqual(["Never push to main.", "tests need node 20", "Tabs? — yes"]);
	});
});

test("a queued message that was taken back leaves no history and no fact", () => {
	const { facts, recent_history: history } = contextOf(
		message("Always use pnpm."),
		enqueued("Never use tabs. Always use pnpm."),
		takenBack("Never use tabs. Always use pnpm."),
	);
	expect(facts).toEqual(["Always use pnpm."]);
	expect(history.map(({ content }) => content)).toEqual(["Always use pnpm."]);
});

test.each<[string, TranscriptEvent[]]>([
	["given in the middle of a turn", [enqueued("Never push."), given("Never push.")]],
	["given as a turn of its own", [enqueued("Never push."), message("Never push.")]],
	["given unseen, as up to 2.1.39", [enqueued("Never push.")]],
])("%s, queued again and taken back, a message stays, with its facts", (_, events) => {
	const { context, records } = sessionOf(events, enqueued("Never push."), takenBack("Never push."));
	expect(context.recent_history.map(({ content }) => content)).toEqual(["Never push."]);
	expect(context.facts).toEqual(["Never push."]);
	expect(records.map(({ kind }) => kind)).toEqual(["message"]);
});

describe("tasks and plan", () => {
	const todos = (...list: [string, string][]) =>
		call("TodoWrite", { todos: list.map(([content, status]) => ({ content, status })) });
	test("TodoWrite: status, progress and times; the steps of the plan follow", () => {
		const context = contextOf(
			message("Build it"),
			todos(["parse", "completed"], ["print", "in_progress"], ["test", "pending"]),
		);
		expect(context.active_tasks.map(({ description, status, progress }) => [description, status, progress])).toEqual([
			["parse", "Completed", 1],
			["print", "Running", 0.5],
			["test", "Pending", 0],
		]);
		expect(context.current_plan).toMatchObject({ goal: "Build it", current_step: 1, status: "InProgress" });
		expect(context.current_plan!.steps.map(({ status }) => status)).toEqual(["Completed", "InProgress", "Pending"]);
	});
	test("a list that was not taken changes neither tasks nor plan", () => {
		const before = sessionOf(todos(["a", "completed"], ["b", "pending"]));
		const failed = call("TodoWrite", { todos: [{ content: "x", status: "pending" }] }, "InputValidationError", true);
		const after = failed.reduce((sum, event) => afterEvent(sum, event), before);
		expect(after.context.active_tasks).toEqual(before.context.active_tasks);
		expect(after.context.current_plan).toEqual(before.context.current_plan);
	});
	test("a task keeps the time it was made and changes the time it changed", () => {
		const later = "2026-11-22T02:00:00.000Z";
		const first = sessionOf(todos(["a", "pending"], ["b", "pending"]));
		const [event] = todos(["b", "pending"], ["a", "completed"]);
		const { active_tasks: tasks } = afterEvent(first, { ...event!, at: later } as TranscriptEvent).context;
		expect(tasks).toMatchObject([
			{ description: "b", created_at: AT, updated_at: AT },
			{ description: "a", created_at: AT, updated_at: AT + 86_400, status: "Completed" },
		]);
	});
	test("TaskCreate and TaskUpdate, also in a later reading", () => {
		const first = sessionOf(
			call("TaskCreate", { subject: "Write docs" }, "Task #7 created", false, { task: { id: "7" } }),
		);
		const second = call("TaskUpdate", { taskId: "7", status: "completed" }).reduce(
			(sum, event) => afterEvent(sum, event),
			first,
		);
		expect(second.context.active_tasks).toMatchObject([{ id: "7", description: "Write docs", status: "Completed" }]);
		expect(second.context.current_plan).toMatchObject({ status: "Completed", current_step: 1 });
	});
	test("a plan: its steps until there are tasks, then the tasks; approved when the user says so", () => {
		const plan = "# Faster parser\n1. Measure\n2. Rewrite\n\nNotes.";
		const proposed = contextOf(
			call(
				"ExitPlanMode",
				{ plan, planFilePath: "/p.md" },
				"The user doesn't want to proceed with this tool use.",
				true,
			),
		);
		expect(proposed.current_plan).toMatchObject({ goal: "Faster parser", status: "Proposed", path: "/p.md" });
		expect(proposed.approvals).toMatchObject([{ kind: "plan rejected", tool: "ExitPlanMode" }]);
		const approved = sessionOf(call("ExitPlanMode", { plan }, "User has approved your plan."));
		expect(approved.context.current_plan).toMatchObject({ status: "Approved" });
		const done = todos(["Measure", "completed"], ["Write it anew", "pending"]).reduce(
			(sum, event) => afterEvent(sum, event),
			approved,
		);
		expect(done.context.current_plan!.steps).toMatchObject([
			{ description: "Measure", status: "Completed" },
			{ description: "Write it anew", status: "Pending" },
		]);
	});
});

test("what a person refused, with time and tool; what a rule denied is nobody's word", () => {
	const no =
		"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse the script";
	const { approvals } = contextOf(
		call("Bash", { command: "rm -rf dist" }, no, true),
		call("Write", { file_path: "/etc/x" }, "Permission to use Write has been denied.", true),
	);
	expect(approvals).toMatchObject([{ timestamp: AT, kind: "rejected", tool: "Bash", words: "use the script" }]);
});

test("the user stopped the agent: told, but not twice for a rejected call", () => {
	const stopped: TranscriptEvent = { kind: "interrupted", at };
	const open: TranscriptEvent = { kind: "call", at, id: "o", tool: "Bash", input: { command: "make" } };
	expect(contextOf(open, stopped).approvals).toMatchObject([
		{ kind: "interrupted", tool: "Bash", subject: "Bash make" },
	]);
	const no = call("Bash", { command: "x" }, "The user doesn't want to proceed with this tool use.", true);
	expect(contextOf(no, stopped).approvals).toMatchObject([{ kind: "rejected" }]);
});

test("in one go or event by event: the same context", () => {
	const event: fc.Arbitrary<TranscriptEvent[]> = fc.oneof(
		fc.string({ maxLength: 60 }).map((text) => [message(text)]),
		fc
			.tuple(
				fc.constantFrom("Bash", "Edit", "TodoWrite", "TaskCreate", "ExitPlanMode"),
				fc.dictionary(fc.constantFrom("command", "plan", "todos", "subject"), fc.jsonValue()),
				fc.string(),
				fc.boolean(),
				fc.jsonValue(),
			)
			.map(([tool, input, text, failed, detail]) => call(tool, input, text, failed, detail)),
		fc.tuple(fc.constantFrom("m1", "m2", ""), fc.nat(99)).map(([id, out]) => [usage(id, out)]),
		fc.constant<TranscriptEvent[]>([
			{ kind: "boundary", at: "", uuid: "", trigger: "", preTokens: null, postTokens: null },
		]),
	);
	fc.assert(
		fc.property(fc.array(event, { maxLength: 25 }), (groups) => {
			const lines = groups.flat().map((one, n) => ({ pos: n, uuid: `u${n}`, events: [one] }));
			const start = begun("s", AT);
			const stepwise = lines.reduce<Seen>((sum, line) => afterLines(sum, [line]), start);
			expect(stepwise.snapshot).toEqual(afterLines(start, lines).snapshot);
			expect(start).toEqual(begun("s", AT));
		}),
		{ numRuns: 200 },
	);
});
