import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sectionsOf as sectionsIn } from "../../../src/core/block/sections.ts";
import { situationOf } from "../../../src/core/block/situation.ts";
import type { SessionState } from "../../../src/core/state/session-state.ts";
import { checkIn } from "../../../src/core/state/shell-acts.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { corpus } from "../../kit/corpus.ts";
import { at, call, message, stateOf } from "../../kit/session-events.ts";

const bash = (command: string, text = "ok", failed = false) => call("Bash", { command }, text, failed);
const said = (text: string): TranscriptEvent => ({ kind: "said", at, text });
const itemsOf = (state: SessionState, kind: string) =>
	sectionsIn("block", situationOf({ state, workspace: null, base: "" }))
		.filter((section) => section.kind === kind)
		.flatMap(({ items }) => items);
const textsOf = (state: SessionState, kind: string): string[] => itemsOf(state, kind).map(({ text }) => text);

describe("questions of the agent", () => {
	const ASKED = "I found two ways.\n\n```ts\nwhy(you)?\n```\n- Should I **keep** the old endpoint?\nWhat causes this?";
	test("stand until the user's next message", () => {
		expect(stateOf(said(ASKED)).questions).toMatchObject([{ text: "Should I keep the old endpoint?" }]);
		expect(textsOf(stateOf(said(ASKED)), "question")).toEqual(["- `Should I keep the old endpoint?`"]);
		expect(stateOf(said(ASKED), message("yes")).questions).toEqual([]);
	});
	test("in a dialog without an answer", () => {
		const [asked] = call("AskUserQuestion", { questions: [{ question: "Which database?" }] });
		expect(textsOf(stateOf(asked!), "question")).toEqual(["- `Which database?`"]);
	});
});

test("what the agent assumes is kept as the agent's", () => {
	const state = stateOf(said("I'm assuming the totals are in cents. They are rendered late."));
	expect(textsOf(state, "assumption")).toEqual(["- `I'm assuming the totals are in cents.`"]);
});

const KINDS = corpus(join(import.meta.dirname, "commands.txt"));
test.each(Object.entries(KINDS).flatMap(([kind, commands]) => commands.map((command) => [command, kind] as const)))(
	"%s: %s",
	(command, kind) => expect(checkIn(command)?.kind ?? "none").toBe(kind),
);
test.each<[string, string, "worked" | "failed" | "unknown"]>([
	["npm test", "", "worked"],
	["npm run lint && npm test", "", "worked"],
	["npm test && echo done", "", "worked"],
	["npm test 2>&1 | tail -5", "AssertionError: nope", "unknown"],
	["npm test || true", "", "unknown"],
	["npm test; echo done", "done", "unknown"],
	["npm test | grep -A3 FAIL", "--- FAIL: TestCart", "failed"],
])("%s: %j: %s", (command, text, result) => expect(stateOf(bash(command, text)).checks).toMatchObject([{ result }]));
test("what was rejected or went to the background proves nothing", () => {
	const started = call(
		"Bash",
		{ command: "npm test", run_in_background: true },
		"Command running in background with ID: b1.",
	);
	expect(stateOf(started).checks).toEqual([]);
	const rejected = bash("npm test", "The user doesn't want to proceed with this tool use.", true);
	expect(stateOf(rejected)).toMatchObject({ checks: [], commands: [] });
});
test("keep the last outcome; words count where a pipe hides the exit code", () => {
	const state = stateOf(
		bash("npm test", "Tests  3 failed | 12 passed", true),
		bash("npm test", "\n Tests  15 passed (15)\n Duration 2s"),
		bash("pytest -q | tail -3", "1 failed, 4 passed in 0.2s"),
	);
	expect(state.checks.map(({ command, result, outcome }) => [command, result, outcome])).toEqual([
		["npm test", "worked", "Tests 15 passed (15)"],
		["pytest -q | tail -3", "failed", "1 failed, 4 passed in 0.2s"],
	]);
	expect(textsOf(state, "command").slice(0, 2)).toEqual([
		"- test failed: `pytest -q | tail -3` — `1 failed, 4 passed in 0.2s`",
		"- test worked: `npm test` — `Tests 15 passed (15)`",
	]);
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
		expect(textsOf(stateOf(COMMIT), "commit")).toEqual(["- commit 1a2b3c4 `Add the cart`"]);
	});
	test("a todo that leaves its list was not seen to be cancelled", () => {
		const todos = (...contents: string[]) =>
			call("TodoWrite", { todos: contents.map((content) => ({ content, status: "pending" })) });
		const state = stateOf(todos("A", "B", "C"), todos("A", "B"), todos("A", "D"));
		expect(state.tasks.map(({ subject, status }) => `${subject} ${status}`)).toEqual(["A pending", "D pending"]);
	});
});

test("an interruption is a decision, a rejection's own is not told twice", () => {
	const [started] = bash("npm run deploy");
	expect(textsOf(stateOf(started!, { kind: "interrupted", at }), "decision")).toEqual([
		"- interrupted: `Bash npm run deploy`",
	]);
	const rejected = bash("npm run deploy", "The user doesn't want to proceed with this tool use.", true);
	expect(stateOf(rejected, { kind: "interrupted", at }).decisions).toHaveLength(1);
});

test("what is kept of deeds and of the agent's words stays small, the newest stay", () => {
	const many = Array.from({ length: 300 }, (_, i) => [
		...[`git push ${i}`, `npm test ${i}`, `./x${i}.sh`].flatMap((command) => bash(command, "1 failed", i % 2 > 0)),
		said(`${i} ${"word ".repeat(100)}`),
	]);
	const { deeds, prose } = stateOf(...many);
	expect(deeds!.length).toBeLessThan(60);
	expect(prose.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(60_000);
	expect(prose.at(-1)!.text).toMatch(/^299 /);
});

test.each(["ccg halt gate", "ccg guard"])("a refusal of %s is no failure, and the refused edit no edit", (who) => {
	const refusal = `PreToolUse:Edit hook error: STATUS:HALT_CONTEXT_LIMIT\n${who}: the context holds 90,000 of 100,000 tokens`;
	const state = stateOf(
		call("Edit", { file_path: "/p/a.ts", old_string: "a", new_string: "b" }, refusal, true),
		call("Bash", { command: "make all" }, refusal, true),
	);
	expect([state.failures, state.commands, state.files.filter(({ edits }) => edits > 0), state.open]).toEqual([
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
	const edits = ["/p/b", "/p/a"].flatMap((path) => call("Edit", { file_path: path }));
	const state = stateOf(call("Read", { file_path: "/p/a" }), edits, failing, bash("make"), usage, boundary);
	expect(state.files).toMatchObject([
		{ path: "/p/b", edits: 1, reads: 0 },
		{ path: "/p/a", edits: 1, reads: 1 },
	]);
	expect(state.failures).toMatchObject([{ subject: "Bash make test", resolved: false }]);
	expect(stateOf(failing, bash("make test")).failures).toMatchObject([{ resolved: true }]);
	expect(state).toMatchObject({ tokens: null, boundaries: 1, model: "claude-opus-5-5" });
});
