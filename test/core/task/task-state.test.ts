import { expect, test } from "vitest";
import { checkedState, initialState, isLegacyShape } from "../../../src/core/task/task-state.ts";

const first = initialState({ task_id: "t", session_id: null, goal: "g", at: "2026-01-31T12:00:00.000Z" });

test("a task begins with next_action START and every canonical field", () => {
	expect(first.next_action).toBe("START");
	expect(Object.keys(first)).toEqual(
		expect.arrayContaining(
			"goal current_phase status completed_steps failed_attempts decisions artifacts tool_outputs blockers next_action invariants constraints last_action created_at updated_at version task_id".split(
				" ",
			),
		),
	);
	expect(checkedState({ ...first })).toEqual({ state: first });
});

const without = (name: string): Record<string, unknown> =>
	Object.fromEntries(Object.entries(first).filter(([key]) => key !== name));

test.each(["task_id", "goal", "status", "current_phase", "next_action", "created_at", "updated_at"])(
	"%s is required and a text",
	(name) => {
		expect(checkedState(without(name))).toEqual({ problems: [`${name} is missing`] });
		for (const wrong of [1, null, [], {}])
			expect(checkedState({ ...first, [name]: wrong })).toEqual({ problems: [`${name} is of the wrong type`] });
	},
);

test.each([
	["decisions", "yes", "decisions is no list"],
	["decisions", [{ decision: "x" }], "decisions has an entry of the wrong shape"],
	["failed_attempts", ["x"], "failed_attempts has an entry of the wrong shape"],
	["artifacts", [{ note: "x" }], "artifacts has an entry of the wrong shape"],
	["blockers", [1], "blockers has an entry of the wrong shape"],
	["last_action", { summary: "x" }, "last_action needs summary and outcome"],
	["last_action", "x", "last_action needs summary and outcome"],
	["status", "busy", "status is of the wrong type"],
	["revision", "7", "revision is no whole number"],
])("%s = %j: %s", (name, value, problem) => {
	expect(checkedState({ ...first, [name]: value })).toEqual({ problems: [problem] });
});

test("a list that a person left out is empty", () => {
	expect(checkedState(without("blockers"))).toEqual({ state: first });
	expect(checkedState(without("last_action"))).toEqual({ state: first });
});

test.each([
	[{}, true],
	[{ goal: "x", next_action: "y" }, true],
	[{ version: "1.0", current_phase: "x" }, true],
	[{ version: 0 }, true],
	[{ version: 1, phase: "build", touched_files: [] }, true],
	[{ version: 1, last_successful_action: "x" }, true],
	[{ version: 1, goal: "x" }, false],
	[{ version: 1, current_phase: "x", phase: "y" }, false],
	[{ version: 2 }, false],
	[{ ...first }, false],
])("%j is legacy: %s", (value, legacy) => {
	expect(isLegacyShape(value)).toBe(legacy);
});
