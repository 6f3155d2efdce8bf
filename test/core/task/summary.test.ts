import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { conflicts, PARTS, readSummaryMarkdown, summaryMarkdown } from "../../../src/core/task/summary.ts";
import { initialState, type TaskState } from "../../../src/core/task/task-state.ts";
import { parseUpdate, updated } from "../../../src/core/task/task-update.ts";

const AT = "2026-01-31T12:00:00.000Z";
const START: TaskState = {
	...initialState({ task_id: "task-1", session_id: null, goal: "port the parser", at: AT }),
	status: "active",
};

function grown(state: TaskState, fields: object): TaskState {
	const parsed = parseUpdate(fields);
	if ("problems" in parsed) throw new Error(parsed.problems.join("; "));
	return updated(state, parsed.update, AT);
}

const FULL = grown(START, {
	current_phase: "build",
	next_action: "write src/parser.ts",
	completed_steps: ["lexer"],
	failed_attempts: [{ attempt: "regex", reason: "nested comments" }],
	decisions: [{ decision: "hand-written", reason: "speed" }],
	artifacts: ["src/lexer.ts"],
	tool_outputs: ["12 tests pass"],
	blockers: ["review"],
	invariants: ["old files stay readable"],
	constraints: ["no new dependency"],
});

test("the eleven parts stand in their order, each with its lines", () => {
	const text = summaryMarkdown(FULL);
	expect([...text.matchAll(/^## (.+)$/gm)].map((match) => match[1])).toEqual([...PARTS]);
	expect(PARTS).toHaveLength(11);
	for (const line of [
		"port the parser",
		"build",
		"lexer",
		"regex (nested comments)",
		"hand-written (speed)",
		"src/lexer.ts",
		"12 tests pass",
		"review",
		"write src/parser.ts",
		"old files stay readable",
		"no new dependency",
	])
		expect(text).toContain(`\n- ${line}\n`);
	expect(summaryMarkdown(START).match(/None recorded\./g)).toHaveLength(8);
});

it("reads back what it wrote, whatever the texts hold, and finds no conflict", () => {
	const text = fc.string({ unit: fc.constantFrom(..."ab#- \n`*>|[]()é\t"), maxLength: 40 });
	const texts = fc.array(text, { maxLength: 4 });
	fc.assert(
		fc.property(text, text, texts, texts, texts, (goal, next_action, steps, blockers, paths) => {
			const state: TaskState = {
				...START,
				goal,
				next_action,
				completed_steps: steps.map((step) => ({ step, at: AT })),
				artifacts: paths.map((path) => ({ path, note: "" })),
				blockers,
			};
			const read = readSummaryMarkdown(summaryMarkdown(state));
			expect(read).toMatchObject({ task_id: "task-1", revision: 1 });
			expect(conflicts(read, state)).toBe(false);
		}),
		{ numRuns: 1_000 },
	);
});

describe("a conflict", () => {
	const edited = (from: string, to: string): string => summaryMarkdown(FULL).replace(from, to);
	const later = grown(FULL, { next_action: "docs", completed_steps: ["parser"], blockers: ["release"] });
	const TABLE: [string, string, TaskState, boolean][] = [
		["the same", summaryMarkdown(FULL), FULL, false],
		["line ends of another system", summaryMarkdown(FULL).replaceAll("\n", "\r\n"), FULL, false],
		["one made before more was added", summaryMarkdown(FULL), later, false],
		["another next action in the same revision", edited("write src/parser.ts", "delete it all"), FULL, true],
		["a line that was taken out", edited("- no new dependency\n", ""), FULL, true],
		["a decision the state does not know, in an older one", edited("hand-written", "generated"), later, true],
		["another goal in an older one", edited("port the parser", "rewrite all"), later, true],
		["one made from a later state", summaryMarkdown(later), FULL, true],
		["one that is ahead in its next action alone", summaryMarkdown(grown(FULL, { next_action: "docs" })), FULL, true],
		["of another task", edited("task-1", "task-2"), FULL, true],
		["a part that is missing", edited("## Constraints", "## Other"), FULL, true],
		["cut short", summaryMarkdown(FULL).slice(0, 200), FULL, true],
		["empty", "", FULL, true],
		["somebody else's text", "# Notes\n\nbuy milk\n", FULL, true],
	];
	test.each(TABLE)("%s", (_, text, state, expected) => {
		expect(conflicts(readSummaryMarkdown(text), state)).toBe(expected);
	});
});
