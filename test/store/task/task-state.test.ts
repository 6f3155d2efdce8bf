import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { summaryMarkdown } from "../../../src/core/block/task-summary.ts";
import { startupDecision } from "../../../src/core/task/startup.ts";
import { initialState, type TaskState } from "../../../src/core/task/task-state.ts";
import { applyUpdate, type TaskUpdate } from "../../../src/core/task/task-update.ts";
import { beginTask, readTask, taskPaths } from "../../../src/store/task/task-state.ts";
import { inBatches, LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-01-31T12:00:00.000Z");
const first = (): TaskState =>
	initialState({ task_id: "task-1", session_id: null, goal: "port", at: NOW.toISOString() });

let folder: string;
beforeEach(() => {
	folder = join(scratch("task-state"), "root");
});

const decided = () => startupDecision(readTask(folder));

/** What stands on disk when the power goes between two writes, and what the next start makes of it. */
test.each<[string, () => void, string]>([
	["the first state alone", () => cutShort(first()), "initialise"],
	["a checkpoint without its summary", () => cutShort(after({ next_action: "b" })), "rewrite summary"],
	["the last state without its summary", () => cutShort(after({ next_action: "DONE" })), "finish"],
])("a write that was cut short: %s", (_, cut, act) => {
	cut();
	expect(decided().act).toBe(act);
});

const after = (update: TaskUpdate): TaskState => applyUpdate(beginTask(folder, first()), update, NOW.toISOString());
const cutShort = (state: TaskState): void => {
	mkdirSync(folder, { recursive: true });
	writeFileSync(taskPaths(folder).state, JSON.stringify(state));
};

test("a beginning whose summary can't be written is begun again, not stopped at", () => {
	mkdirSync(folder);
	writeFileSync(taskPaths(folder).summaries, "a file where the folder belongs");
	expect(() => beginTask(folder, first())).toThrow();
	rmSync(taskPaths(folder).summaries);
	// a summary that did get written must not stand without any state: that would be a stop
	expect(readTask(folder).file).toMatchObject({ found: "present", state: { status: "initialising" } });
	expect(decided().act).toBe("initialise");
});

test("of many checkpoints at once, none is lost", async () => {
	const home = scratch("home");
	folder = join(home, ".claude-memory", "sessions", "s-1");
	beginTask(folder, first());
	const env = { HOME: home, CLAUDE_CODE_SESSION_ID: "s-1" };
	const runs = await inBatches(
		Array.from(
			{ length: 24 },
			(_, n) => () =>
				run([LAUNCHER, "task", "checkpoint", "--decision", `number ${n}`, "--pressure", "0.6"], { env, cwd: home }),
		),
		8,
	);
	expect(runs.map(({ code, err }) => `${code}${err}`).filter((text) => text !== "0")).toEqual([]);
	const { file } = readTask(folder);
	expect(file).toMatchObject({ found: "present", state: { revision: 25 } });
	expect(new Set(file.found === "present" ? file.state.decisions.map(({ decision }) => decision) : []).size).toBe(24);
	expect(decided().act).toBe("continue");
});

test("whatever the state holds, the answer is one of the branch's, and only what says that it never began is written over", () => {
	const state = applyUpdate({ ...first(), status: "active" }, { next_action: "b" }, NOW.toISOString());
	const good = `${JSON.stringify(state)}\n`;
	const edit = fc.tuple(fc.nat(good.length), fc.nat(6), fc.string({ unit: "binary", maxLength: 4 }));
	const apply = (text: string, [at, cut, put]: [number, number, string]) =>
		text.slice(0, at) + put + text.slice(at + cut);
	const mutated = fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) => edits.reduce(apply, good));
	const { state: path, summaries, latest } = taskPaths(folder);
	mkdirSync(summaries, { recursive: true });
	writeFileSync(latest, summaryMarkdown(state));
	const expectDecided = (text: string) => {
		writeFileSync(path, text);
		const { act, reason } = decided();
		expect(["initialise", "stop", "finish", "rewrite summary", "continue"]).toContain(act);
		if (act === "initialise") expect(text).toContain("initialising");
		expect(reason).not.toBe("");
	};
	fc.assert(fc.property(fc.oneof(mutated, fc.json(), fc.string({ unit: "binary" })), expectDecided), {
		numRuns: 1_000,
	});
	writeFileSync(path, good);
	expect(decided().act).toBe("continue");
});
