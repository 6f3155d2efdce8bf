import { join } from "node:path";
import { expect, test } from "vitest";
import { summaryMarkdown } from "../../../src/core/block/task-summary.ts";
import { startupDecision } from "../../../src/core/task/startup.ts";
import { initialState, stateIn, type TaskState, workingBundle } from "../../../src/core/task/task-state.ts";
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

// the other rules of the startup branch are held by `ccg task` (test/cli/task.test.ts)
test.each([
	["DONE", "finish"],
	[" Finish \n", "finish"],
	["complete", "finish"],
	["DONE with the lexer", "continue"],
	["finish the docs", "continue"],
	[" \n\t", "stop"],
])("what the startup branch does with the next action %j: %s", (next_action, act) => {
	const file = { found: "present", state: { ...START, next_action } } as const;
	expect(startupDecision({ file, summary: "present" }).act).toBe(act);
});

test("a task begins with next_action START and every canonical field", () => {
	expect(first.next_action).toBe("START");
	const names =
		"goal current_phase status completed_steps failed_attempts decisions artifacts tool_outputs blockers next_action invariants constraints last_action created_at updated_at version task_id";
	expect(Object.keys(first)).toEqual(expect.arrayContaining(names.split(" ")));
	const read = { found: "present", state: first };
	expect(stateIn({ ...first })).toEqual(read);
	// a person who edits the file may leave out what is empty
	const { blockers: _, last_action: __, ...rest } = first;
	expect(stateIn(rest)).toEqual(read);
});

test.each(CASES["a field of the wrong form"]!)("%s is refused", (row) => {
	const [, name, value] = /^(\w+): (.*)$/.exec(row)!;
	const problem = `${name} is of the wrong form`;
	expect(stateIn({ ...first, [name!]: JSON.parse(value!) })).toEqual({ found: "invalid", problem });
});

test.each(CASES["a file by what it is"]!)("%s", (row) => {
	const [, found, value] = /^(\w+): (.*)$/.exec(row)!;
	expect(stateIn(JSON.parse(value!)).found).toBe(found!);
});

test("texts replace, entries are added once with their time, the revision grows", () => {
	const attempts = [{ attempt: "x", reason: "y" }];
	const one = grown(START, { decisions: ["keep the format"], failed_attempts: attempts, artifacts: ["f"] }, AT);
	const two = grown(one, {
		next_action: "docs",
		decisions: ["no cache", { decision: "no cache", reason: "simple" }, "no cache"],
		failed_attempts: ["z"],
		artifacts: ["f", { path: "f", note: "the lexer" }],
	});
	expect(two).toMatchObject({
		...{ revision: 3, next_action: "docs", updated_at: LATER, checkpoint_at: LATER, created_at: AT },
		decisions: [
			{ decision: "keep the format", reason: "", at: AT },
			{ decision: "no cache", reason: "", at: LATER },
			{ decision: "no cache", reason: "simple", at: LATER },
		],
		failed_attempts: [{ attempt: "x" }, { attempt: "z" }],
		artifacts: [{ path: "f", note: "the lexer" }],
	});
	expect(START.decisions).toEqual([]);
});

test("blockers block until they are removed", () => {
	const blocked = grown(START, { blockers: ["Waits for  review", "no access"] });
	const after = (remove: string, more: object = {}) => {
		const { status, blockers } = grown(blocked, { remove: { blockers: [remove] }, ...more });
		return [status, ...blockers];
	};
	expect(blocked.status).toBe("blocked");
	expect(after("waits for review")).toEqual(["blocked", "no access"]);
	expect(after("all", { blockers: ["new"] })).toEqual(["blocked", "new"]);
	expect(after("all")).toEqual(["active"]);
});

test("other names are the same fields; secrets do not reach the state, and texts have an end", () => {
	const given = { touched_files: ["a.ts"], last_successful_action: "lexer", next_action: "x".repeat(9_000) };
	const state = grown(START, { ...given, tool_outputs: [`token ghp_${"a1B2".repeat(9)}`] });
	expect(state.artifacts).toEqual([{ path: "a.ts", note: "" }]);
	expect(state.last_action).toEqual({ summary: "lexer", outcome: "", at: LATER });
	expect(JSON.stringify(state)).not.toContain("ghp_a1B2");
	expect(state.next_action.length).toBeLessThan(4_100);
});

test.each(CASES["an update that is refused, and why"]!)("%s", (row) => {
	const [value, problem] = row.split(" => ");
	const parsed = parseUpdate(JSON.parse(value!));
	expect("problems" in parsed && parsed.problems[0]).toContain(problem);
});

test("the working bundle has exactly the named fields, at the start too, and guesses nothing", () => {
	const named = { goal: "port the parser", phase: "start", next_action: "START", last_successful_action: null };
	expect(workingBundle(START)).toEqual({ ...named, constraints: [], relevant_artifacts: [] });
	const fields = { decisions: ["a"], constraints: ["e"], last_action: "lexer", artifacts: ["b.ts", "a.ts"] };
	// a failed attempt is no successful action
	const failed = grown(grown(START, fields), { failed_attempts: ["parser"], next_action: "edit a.ts and c.ts" });
	const told = { last_successful_action: "lexer", constraints: ["e"], relevant_artifacts: ["b.ts", "a.ts", "c.ts"] };
	expect(workingBundle(failed)).toMatchObject(told);
});

test.each(CASES["paths that a next action names"]!)("%s", (row) => {
	const [next_action, paths] = row.split(" => ") as [string, string];
	expect(workingBundle({ ...START, next_action }).relevant_artifacts).toEqual(paths.split(" "));
});

test("the summary's eleven parts stand in their order, each with its lines, and say where there are none", () => {
	const state = grown(first, {
		...{ goal: "port the parser", current_phase: "build", completed_steps: ["lexer"] },
		failed_attempts: [{ attempt: "regex", reason: "nested comments" }],
		decisions: [{ decision: "hand-written", reason: "speed" }],
		...{ artifacts: ["src/lexer.ts"], tool_outputs: ["12 tests pass"], blockers: ["review"] },
		next_action: "write src/parser.ts",
		...{ invariants: ["old files stay readable"], constraints: ["no new dependency"] },
	});
	const text = summaryMarkdown(state);
	expect(text.slice(text.indexOf("\n## ")).split("\n\n").join("\n").trim().split("\n")).toEqual([
		...["## Goal", "- port the parser", "## Current phase", "- build", "## Completed steps", "- lexer"],
		...["## Failed attempts", "- regex (nested comments)", "## Decisions", "- hand-written (speed)"],
		...["## Files touched", "- src/lexer.ts", "## Tool outputs", "- 12 tests pass", "## Blockers", "- review"],
		...["## Next action", "- write src/parser.ts", "## Invariants", "- old files stay readable"],
		...["## Constraints", "- no new dependency"],
	]);
	expect(summaryMarkdown(first).match(/None recorded\./g)).toHaveLength(8);
});
