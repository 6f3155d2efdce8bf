import { expect, test } from "vitest";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { at, call, stateOf } from "../../kit/session-events.ts";

const bash = (command: string, text = "ok", failed = false) => call("Bash", { command }, text, failed);
const REJECTED = "The user doesn't want to proceed with this tool use.";

test("a call is kept with how it ended and the last lines of what it gave; who only looked left nothing behind", () => {
	const dev = { command: "npm test", run_in_background: true };
	const state = stateOf(
		bash("npm test", "Exit code 1\n\na\n\nb\nc\n", true),
		bash("ls", "(Bash completed with no output)"),
		call("WebFetch", { url: "https://a.example" }, "<tool_use_error>no route</tool_use_error>", true),
		call("Read", { file_path: "/p/a" }, "text"),
		call("mcp__acp__Edit", { file_path: "/p/a", old_string: "a", new_string: "b" }, "updated"),
		call("Bash", dev, "Command running in background with ID: b1.", false, { backgroundTaskId: "b1" }),
		bash("npm test", REJECTED, true),
	);
	expect(state.calls).toMatchObject([
		{ tool: "Bash", subject: "npm test", outcome: "exit code 1", output: "a\nb\nc" },
		{ subject: "ls", outcome: "ended" },
		{ tool: "WebFetch", subject: "https://a.example", outcome: "failed", output: "no route" },
		{ tool: "mcp__acp__Edit", subject: "/p/a", outcome: "ended" },
		{ subject: "npm test", begun: true },
	]);
	expect(state.calls[1]).not.toHaveProperty("output");
	expect(state.files).toMatchObject([{ path: "/p/a", reads: 1, edits: 1 }]);
});

const KEY = "0a9f3b7c".repeat(4);
const SAVED = "Output too large (33KB). Full output saved to: /t/a.txt";
test.each<[string, string, string | undefined]>([
	["ls", "Shell cwd was reset to /p", undefined],
	["ls", "3 found\nShell cwd was reset to /p", "3 found"],
	["ls", `<persisted-output>\n${SAVED}\n\nPreview:\na\n...\n</persisted-output>`, SAVED],
	["make && cat config/master.key", KEY, "[REDACTED:secret]"],
	["make && cat /run/secrets/db_password", "bluewhale77", "[REDACTED:secret]"],
	["make && git rev-parse HEAD", KEY, KEY],
])("what counts as output of `%s`: %j", (command, text, output) => {
	expect(stateOf(bash(command, text)).calls[0]!.output).toBe(output);
});

test("ccg's own calls are not in the record", () => {
	const state = stateOf(
		...["ccg recall cart", "/home/u/.bun/bin/ccg show --as pr"].map((one) => bash(one)),
		call("mcp__plugin_ccg_ccg__save", {}, "no", true),
	);
	expect([state.order, state.calls, state.failures, state.open]).toEqual([0, [], [], {}]);
	expect(stateOf(bash("ccg recall cart && npm test")).calls).toHaveLength(1);
});

test.each(["ccg halt gate", "ccg guard"])("a refusal of %s is no failure, and the refused edit no edit", (who) => {
	const refusal = `PreToolUse:Edit hook error: STATUS:HALT_CONTEXT_LIMIT\n${who}: the context holds 90,000 tokens`;
	const edit = call("Edit", { file_path: "/p/a.ts", old_string: "a", new_string: "b" }, refusal, true);
	const { failures, calls, files, open } = stateOf(edit, bash("make all", refusal, true));
	expect([failures, calls, files.filter(({ edits }) => edits > 0), open]).toEqual([[], [], [], {}]);
});

test("commits of the session: made, amended, reset away, also where the client alone tells of them", () => {
	const commit = bash("git add -A && git commit -m 'Add the cart'", "[main 1a2b3c4] Add the cart\n 2 files changed");
	const commitsOf = (...events: TranscriptEvent[][]) =>
		stateOf(...events).commits.map(({ hash, subject }) => `${hash} ${subject}`);
	expect(commitsOf(commit)).toEqual(["1a2b3c4 Add the cart"]);
	expect(commitsOf(bash("git log --grep commit", "[main 1a2b3c4] Add"))).toEqual([]);
	const amended = bash("git commit \\\n\t--amend -m 'Add the cart now'", "[main 5d6e7f8] Add the cart now");
	expect(commitsOf(commit, amended)).toEqual(["5d6e7f8 Add the cart now"]);
	expect(commitsOf(commit, bash("git reset --hard HEAD~1"))).toEqual([]);
	const told = { gitOperation: { commit: { sha: "abcdef0123", kind: "committed" } } };
	expect(commitsOf(call("Bash", { command: "git commit -qm 'Quiet'" }, "", false, told))).toEqual(["abcdef0 Quiet"]);
});

