import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { corpus } from "../../kit/corpus.ts";
import { at, call, stateOf } from "../../kit/session-events.ts";

const bash = (command: string, text = "ok", failed = false) => call("Bash", { command }, text, failed);
const said = (text: string): TranscriptEvent => ({ kind: "said", at, text });

test("a call is kept with how it ended and the last lines of what it gave; who only looked left nothing behind", () => {
	const started = call(
		"Bash",
		{ command: "npm test", run_in_background: true },
		"Command running in background with ID: b1.",
	);
	const state = stateOf(
		bash("npm test", "Exit code 1\n\na\n\nb\nc\n", true),
		bash("ls", "(Bash completed with no output)"),
		call("WebFetch", { url: "https://a.example" }, "<tool_use_error>no route</tool_use_error>", true),
		call("Read", { file_path: "/p/a" }, "text"),
		call("mcp__acp__Edit", { file_path: "/p/a", old_string: "a", new_string: "b" }, "updated"),
		started,
		bash("npm test", "The user doesn't want to proceed with this tool use.", true),
	);
	expect(state.calls).toMatchObject([
		{ tool: "Bash", subject: "npm test", outcome: "exit code 1", output: "a\nb\nc" },
		{ subject: "ls", outcome: "ended" },
		{ tool: "WebFetch", subject: "https://a.example", outcome: "failed", output: "no route" },
		{ tool: "mcp__acp__Edit", subject: "/p/a", outcome: "ended" },
		{ subject: "npm test", begun: true },
	]);
	expect(state.calls[1]).not.toHaveProperty("output");
	const { output } = stateOf(bash("x", `${"a ".repeat(5_000)}ERROR: the disk is full`)).calls[0]!;
	expect(output).toMatch(/^…[a ]{100,}ERROR: the disk is full$/);
	expect(state.files).toMatchObject([{ path: "/p/a", reads: 1, edits: 1 }]);
});
test.each([
	["Shell cwd was reset to /p", undefined],
	["3 found\nShell cwd was reset to /p", "3 found"],
	[
		"<persisted-output>\nOutput too large (33KB). Full output saved to: /t/a.txt\n\nPreview:\na\n...\n</persisted-output>",
		"Output too large (33KB). Full output saved to: /t/a.txt",
	],
])("what the client puts into a result is no output: %j", (text, output) => {
	expect(stateOf(bash("x", text)).calls[0]?.output).toBe(output);
});

test("what a command printed of a file that is named as a key is no output", () => {
	const key = "0a9f3b7c".repeat(4);
	expect(stateOf(bash("make && cat config/master.key", key)).calls[0]!.output).toBe("[REDACTED:secret]");
	expect(stateOf(bash("make && git rev-parse HEAD", key)).calls[0]!.output).toBe(key);
});
test("ccg's own calls are not in the record", () => {
	const own = ["ccg recall cart", "/home/u/.bun/bin/ccg show --as pr", "ccg memory save 'a b'"].map((one) => bash(one));
	const state = stateOf(
		...own,
		call("mcp__ccg__recall", { query: "x" }),
		call("mcp__plugin_ccg_ccg__save", {}, "no", true),
	);
	expect([state.order, state.calls, state.failures, state.open]).toEqual([0, [], [], {}]);
	expect(stateOf(bash("ccg recall cart && npm test")).calls).toHaveLength(1);
});

describe("what was done, with its evidence", () => {
	const COMMIT = bash("git add -A && git commit -m 'Add the cart'", "[main 1a2b3c4] Add the cart\n 2 files changed");
	test("commits of the session", () => {
		expect(stateOf(COMMIT).commits).toMatchObject([{ hash: "1a2b3c4", subject: "Add the cart" }]);
		expect(stateOf(bash("git log --grep commit", "[main 1a2b3c4] Add")).commits).toEqual([]);
		const amended = bash("git commit \\\n\t--amend -m 'Add the cart now'", "[main 5d6e7f8] Add the cart now");
		expect(stateOf(COMMIT, amended).commits).toMatchObject([{ hash: "5d6e7f8" }]);
		expect(stateOf(COMMIT, bash("git reset --hard HEAD~1")).commits).toEqual([]);
		const quiet = call("Bash", { command: "git commit -qm 'Quiet'" }, "", false, {
			gitOperation: { commit: { sha: "abcdef0123", kind: "committed" } },
		});
		expect(stateOf(quiet).commits).toMatchObject([{ hash: "abcdef0", subject: "Quiet" }]);
	});
	test("a todo that leaves its list was not seen to be cancelled", () => {
		const todos = (...contents: string[]) =>
			call("TodoWrite", { todos: contents.map((content) => ({ content, status: "pending" })) });
		const state = stateOf(todos("A", "B", "C"), todos("A", "B"), todos("A", "D"));
		expect(state.tasks.map(({ subject, status }) => `${subject} ${status}`)).toEqual(["A pending", "D pending"]);
	});
});

