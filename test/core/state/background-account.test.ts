import { expect, test } from "vitest";
import { applyBackgroundAccount } from "../../../src/core/state/background-account.ts";
import { type BackgroundTask, emptyState } from "../../../src/core/state/session-state.ts";

const flight = (id: string, kind: BackgroundTask["kind"], at: string): BackgroundTask => ({
	id,
	kind,
	what: id,
	at,
	output: "",
	order: 1,
});

test("Claude Code's own account: what it does not list has ended, what it lists runs", () => {
	const state = emptyState();
	state.backgroundTasks = [
		flight("b1", "background shell", "2026-01-01T10:00:00Z"),
		flight("b2", "background shell", "2026-01-01T10:00:00Z"),
		flight("b3", "background shell", "2026-01-01T12:00:00Z"),
		flight("call 4", "detached process", "2026-01-01T10:00:00Z"),
	];
	const tasks = [
		{ id: "b2", kind: "shell", description: "npm run dev" },
		{ id: "s9", kind: "schedule", description: "at 9" },
		{ id: "a7", kind: "subagent", description: "Review" },
	];
	applyBackgroundAccount(state, { at: "2026-01-01T11:00:00Z", tasks });
	expect(state.backgroundTasks.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
		"b2 background shell",
		"b3 background shell",
		"call 4 detached process",
		"s9 schedule",
		"a7 agent",
	]);
	applyBackgroundAccount(state, { at: "2026-01-01T13:00:00Z", tasks: [] });
	expect(state.backgroundTasks.map(({ id }) => id)).toEqual(["call 4"]);
});
