import { describe, expect, test } from "vitest";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { afterEvent, contextOf, sessionOf } from "../../kit/applied.ts";
import { at, call, enqueued, message, takenBack } from "../../kit/session-events.ts";

const AT = Date.parse(at) / 1000;

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
	test("user, assistant and tool, in their order, with time and tokens", () => {
		const { context } = sessionOf(
			message("Run the tests"),
			{ kind: "said", at, text: "I do." },
			call("Bash", { command: "npm test" }, "12 passed"),
			{ kind: "said", at, text: "They pass." },
		);
		const bash = "Bash npm test\nended: 12 passed";
		expect(context.recent_history).toEqual([
			{ timestamp: AT, role: "user", content: "Run the tests", token_count: 4, id: "1" },
			{ timestamp: AT, role: "assistant", content: "I do.", token_count: 2, id: "1" },
			{
				...{ timestamp: AT, role: "tool", tool: "Bash", failed: false, content: bash },
				...{ token_count: 8, id: "2" },
			},
			{ timestamp: AT, role: "assistant", content: "They pass.", token_count: 3, id: "2" },
		]);
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

test("facts: what the user directs, once, and answers; a queued message that was taken back leaves none, nor history", () => {
	const { facts, recent_history: history } = contextOf(
		message("Always use pnpm."),
		message("always  use PNPM."),
		call("AskUserQuestion", { questions: [{ question: "Tabs?" }] }, "x", false, { answers: { "Tabs?": "yes" } }),
		enqueued("Never use tabs. Always use pnpm."),
		takenBack("Never use tabs. Always use pnpm."),
	);
	expect(facts).toEqual(["Always use pnpm.", "Tabs? — yes"]);
	expect(history.filter(({ role }) => role === "user")).toHaveLength(2);
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
	test("a task keeps the time it was made and changes the time it changed", () => {
		const later = "2026-11-22T02:00:00.000Z";
		const first = sessionOf(todos(["a", "pending"], ["b", "pending"]));
		const again = todos(["b", "pending"], ["a", "completed"]).map((event) => ({ ...event, at: later }));
		const { active_tasks: tasks } = (again as TranscriptEvent[]).reduce(
			(sum, event) => afterEvent(sum, event),
			first,
		).context;
		expect(tasks).toMatchObject([
			{ description: "b", created_at: AT, updated_at: AT },
			{ description: "a", created_at: AT, updated_at: AT + 86_400, status: "Completed" },
		]);
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

test("approvals: what a person refused or allowed, once, with time and tool; what a rule denied is nobody's word", () => {
	const no = "The user doesn't want to proceed with this tool use.";
	const said = `${no} To tell you how to proceed, the user said:\nuse the script`;
	const [asked, granted] = call("Bash", { command: "git push" });
	const { approvals } = contextOf(
		call("Bash", { command: "rm -rf dist" }, said, true),
		call("Write", { file_path: "/etc/x" }, "Permission to use Write has been denied.", true),
		asked!,
		{ ...(granted as TranscriptEvent & { kind: "result" }), granted: "session" },
	);
	expect(approvals).toMatchObject([
		{ timestamp: AT, kind: "rejected", tool: "Bash", words: "use the script" },
		{ kind: "allowed", tool: "Bash", subject: "Bash git push", words: "session" },
	]);
});
