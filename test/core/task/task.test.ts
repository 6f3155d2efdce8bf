import { join } from "node:path";
import { expect, test } from "vitest";
import { summaryMarkdown } from "../../../src/core/block/task-summary.ts";
import { decideStartup } from "../../../src/core/task/startup.ts";
import { initialState, parseTaskState, type TaskState, workingBundle } from "../../../src/core/task/task-state.ts";
import { applyUpdate, parseUpdate } from "../../../src/core/task/task-update.ts";
import { corpus } from "../../kit/corpus.ts";

const CASES = corpus(join(import.meta.dirname, "task.txt"));
const AT = "2026-01-31T12:00:00.000Z";
const LATER = "2026-01-31T13:00:00.000Z";
const first = initialState({ task_id: "task-1", session_id: null, goal: "port the parser", at: AT });
const START: TaskState = { ...first, status: "active" };

function grown(state: TaskState, fields: unknown, at = LATER): TaskState {
	const parsed = parseUpdate(fields);
	if ("problems" in parsed) throw new Error(parsed.problems.join("; "));
	return applyUpdate(state, parsed.update, at);
}

// the other rules of the startup branch are held by `ccg task` (test/cli/stories/task.txt)
test.each(CASES["what the startup branch does with a next action"]!)("a next action: %s", (row) => {
	const [next_action, act] = row.split(" => ");
	const file = { found: "present", state: { ...START, next_action: JSON.parse(next_action!) } } as const;
	expect(decideStartup({ file, summary: "present" }).act).toBe(act);
});

test("a task begins with next_action START and every canonical field", () => {
	expect(first.next_action).toBe("START");
	const names =
		"goal current_phase status completed_steps failed_attempts decisions artifacts tool_outputs blockers next_action invariants constraints last_action created_at updated_at version task_id";
	expect(Object.keys(first)).toEqual(expect.arrayContaining(names.split(" ")));
	const read = { found: "present", state: first };
	expect(parseTaskState({ ...first })).toEqual(read);
	// a person who edits the file may leave out what is empty
	const { blockers: _, last_action: __, ...rest } = first;
	expect(parseTaskState(rest)).toEqual(read);
});

test.each(CASES["a field of the wrong form"]!)("%s is refused", (row) => {
	const [, name, value] = /^(\w+): (.*)$/.exec(row)!;
	const problem = `${name} is of the wrong form`;
	expect(parseTaskState({ ...first, [name!]: JSON.parse(value!) })).toEqual({ found: "invalid", problem });
});

test.each(CASES["a file by what it is"]!)("%s", (row) => {
	const [, found, value] = /^(\w+): (.*)$/.exec(row)!;
	expect(parseTaskState(JSON.parse(value!)).found).toBe(found!);
});

test.each(Object.entries(CASES).filter(([name]) => name.startsWith("update: ")))("%s", (_, rows) => {
	const updates = rows.filter((row) => row.startsWith("{"));
	const state = updates.reduce((sum, row, n) => grown(sum, JSON.parse(row), n === 0 ? AT : LATER), START);
	for (const row of rows.slice(updates.length)) {
		const [, part, expected] = /^(\w+) (.*)$/.exec(row)!;
		if (part === "bundle") expect(workingBundle(state)).toEqual(JSON.parse(expected!));
		else expect(state).toMatchObject(JSON.parse(expected!));
	}
});

test("secrets do not reach the state, and texts have an end", () => {
	const state = grown(START, { next_action: "x".repeat(9_000), tool_outputs: [`token ghp_${"a1B2".repeat(9)}`] });
	expect(JSON.stringify(state)).not.toContain("ghp_a1B2");
	expect(state.next_action.length).toBeLessThan(4_100);
});

test.each(CASES["an update that is refused, and why"]!)("%s", (row) => {
	const [value, problem] = row.split(" => ");
	const parsed = parseUpdate(JSON.parse(value!));
	expect("problems" in parsed && parsed.problems[0]).toContain(problem);
});

test.each(CASES["paths that a next action names"]!)("%s", (row) => {
	const [next_action, paths] = row.split(" => ") as [string, string];
	expect(workingBundle({ ...START, next_action }).relevant_artifacts).toEqual(paths.split(" "));
});

test("the summary's eleven parts stand in their order, each with its lines, and say where there are none", () => {
	const [update, ...lines] = CASES["the summary of an update: its parts in their order"]!;
	const text = summaryMarkdown(grown(first, JSON.parse(update!)));
	const told = text.slice(text.indexOf("\n## ")).split("\n").filter(Boolean);
	expect(told).toEqual(lines);
	expect(summaryMarkdown(first).match(/None recorded\./g)).toHaveLength(8);
});
