import { describe, expect, test } from "vitest";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { call, stateOf } from "../../kit/session-events.ts";

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
