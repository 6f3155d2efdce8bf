import { describe, expect, test } from "vitest";
import { workingBundle } from "../../../src/core/task/bundle.ts";
import { initialState, type TaskState } from "../../../src/core/task/task-state.ts";
import { parseUpdate, updated } from "../../../src/core/task/task-update.ts";

const AT = "2026-01-31T12:00:00.000Z";
const LATER = "2026-01-31T13:00:00.000Z";
const START: TaskState = {
	...initialState({ task_id: "task-1", session_id: null, goal: "port the parser", at: AT }),
	status: "active",
};

function grown(state: TaskState, fields: unknown, at = LATER): TaskState {
	const parsed = parseUpdate(fields);
	if ("problems" in parsed) throw new Error(parsed.problems.join("; "));
	return updated(state, parsed.update, at);
}

test("texts replace, entries are added with their time, the revision grows", () => {
	const one = grown(
		START,
		{
			decisions: ["keep the format"],
			failed_attempts: [{ attempt: "x", reason: "y" }],
		},
		AT,
	);
	const two = grown(one, {
		next_action: "docs",
		decisions: [{ decision: "no cache", reason: "simple" }],
		failed_attempts: ["z"],
	});
	expect(two.decisions).toEqual([
		{ decision: "keep the format", reason: "", at: AT },
		{ decision: "no cache", reason: "simple", at: LATER },
	]);
	expect(two.failed_attempts.map(({ attempt }) => attempt)).toEqual(["x", "z"]);
	expect(two).toMatchObject({
		revision: 3,
		next_action: "docs",
		updated_at: LATER,
		checkpoint_at: LATER,
		created_at: AT,
	});
	expect(START.decisions).toEqual([]);
});

test("the same entry twice is one", () => {
	const twice = grown(grown(START, { decisions: ["a"], artifacts: ["f"], blockers: ["b"] }), {
		decisions: ["a"],
		artifacts: ["f"],
		blockers: ["b"],
	});
	expect([twice.decisions.length, twice.artifacts.length, twice.blockers.length]).toEqual([1, 1, 1]);
});

test("blockers block until they are removed", () => {
	const blocked = grown(START, { blockers: ["Waits for  review", "no access"] });
	expect(blocked.status).toBe("blocked");
	expect(grown(blocked, { remove: { blockers: ["waits for review"] } })).toMatchObject({
		status: "blocked",
		blockers: ["no access"],
	});
	expect(grown(blocked, { remove: { blockers: ["all"] }, blockers: ["new"] })).toMatchObject({ blockers: ["new"] });
	expect(grown(blocked, { remove: { blockers: ["all"] } })).toMatchObject({ status: "active", blockers: [] });
});

test("other names of fields are the same fields", () => {
	expect(
		grown(START, { phase: "build", touched_files: ["a.ts"], last_successful_action: "lexer", next: "parser" }),
	).toMatchObject({
		current_phase: "build",
		artifacts: [{ path: "a.ts", note: "" }],
		last_action: { summary: "lexer", outcome: "", at: LATER },
		next_action: "parser",
	});
});

test("secrets do not reach the state, and texts have an end", () => {
	const state = grown(START, { tool_outputs: [`token ghp_${"a1B2".repeat(9)}`], next_action: "x".repeat(9_000) });
	expect(JSON.stringify(state)).not.toContain("ghp_a1B2");
	expect(state.next_action.length).toBeLessThan(4_100);
});

test.each([
	[null, "the update must be one JSON object"],
	[[], "the update must be one JSON object"],
	[{}, "the update is empty: it names no field"],
	[{ nextAction: "x" }, "nextAction: unknown field; known are goal,"],
	[{ next_action: "" }, "next_action: must be a text that is not empty"],
	[{ next_action: 3 }, "next_action: must be a text that is not empty"],
	[{ decisions: [{ reason: "x" }] }, "decisions: decision must be a text that is not empty"],
	[{ decisions: 4 }, "decisions: must be a list"],
	[{ failed_attempts: [{ attempt: "x", reason: 4 }] }, "failed_attempts: reason must be a text"],
	[{ last_action: 1 }, "last_action: must be a text or {summary, outcome}"],
	[{ last_action: { outcome: "x" } }, "last_action: summary must be a text"],
	[{ remove: { goal: ["x"] } }, "remove: goal can't be removed"],
	[{ phase: "a", current_phase: "b" }, "current_phase: given twice"],
	[{ version: 1 }, "version: unknown field"],
])("%j is refused: %s", (value, problem) => {
	const parsed = parseUpdate(value);
	expect("problems" in parsed && parsed.problems[0]).toContain(problem);
});

describe("the working bundle", () => {
	const NAMES = ["goal", "phase", "next_action", "last_successful_action", "constraints", "relevant_artifacts"];

	test("has exactly the named fields, at the start too, and guesses nothing", () => {
		expect(workingBundle(START)).toEqual({
			goal: "port the parser",
			phase: "start",
			next_action: "START",
			last_successful_action: null,
			constraints: [],
			relevant_artifacts: [],
		});
		const full = grown(START, {
			decisions: ["a"],
			blockers: ["b"],
			tool_outputs: ["c"],
			invariants: ["d"],
			constraints: ["e"],
			last_action: { summary: "f", outcome: "g" },
			failed_attempts: ["h"],
		});
		expect(Object.keys(workingBundle(full))).toEqual(NAMES);
		expect(workingBundle(full)).toMatchObject({ constraints: ["e"], last_successful_action: "f" });
	});

	test("a failed attempt is no successful action", () => {
		const failed = grown(grown(START, { last_action: "lexer" }), { failed_attempts: ["parser"] });
		expect(workingBundle(failed).last_successful_action).toBe("lexer");
	});

	test.each([
		["write src/parser.ts, then test/parser.test.ts.", ["src/parser.ts", "test/parser.test.ts"]],
		["update README.md (see https://example.org/a/b.html)", ["README.md"]],
		["run `make` in /srv/app/build", ["/srv/app/build"]],
		["release version 2.1 of it, and/or not", ["and/or"]],
		["START", []],
	])("%s names %j", (next_action, paths) => {
		expect(workingBundle({ ...START, next_action }).relevant_artifacts).toEqual(paths);
	});

	test("each path once, those of the state first", () => {
		const state = grown(START, { artifacts: ["b.ts", "a.ts"], next_action: "edit a.ts and c.ts" });
		expect(workingBundle(state).relevant_artifacts).toEqual(["b.ts", "a.ts", "c.ts"]);
	});
});
