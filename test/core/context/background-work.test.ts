import { describe, expect, test } from "vitest";
import { afterLate, contextOf, sessionOf } from "../../kit/applied.ts";
import { at, call } from "../../kit/session-events.ts";

const AT = Date.parse(at) / 1000;

test("a process the shell left running ends by a command that names it, not by Claude Code's list", () => {
	const started = call("Bash", { command: "nohup ./watcher.sh &" });
	expect(contextOf(started).background_tasks).toMatchObject([{ kind: "detached", status: "running" }]);
	const listed = afterLate(sessionOf(started), [{ v: 1, kind: "background", at, id: "x", tasks: [] }]);
	expect(listed.context.background_tasks).toMatchObject([{ status: "running" }]);
	expect(contextOf(started, call("Bash", { command: "pkill -f ./watcher.sh" })).background_tasks).toMatchObject([
		{ status: "ended" },
	]);
});

describe("background work", () => {
	const started = call("Bash", { command: "npm start" }, "Command running in background with ID: b1", false, {
		backgroundTaskId: "b1",
	});
	const seen = (id: string, kind = "shell") => ({
		id,
		kind,
		description: "d",
		status: "running" as const,
		output: "",
		started_at: 0,
		seen_at: 0,
	});
	test("started by a result, ended by a notice or a call that stops it", () => {
		expect(contextOf(started).background_tasks).toMatchObject([
			{ id: "b1", kind: "shell", description: "npm start", status: "running", started_at: AT },
		]);
		expect(contextOf(started, { kind: "ended", at, id: "b1", status: "completed" }).background_tasks).toMatchObject([
			{ status: "ended" },
		]);
		expect(contextOf(started, call("TaskStop", { task_id: "b1" })).background_tasks).toMatchObject([
			{ status: "ended" },
		]);
		expect(contextOf(started, call("TaskStop", { task_id: "b2" })).background_tasks).toMatchObject([
			{ status: "running" },
		]);
	});
	test("Claude Code's own list decides; a compaction changes nothing", () => {
		const before = sessionOf(started, {
			kind: "boundary",
			at,
			uuid: "b",
			trigger: "auto",
			preTokens: 1,
			postTokens: null,
		});
		const after = afterLate(before, [
			{ v: 1, kind: "background", at, id: "x", tasks: [seen("b2"), seen("c1", "schedule")] },
		]);
		expect(after.context.background_tasks.map(({ id, status }) => [id, status])).toEqual([
			["b1", "ended"],
			["b2", "running"],
			["c1", "running"],
		]);
		const ended = afterLate(after, [{ v: 1, kind: "ended", at, id: "y", reason: "other" }]);
		expect(ended.context.background_tasks.map(({ id, status }) => [id, status])).toEqual([
			["b1", "ended"],
			["b2", "interrupted"],
			["c1", "running"],
		]);
		expect(ended.context.system_state.ended).toBe("other");
		expect(before.context.background_tasks[0]!.status).toBe("running");
	});
});
