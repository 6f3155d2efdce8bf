import { expect, test } from "vitest";
import { endSession, takeAccount } from "../../../src/core/context/apply.ts";
import { sessionContext } from "../../../src/core/context/project.ts";
import { decode } from "../../../src/core/transcript/decode.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { sessionOf } from "../../kit/applied.ts";
import { at, call, stateOf } from "../../kit/session-events.ts";

type Events = TranscriptEvent[];

const RUNS = "Command running in background with ID:";
const shell = (id = "b9", detail: unknown = { backgroundTaskId: id }): Events =>
	call(
		"Bash",
		{ command: "npm run dev", run_in_background: true },
		`${RUNS} ${id}. Output is being written to: /x/${id}.output. You will be notified when it completes.`,
		false,
		detail,
	);
const LAUNCHED = "Async agent launched successfully. (This is internal metadata.)\nagentId: a824 (internal ID)";
const agent = (detail: unknown = { agentId: "a824" }): Events =>
	call("Agent", { description: "Review the cart" }, LAUNCHED, false, detail);
const cron = (id = "c7"): Events => {
	const detail = { id, humanSchedule: "Every 10 minutes" };
	return call("CronCreate", { cron: "*/10 * * * *", prompt: "check the deploy" }, `Job ${id}.`, false, detail);
};
const running = (...events: (TranscriptEvent | Events)[]) => stateOf(...events).backgroundTasks;
const ids = (...events: (TranscriptEvent | Events)[]): string[] => running(...events).map(({ id }) => id);

const SHELL = { id: "b9", kind: "background shell", what: "npm run dev", at, output: "/x/b9.output", order: 1 };
test.each<[string, Events, object]>([
	["a shell", shell(), SHELL],
	["an agent", agent({ agentId: "a825", outputFile: "/x/o" }), { id: "a825", output: "/x/o" }],
	["a schedule", cron(), { id: "c7", kind: "schedule", what: "Every 10 minutes: check the deploy" }],
	["a wake-up", call("ScheduleWakeup", { reason: "build runs" }), { kind: "schedule", what: "build runs" }],
])("started: %s", (_, events, task) => expect(running(events)).toEqual([expect.objectContaining(task)]));

test.each<[string, Events]>([
	["a shell that failed", call("Bash", { command: "x" }, `${RUNS} b9.`, true)],
	["what a command prints", call("Bash", { command: "cat log" }, `${RUNS} b1.`)],
	["an agent that answered", call("Agent", {}, "All is well.\nagentId: a824", false, { agentId: "a824" })],
	["an agent that failed", call("Agent", {}, LAUNCHED, true)],
	["a schedule that failed", call("CronCreate", { cron: "x", prompt: "y" }, "Invalid cron expression", true)],
	["detail of another shape", call("Bash", { command: "x" }, "done", false, [1, "two"])],
	["what a shell leaves running by itself", call("Bash", { command: "nohup python3 -m http.server 8123 &" })],
])("not started: %s", (_, events) => expect(running(events)).toEqual([]));

test("the same one twice counts once, several in order, forty at most", () => {
	expect(ids(shell("b1"), shell("b1"), cron())).toEqual(["b1", "c7"]);
	const many = ids(...Array.from({ length: 50 }, (_, i) => shell(`b${i}`)));
	expect([many.length, many[0], many.at(-1)]).toEqual([40, "b10", "b49"]);
});

const notification = (id: string, status: string): string =>
	`<task-notification>\n<task-id>${id}</task-id>\n<status>${status}</status>\n<summary>npm</summary>\n</task-notification>`;
const attached = (prompt: unknown, more: object = {}) => ({
	type: "attachment",
	timestamp: at,
	attachment: { type: "queued_command", prompt, ...more },
});
const user = (content: unknown) => ({ type: "user", timestamp: at, message: { role: "user", content } });

test.each<[string, (text: string) => unknown]>([
	["a queue operation", (content) => ({ type: "queue-operation", operation: "enqueue", timestamp: at, content })],
	["a queued command's attachment", (text) => attached(text, { commandMode: "task-notification" })],
	["an attachment of text blocks", (text) => attached([{ type: "text", text }])],
	["a user line of blocks", (text) => user([{ type: "text", text }])],
])("ended by a notification in %s, not by one that says it runs", (_, carrier) => {
	const after = (text: string) => stateOf(shell("b9"), shell("b8"), agent(), decode(carrier(text)));
	for (const status of ["completed", "failed", "killed"])
		expect(after(notification("b9", status)).backgroundTasks.map(({ id }) => id)).toEqual(["b8", "a824"]);
	for (const text of [notification("b9", "running"), "<task-notification>\n</task-notification>"])
		expect(after(text).backgroundTasks).toHaveLength(3);
	expect(after(notification("b9", "completed")).messages).toEqual([]);
});

test("a message that quotes a notification is the user's and ends nothing", () => {
	const quoting = user(`Why did I see this?\n${notification("b9", "completed")}`);
	const { backgroundTasks, messages } = stateOf(shell("b9"), decode(quoting));
	expect([backgroundTasks.length, messages.length]).toEqual([1, 1]);
});

test.each<[string, Record<string, unknown>, string[]]>([
	["TaskStop", { task_id: "b9" }, ["c7", "b8"]],
	["KillShell", { shell_id: "b9" }, ["c7", "b8"]],
	["CronDelete", { id: "c7" }, ["b9", "b8"]],
	["Read", { task_id: "b9" }, ["b9", "c7", "b8"]],
])("%s ends the one it names", (tool, input, left) =>
	expect(ids(shell("b9"), cron("c7"), shell("b8"), call(tool, input, "Done."))).toEqual(left),
);

test("asking for its output tells that it ended", () => {
	const ask = (status: string, output: string) =>
		call("TaskOutput", { task_id: "b9" }, `<task_id>b9</task_id>\n<status>${status}</status>\n${output}`);
	expect(ids(shell(), ask("running", "ready on http://localhost:3000"))).toEqual(["b9"]);
	expect(running(shell(), ask("completed", ""))).toEqual([]);
});

test("in the session context Claude Code's own list decides what runs; the session's end interrupts", () => {
	const task = (id: string, kind: string) => ({ id, kind, description: "d" });
	const { snapshot: record } = sessionOf(shell("b0"), shell("b1"), call("TaskStop", { task_id: "b0" }));
	const statuses = () =>
		Object.fromEntries(sessionContext(record, "").background_tasks.map(({ id, status }) => [id, status]));
	expect(statuses()).toEqual({ b0: "ended", b1: "running" });
	takeAccount(record, { at, pos: 1_000, tasks: [task("b2", "shell"), task("c1", "schedule"), task("a7", "subagent")] });
	expect(statuses()).toEqual({ b0: "ended", b1: "ended", b2: "running", c1: "running", a7: "running" });
	// what began behind the list may run
	record.state.backgroundTasks.push({ ...record.state.backgroundTasks[0]!, id: "b3", pos: 1_001 });
	takeAccount(record, { at, pos: 1_001, tasks: [task("c1", "schedule"), task("a7", "subagent")] });
	expect(record.state.backgroundTasks.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
		...["c1 schedule", "a7 agent", "b3 background shell"],
	]);
	endSession(record, "other", at);
	expect(statuses()).toMatchObject({ b2: "ended", b3: "interrupted", c1: "running", a7: "interrupted" });
	expect(sessionContext(record, "").system_state.ended).toBe("other");
});
