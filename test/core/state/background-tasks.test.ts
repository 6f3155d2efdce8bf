import { describe, expect, test } from "vitest";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";
import { decode } from "../../../src/core/transcript/decode.ts";
import { afterEvent, begun } from "../../kit/applied.ts";

const at = "2026-11-21T02:00:00.000Z";
type Json = Record<string, unknown>;

let count = 0;

/** A call and its result, as lines of a transcript. */
function called(
	tool: string,
	input: Json,
	text: string,
	{ detail, failed }: { detail?: unknown; failed?: boolean } = {},
): unknown[] {
	const id = `toolu_${++count}`;
	return [
		{
			type: "assistant",
			timestamp: at,
			message: { role: "assistant", content: [{ type: "tool_use", id, name: tool, input }] },
		},
		{
			type: "user",
			timestamp: at,
			toolUseResult: detail,
			message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text, is_error: failed }] },
		},
	];
}

function stateOf(...lines: unknown[]): SessionState {
	const state = emptyState();
	for (const line of lines.flat()) for (const event of decode(line)) applyToState(state, event);
	return state;
}

const shell = (id = "b9", options: { detail?: unknown } = { detail: { backgroundTaskId: id } }): unknown[] =>
	called(
		"Bash",
		{ command: "npm run dev", run_in_background: true },
		`Command running in background with ID: ${id}. Output is being written to: /x/${id}.output. You will be notified when it completes.`,
		options,
	);
const agent = (detail?: unknown): unknown[] =>
	called(
		"Agent",
		{ description: "Review the cart", prompt: "…", run_in_background: true },
		"Async agent launched successfully. (This tool result is internal metadata.)\nagentId: a824 (internal ID)\nThe agent is working in the background. You will be notified.",
		{ detail },
	);
const cron = (id = "c7"): unknown[] =>
	called(
		"CronCreate",
		{ cron: "*/10 * * * *", prompt: "check the deploy" },
		`Scheduled recurring job ${id} (Every 10 minutes).`,
		{
			detail: { id, humanSchedule: "Every 10 minutes", recurring: true },
		},
	);

describe("started", () => {
	test.each([
		["by its detail", { detail: { stdout: "", stderr: "", backgroundTaskId: "b9" } }],
		["by its text alone", {}],
	])("a background shell, %s", (_, options) => {
		expect(stateOf(shell("b9", options)).backgroundTasks).toEqual([
			{ id: "b9", kind: "background shell", what: "npm run dev", at, output: "/x/b9.output", order: 1 },
		]);
	});
	test.each([
		[
			"by its detail",
			{ isAsync: true, status: "async_launched", agentId: "a824", outputFile: "/x/a824.output" },
			"/x/a824.output",
		],
		["by its text alone", undefined, ""],
	])("an agent, %s", (_, detail, output) => {
		expect(stateOf(agent(detail)).backgroundTasks).toEqual([
			{ id: "a824", kind: "agent", what: "Review the cart", at, output, order: 1 },
		]);
	});
	test("a schedule", () => {
		expect(stateOf(cron()).backgroundTasks).toEqual([
			{ id: "c7", kind: "schedule", what: "Every 10 minutes: check the deploy", at, output: "", order: 1 },
		]);
	});
	test("a wake-up without an id", () => {
		const [flight] = stateOf(
			called("ScheduleWakeup", { delaySeconds: 600, reason: "build runs" }, "Wake-up scheduled."),
		).backgroundTasks;
		expect(flight).toMatchObject({ kind: "schedule", what: "build runs" });
	});
	test("the same one twice counts once, several in order, forty at most", () => {
		expect(stateOf(shell("b1"), shell("b1"), cron()).backgroundTasks.map(({ id }) => id)).toEqual(["b1", "c7"]);
		const many = stateOf(...Array.from({ length: 50 }, (_, i) => shell(`b${i}`))).backgroundTasks;
		expect([many.length, many[0]!.id, many.at(-1)!.id]).toEqual([40, "b10", "b49"]);
	});
	test("secrets in a command do not stay", () => {
		const key = `sk-ant-api03-${"Ab1".repeat(30)}`;
		const lines = called(
			"Bash",
			{ command: `KEY=${key} npm start`, run_in_background: true },
			"Command running in background with ID: b2.",
		);
		expect(JSON.stringify(stateOf(lines).backgroundTasks)).not.toContain(key);
		expect(stateOf(lines).backgroundTasks).toHaveLength(1);
	});
});

describe("not started", () => {
	test.each<[string, unknown[]]>([
		["a shell in the foreground", called("Bash", { command: "ls" }, "a\nb", { detail: { stdout: "a\nb" } })],
		[
			"a shell that failed",
			called("Bash", { command: "x" }, "Command running in background with ID: b9.", { failed: true }),
		],
		[
			"an agent that answered",
			called("Agent", { description: "Review" }, "All is well.\nagentId: a824", {
				detail: { agentId: "a824", status: "completed" },
			}),
		],
		[
			"an agent that failed",
			called("Agent", { description: "Review" }, "Async agent launched successfully.\nagentId: a1", { failed: true }),
		],
		[
			"a schedule that failed",
			called("CronCreate", { cron: "x", prompt: "y" }, "Invalid cron expression", { failed: true }),
		],
		["a file that speaks of it", called("Read", { file_path: "/a" }, "Command running in background with ID: b9.")],
		["detail of another shape", called("Bash", { command: "x" }, "done", { detail: [1, "two"] })],
	])("%s", (_, lines) => expect(stateOf(lines).backgroundTasks).toEqual([]));
});