test("what is kept of calls and of the agent's words stays small, the newest stay", () => {
	const many = Array.from({ length: 300 }, (_, i): TranscriptEvent[] => [
		...bash(`./x${i}.sh`, "y".repeat(9_000)),
		{ kind: "said", at, text: `${i} ${"word ".repeat(100)}` },
	]);
	const { calls, prose } = stateOf(...many, bash("last", `${"z ".repeat(2 ** 19)}ERROR: the disk is full`));
	expect([calls.length, calls.at(-1)!.subject]).toEqual([40, "last"]);
	expect(calls.at(-1)!.output).toMatch(/^…[z ]{100,}ERROR: the disk is full$/);
	expect(JSON.stringify(calls).length).toBeLessThan(40 * 700);
	expect(prose.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(16_000);
	expect(prose.at(-1)!.text).toMatch(/^299 /);
});

const todos = (...list: string[]) => ({
	todos: list.map((one) => ({ content: one.split(" ")[0], status: one.split(" ")[1] ?? "pending" })),
});
const BEFORE = ["a pending", "b pending"];
const update = (n: number) => ({ taskId: `todo-${n}`, status: "completed", subject: `z${n}` });
test.each<[string, TranscriptEvent[], string[]]>([
	["a new list", call("TodoWrite", todos("a completed", "c in_progress")), ["a completed", "c in_progress"]],
	["a list that was not taken", call("TodoWrite", todos("x"), "InputValidationError", true), BEFORE],
	["a task that was not taken", call("TaskCreate", { subject: "c" }, "InputValidationError", true), BEFORE],
	["an update that was blocked", call("TaskUpdate", update(1), "blocked by a hook", true), BEFORE],
	[
		"a task beside them",
		call("TaskCreate", { subject: "c" }, "Task #1 created successfully: c", false, { task: { id: "1" } }),
		[...BEFORE, "c pending"],
	],
])("tasks of a list, then %s", (_, events, tasks) => {
	const state = stateOf(call("TodoWrite", todos("a", "b")), events);
	expect(state.tasks.map(({ subject, status }) => `${subject} ${status}`)).toEqual(tasks);
});

test("single tasks are followed, by the client's detail or its text; what is done stays done", () => {
	const { tasks } = stateOf(
		call("TaskCreate", { subject: "a" }, "Task #1 created successfully: a", false, { task: { id: "1" } }),
		call("TaskCreate", { subject: "b" }, "Task #2 created successfully: b"),
		call("TaskUpdate", { taskId: "1", status: "completed" }),
		...["1", "2"].map((taskId) => call("TaskUpdate", { taskId, status: "deleted" })),
		call("TaskUpdate", { taskId: "77", status: "completed" }),
	);
	expect(tasks.map(({ subject, status }) => `${subject} ${status}`)).toEqual(["a completed", "b cancelled"]);
});

test("of parallel updates only the one that failed is put back", () => {
	const one = call("TaskUpdate", { taskId: "todo-1", status: "completed" });
	const two = call("TaskUpdate", { taskId: "todo-2", status: "completed" }, "blocked", true);
	const { tasks } = stateOf(call("TodoWrite", todos("a", "b")), one[0]!, two[0]!, one[1]!, two[1]!);
	expect(tasks.map(({ status }) => status)).toEqual(["completed", "pending"]);
});

test("files count edits and reads, a failure is resolved by the same thing or an edit of its file; a boundary keeps it all", () => {
	const failing = bash("make test", "Exit code 2\nboom", true);
	const usage: TranscriptEvent = { kind: "usage", messageId: "m", model: "claude-opus-5-5", tokens: 9 };
	const boundary = { kind: "boundary", at, uuid: "u", trigger: "auto", preTokens: 9 } as const;
	const edits = ["/p/b", "/p/a"].map((path) => call("Edit", { file_path: path, new_string: "" }));
	const state = stateOf(call("Read", { file_path: "/p/a" }), ...edits, failing, bash("make"), usage, boundary);
	expect(state.files.map(({ path, edits, reads }) => `${path} ${edits} ${reads}`)).toEqual(["/p/b 1 0", "/p/a 1 1"]);
	expect(state.failures).toMatchObject([{ subject: "Bash make test", resolved: false }]);
	expect(stateOf(failing, bash("make test")).failures).toMatchObject([{ resolved: true }]);
	const edit = (tool: string, failed = false) => call(tool, { file_path: "/p/a", new_string: "" }, "no", failed);
	expect(stateOf(edit("Edit", true), edit("Write")).failures).toMatchObject([{ resolved: true }]);
	expect(stateOf(edit("Edit", true), bash("cat /p/a")).failures).toMatchObject([{ resolved: false }]);
	expect(state).toMatchObject({ tokens: null, boundaries: 1, model: "claude-opus-5-5" });
});