test("what is kept of calls and of the agent's words stays small, the newest stay", () => {
	const many = Array.from({ length: 300 }, (_, i) =>
		[bash(`./x${i}.sh`, "y".repeat(9_000)), said(`${i} ${"word ".repeat(100)}`)].flat(),
	);
	const { calls, prose } = stateOf(...many, bash("last", "z".repeat(2 ** 20)));
	expect([calls.length, calls.at(-1)!.subject]).toEqual([40, "last"]);
	expect(JSON.stringify(calls).length).toBeLessThan(40 * 700);
	expect(prose.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(16_000);
	expect(prose.at(-1)!.text).toMatch(/^299 /);
});

test.each(["ccg halt gate", "ccg guard"])("a refusal of %s is no failure, and the refused edit no edit", (who) => {
	const refusal = `PreToolUse:Edit hook error: STATUS:HALT_CONTEXT_LIMIT\n${who}: the context holds 90,000 of 100,000 tokens`;
	const state = stateOf(
		call("Edit", { file_path: "/p/a.ts", old_string: "a", new_string: "b" }, refusal, true),
		call("Bash", { command: "make all" }, refusal, true),
	);
	expect([state.failures, state.calls, state.files.filter(({ edits }) => edits > 0), state.open]).toEqual([
		[],
		[],
		[],
		{},
	]);
});

const FAILURES = corpus(join(import.meta.dirname, "failures.txt"));
test.each(Object.entries(FAILURES).flatMap(([left, cases]) => cases.map((one) => [left, one] as const)))(
	"left is %s of: %s",
	(left, steps) => {
		const events = steps.split(" >> ").map((step) => {
			const [run, told] = step.split(/ =>(?: |$)/);
			const [tool, path] = run!.split(" ");
			if (/^(?:Edit|Write)$/.test(tool!)) return call(tool!, { file_path: path }, told ?? "ok", told !== undefined);
			return bash(run!, told === undefined ? "ok" : `Exit code 1\n${told}`, told !== undefined);
		});
		const open = stateOf(...events).failures.filter(({ resolved }) => !resolved);
		expect(open.map(({ subject }) => subject)).toEqual(left === "none" ? [] : [`Bash ${steps.split(" =>")[0]}`]);
	},
);

describe("tasks", () => {
	test("TodoWrite replaces the list", () => {
		const todo = (content: string, status: string) => ({ content, status, activeForm: content });
		const state = stateOf(
			call("TodoWrite", { todos: [todo("a", "pending")] }),
			call("TodoWrite", { todos: [todo("a", "completed"), todo("b", "in_progress")] }),
		);
		expect(state.tasks.map(({ subject, status }) => [subject, status])).toEqual([
			["a", "completed"],
			["b", "in_progress"],
		]);
	});
	test("TaskCreate and TaskUpdate follow single tasks; a refused one is none", () => {
		const state = stateOf(
			call("TaskCreate", { subject: "a" }, "Task #1 created successfully: a", false, { task: { id: "1" } }),
			call("TaskCreate", { subject: "b" }, "Task #2 created successfully: b"),
			call("TaskCreate", { subject: "c" }, "No such tool available", true),
			call("TaskUpdate", { taskId: "1", status: "completed" }),
			call("TaskUpdate", { taskId: "1", status: "deleted" }),
			call("TaskUpdate", { taskId: "2", status: "deleted" }),
			call("TaskUpdate", { taskId: "77", status: "completed" }),
		);
		expect(state.tasks.map(({ subject, status }) => [subject, status])).toEqual([
			["a", "completed"],
			["b", "cancelled"],
		]);
	});
});

describe("task calls that failed", () => {
	const todos = (...contents: string[]) => ({ todos: contents.map((content) => ({ content, status: "pending" })) });
	test.each<[string, TranscriptEvent[], string[]]>([
		["a list", call("TodoWrite", todos("x"), "InputValidationError", true), ["a pending", "b pending"]],
		["a task", call("TaskCreate", { subject: "c" }, "InputValidationError", true), ["a pending", "b pending"]],
		["a list that worked", call("TodoWrite", todos("b", "c")), ["b pending", "c pending"]],
		[
			"an update",
			call("TaskUpdate", { taskId: "todo-1", status: "completed", subject: "z" }, "blocked by a hook", true),
			["a pending", "b pending"],
		],
	])("%s that was not taken is none", (_, events, tasks) => {
		const state = stateOf(call("TodoWrite", todos("a", "b")), events);
		expect(state.tasks.map(({ subject, status }) => `${subject} ${status}`)).toEqual(tasks);
	});
	test("of parallel updates only the one that failed is put back", () => {
		const one = call("TaskUpdate", { taskId: "todo-1", status: "completed" });
		const two = call("TaskUpdate", { taskId: "todo-2", status: "completed" }, "blocked", true);
		const state = stateOf(call("TodoWrite", todos("a", "b")), one[0]!, two[0]!, one[1]!, two[1]!);
		expect(state.tasks.map(({ status }) => status)).toEqual(["completed", "pending"]);
	});
});

test("files count edits and reads, a failure is resolved by the same thing succeeding; a boundary keeps it all", () => {
	const failing = bash("make test", "Exit code 2\nboom", true);
	const usage: TranscriptEvent = { kind: "usage", messageId: "m", model: "claude-opus-5-5", tokens: 9 };
	const boundary = { kind: "boundary", at, uuid: "u", trigger: "auto", preTokens: 9 } as const;
	const edits = ["/p/b", "/p/a"].flatMap((path) => call("Edit", { file_path: path, new_string: "" }));
	const state = stateOf(call("Read", { file_path: "/p/a" }), edits, failing, bash("make"), usage, boundary);
	expect(state.files).toMatchObject([
		{ path: "/p/b", edits: 1, reads: 0 },
		{ path: "/p/a", edits: 1, reads: 1 },
	]);
	expect(state.failures).toMatchObject([{ subject: "Bash make test", resolved: false }]);
	expect(stateOf(failing, bash("make test")).failures).toMatchObject([{ resolved: true }]);
	expect(state).toMatchObject({ tokens: null, boundaries: 1, model: "claude-opus-5-5" });
});