const notification = (id: string, status = "completed"): string =>
	`<task-notification>\n<task-id>${id}</task-id>\n<output-file>/x/${id}.output</output-file>\n<status>${status}</status>\n` +
	`<summary>Background command "npm run dev" ${status}</summary>\n</task-notification>`;

const CARRIERS: Record<string, (text: string) => unknown> = {
	"a queue operation": (content) => ({ type: "queue-operation", operation: "enqueue", timestamp: at, content }),
	"a queued command's attachment": (prompt) => ({
		type: "attachment",
		timestamp: at,
		attachment: { type: "queued_command", prompt, commandMode: "task-notification" },
	}),
	"an attachment of text blocks": (text) => ({
		type: "attachment",
		timestamp: at,
		attachment: { type: "queued_command", prompt: [{ type: "text", text }] },
	}),
	"a user line": (content) => ({ type: "user", timestamp: at, message: { role: "user", content } }),
	"a user line of blocks": (text) => ({
		type: "user",
		timestamp: at,
		message: { role: "user", content: [{ type: "text", text }] },
	}),
};

describe.each(Object.entries(CARRIERS))("ended by a notification in %s", (_, carrier) => {
	test.each(["completed", "failed", "killed"])("%s", (status) => {
		const state = stateOf(shell("b9"), shell("b8"), agent(), carrier(notification("b9", status)));
		expect(state.backgroundTasks.map(({ id }) => id)).toEqual(["b8", "a824"]);
		expect(state.messages).toEqual([]);
	});
	test("not by one that says it runs, nor by one without an id", () => {
		const state = stateOf(
			shell("b9"),
			carrier(notification("b9", "running")),
			carrier("<task-notification>\n</task-notification>"),
		);
		expect(state.backgroundTasks.map(({ id }) => id)).toEqual(["b9"]);
		expect(state.messages).toEqual([]);
	});
	test("twice is once", () => {
		const end = carrier(notification("b9"));
		expect(stateOf(shell("b9"), end, end).backgroundTasks).toEqual([]);
	});
});

test("a message that quotes a notification is the user's and ends nothing", () => {
	const text = `Why did I see this?\n${notification("b9")}`;
	const state = stateOf(shell("b9"), CARRIERS["a user line"]!(text));
	expect(state.backgroundTasks).toHaveLength(1);
	expect(state.messages).toHaveLength(1);
});

test.each([
	["TaskStop", { task_id: "b9" }],
	["KillShell", { shell_id: "b9" }],
	["KillBash", { shell_id: "b9" }],
	["CronDelete", { id: "c7" }],
])("%s ends the one it names", (tool, input) => {
	const state = stateOf(shell("b9"), cron("c7"), shell("b8"), called(tool, input, "Done."));
	const ended = Object.values(input)[0];
	expect(state.backgroundTasks.map(({ id }) => id)).toEqual(["b9", "c7", "b8"].filter((id) => id !== ended));
});

test("another tool with the same input ends nothing", () => {
	expect(stateOf(shell("b9"), called("TaskOutput", { task_id: "b9" }, "running")).backgroundTasks).toHaveLength(1);
});

describe("one port has one listener", () => {
	const bash = (command: string, text = "") => called("Bash", { command }, text);
	const DEV = "nohup npm run dev > dev.log 2>&1 & sleep 2; curl -s http://localhost:3000";
	test.each<[string, string[], string[]]>([
		["started again", [DEV, `PORT=3000 ${DEV}`], [`PORT=3000 ${DEV}`]],
		[
			"another server",
			["nohup serve --port 8000 &", "python3 -m http.server 8000 &"],
			["python3 -m http.server 8000 &"],
		],
		[
			"a container",
			["docker run -d -p 5432:5432 postgres:16", "docker run -d -p 5432:5432 postgres:17"],
			["docker run -d -p 5432:5432 postgres:17"],
		],
		[
			"by its address",
			["php -S localhost:8080 &", "gunicorn -b 127.0.0.1:8080 app &"],
			["gunicorn -b 127.0.0.1:8080 app &"],
		],
		[
			"two ports",
			["nohup serve --port 8000 &", "nohup serve --port 8001 &"],
			["nohup serve --port 8000 &", "nohup serve --port 8001 &"],
		],
		[
			"who only calls it takes nobody's place",
			["docker run -d -p 5432:5432 postgres", "nohup worker --db postgres://localhost:5432/x &"],
			["docker run -d -p 5432:5432 postgres", "nohup worker --db postgres://localhost:5432/x &"],
		],
	])("%s", (_, commands, left) => {
		expect(stateOf(...commands.map((one) => bash(one))).backgroundTasks.map(({ what }) => what)).toEqual(left);
		let session = begun();
		for (const line of commands.flatMap((one) => bash(one)))
			for (const event of decode(line)) session = afterEvent(session, event);
		const running = session.context.background_tasks.filter(({ status }) => status === "running");
		expect(running.map(({ description }) => description)).toEqual(left);
	});
});
