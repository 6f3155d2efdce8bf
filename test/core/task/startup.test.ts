import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type StateFile, type SummaryFile, startupDecision } from "../../../src/core/task/startup.ts";
import { initialState, type TaskState } from "../../../src/core/task/task-state.ts";

const AT = "2026-01-31T12:00:00.000Z";

function state(more: Partial<TaskState> = {}): TaskState {
	const first = initialState({ task_id: "task-1", session_id: "s-1", goal: "port the parser", at: AT });
	return { ...first, status: "active", next_action: "write the lexer", ...more };
}

const present = (more: Partial<TaskState> = {}): StateFile => ({ found: "present", state: state(more) });
const SUMMARIES: SummaryFile[] = ["absent", "present", "conflicting"];

/** Every kind of state file, beside each of the three summaries: rule, act and signal. */
const TABLE: [string, StateFile, Record<SummaryFile, string>][] = [
	[
		"no state",
		{ found: "absent" },
		{ absent: "2 initialise -", present: "2 stop MISSING_STATE", conflicting: "2 stop MISSING_STATE" },
	],
	["invalid", { found: "invalid", problem: "goal is missing" }, all("3 stop MISSING_STATE")],
	["legacy", { found: "legacy" }, all("3 stop MISSING_STATE")],
	["a beginning cut short", present({ status: "initialising" }), all("2 initialise -")],
	["next_action empty", present({ next_action: "" }), all("4 stop MISSING_STATE")],
	["next_action blank", present({ next_action: " \n\t" }), all("4 stop MISSING_STATE")],
	...["DONE", "COMPLETE", "FINISH", "done", " Finish \n"].map(
		(next_action): [string, StateFile, Record<SummaryFile, string>] => [
			`done: ${JSON.stringify(next_action)}`,
			present({ next_action }),
			all("5 finish COMPLETE"),
		],
	),
	...["START", "DONE with the lexer", "finish the docs"].map(
		(next_action): [string, StateFile, Record<SummaryFile, string>] => [
			`work: ${next_action}`,
			present({ next_action }),
			{ absent: "8 stop MISSING_STATE", present: "7 continue -", conflicting: "9 rewrite summary -" },
		],
	),
];

function all(text: string): Record<SummaryFile, string> {
	return { absent: text, present: text, conflicting: text };
}

describe("the startup branch", () => {
	test.each(
		TABLE.flatMap(([name, file, by]) => SUMMARIES.map((summary) => ({ name, file, summary, expected: by[summary] }))),
	)("$name, summary $summary: $expected", ({ file, summary, expected }) => {
		const { rule, act, signal } = startupDecision(file, summary);
		expect(`${rule} ${act} ${signal?.replace("STATUS:", "") ?? "-"}`).toBe(expected);
	});

	const stateFile: fc.Arbitrary<StateFile> = fc.oneof(
		fc.constant<StateFile>({ found: "absent" }),
		fc.constant<StateFile>({ found: "legacy" }),
		fc.string().map((problem): StateFile => ({ found: "invalid", problem })),
		fc
			.record({
				next_action: fc.oneof(fc.constantFrom("", " ", "DONE", "complete", "FINISH", "START"), fc.string()),
				goal: fc.string(),
				status: fc.constantFrom<TaskState["status"]>("initialising", "active", "blocked", "complete"),
			})
			.map((more): StateFile => present(more)),
	);

	it("holds for every combination: what it may go on from, what it stops at, what it trusts", () => {
		fc.assert(
			fc.property(stateFile, fc.constantFrom(...SUMMARIES), (file, summary) => {
				const decided = startupDecision(file, summary);
				const goesOn = decided.act === "continue" || decided.act === "rewrite summary";
				// safe recovery: the state is there, valid, with a next action, and so is a summary
				if (goesOn) {
					expect(file.found).toBe("present");
					expect(decided.state.next_action.trim()).not.toBe("");
					expect(summary).not.toBe("absent");
					expect(decided.act === "rewrite summary").toBe(summary === "conflicting");
				}
				expect(decided.signal === null).toBe(goesOn || decided.act === "initialise");
				// nothing but an absent state, or one that never began, is written over
				if (decided.act === "initialise" && file.found !== "absent")
					expect(file.found === "present" && file.state.status).toBe("initialising");
				// the durable state is handed on as it is
				if ("state" in decided && file.found === "present") expect(decided.state).toBe(file.state);
				expect(decided.reason).toBeTypeOf("string");
				expect(startupDecision(file, summary)).toEqual(decided);
			}),
			{ numRuns: 2_000 },
		);
	});
});
