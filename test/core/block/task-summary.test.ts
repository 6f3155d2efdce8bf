import { expect, test } from "vitest";
import { summaryMarkdown } from "../../../src/core/block/task-summary.ts";
import { initialState } from "../../../src/core/task/task-state.ts";
import { parseUpdate, updated } from "../../../src/core/task/task-update.ts";

const AT = "2026-01-31T12:00:00.000Z";
const START = initialState({ task_id: "task-1", session_id: null, goal: "port the parser", at: AT });
const PARTS: [string, string][] = [
	["Goal", "port the parser"],
	["Current phase", "build"],
	["Completed steps", "lexer"],
	["Failed attempts", "regex (nested comments)"],
	["Decisions", "hand-written (speed)"],
	["Files touched", "src/lexer.ts"],
	["Tool outputs", "12 tests pass"],
	["Blockers", "review"],
	["Next action", "write src/parser.ts"],
	["Invariants", "old files stay readable"],
	["Constraints", "no new dependency"],
];

test("the eleven parts stand in their order, each with its lines, and say where there are none", () => {
	const parsed = parseUpdate({
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
	if ("problems" in parsed) throw new Error(parsed.problems.join("; "));
	const text = summaryMarkdown(updated(START, parsed.update, AT));
	expect(text.slice(text.indexOf("\n\n## "))).toBe(
		`${PARTS.map(([heading, line]) => `\n\n## ${heading}\n\n- ${line}`).join("")}\n`,
	);
	expect(summaryMarkdown(START).match(/None recorded\./g)).toHaveLength(8);
});
