import { expect, test } from "vitest";
import { backgroundWork, parseHookInput } from "../../src/claude/hook-input.ts";

test("what Claude Code 2.1.329 lists", () => {
	const input = {
		background_tasks: [
			{ id: "b1", type: "shell", status: "running", description: "dev server", command: "npm start" },
			{ id: "a1", type: "subagent", status: "pending", description: "review", agent_type: "general" },
			{ id: "m1", type: "monitor", status: "running", description: "logs" },
		],
		session_crons: [{ id: "c1", schedule: "0 9 * * 1-5", recurring: true, prompt: "check the build" }],
	};
	const tasks = [
		{ id: "b1", kind: "shell", description: "dev server — npm start" },
		{ id: "a1", kind: "subagent", description: "review — general" },
		{ id: "m1", kind: "monitor", description: "logs" },
		{ id: "c1", kind: "schedule", description: "0 9 * * 1-5 — check the build" },
	];
	expect(backgroundWork(parseHookInput(Buffer.from(JSON.stringify(input)), "/"))).toEqual(tasks);
});

test.each([
	["neither field", {}, null],
	["empty lists: nothing runs", { background_tasks: [], session_crons: [] }, []],
	["what is no task", { background_tasks: [null, 7, {}, { id: 5 }, { id: "" }] }, []],
	["doubles", { background_tasks: [{ id: "a" }, { id: "a" }] }, [{ id: "a", kind: "task", description: "" }]],
])("%s", (_, input, expected) => {
	expect(backgroundWork(input)).toEqual(expected);
});

test("secrets and control characters are out, lengths bounded", () => {
	const key = `sk-ant-${"a1".repeat(20)}`;
	const command = `run ${key}\u001b[2J\n${"x".repeat(5_000)}`;
	const tasks = Array.from({ length: 500 }, (_, n) => ({ id: String(n), type: "shell", command }));
	const found = backgroundWork({ background_tasks: tasks })!;
	expect(found).toHaveLength(60);
	expect(found[0]!.description).not.toContain(key);
	expect(found[0]!.description).not.toContain("\u001b");
	expect(found[0]!.description.length).toBeLessThan(400);
});
