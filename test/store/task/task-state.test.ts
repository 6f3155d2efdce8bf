import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { summaryMarkdown } from "../../../src/core/block/task-summary.ts";
import { decideStartup } from "../../../src/core/task/startup.ts";
import { initialState } from "../../../src/core/task/task-state.ts";
import { applyUpdate } from "../../../src/core/task/task-update.ts";
import { readTask, taskPaths } from "../../../src/store/task/task-state.ts";
import { ccg, inBatches, sandbox } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";

test("of many checkpoints at once, none is lost", async () => {
	const at = sandbox("task");
	const save = (n: number) => () => ccg(at, ["task", "checkpoint", "--decision", `number ${n}`, "--pressure", "0.6"]);
	const runs = await inBatches(
		Array.from({ length: 24 }, (_, n) => save(n)),
		8,
	);
	expect(runs.filter(({ code, err }) => code !== 0 || err)).toEqual([]);
	const state = JSON.parse(readFileSync(join(at.store, "sessions", at.sid, "task-state.json"), "utf8"));
	expect(state.revision).toBe(25);
	expect(new Set(state.decisions.map((one: { decision: string }) => one.decision)).size).toBe(24);
});

test("whatever the state holds, the answer is one of the branch's, and only what says that it never began is written over", () => {
	const at = "2026-01-31T12:00:00.000Z";
	const first = initialState({ task_id: "task-1", session_id: null, goal: "port", at });
	const state = applyUpdate({ ...first, status: "active" }, { next_action: "b" }, at);
	const good = `${JSON.stringify(state)}\n`;
	const edit = fc.tuple(fc.nat(good.length), fc.nat(6), fc.string({ unit: "binary", maxLength: 4 }));
	const apply = (text: string, [at, cut, put]: [number, number, string]) =>
		text.slice(0, at) + put + text.slice(at + cut);
	const mutated = fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) => edits.reduce(apply, good));
	const folder = join(scratch("task-state"), "root");
	const { state: path, summaries, latest } = taskPaths(folder);
	mkdirSync(summaries, { recursive: true });
	writeFileSync(latest, summaryMarkdown(state));
	const decide = (text: string) => {
		writeFileSync(path, text);
		return decideStartup(readTask(folder));
	};
	const expectDecided = (text: string) => {
		const { act, reason } = decide(text);
		expect(["initialise", "stop", "finish", "rewrite summary", "continue"]).toContain(act);
		if (act === "initialise") expect(text).toContain("initialising");
		expect(reason).not.toBe("");
	};
	const any = fc.oneof(mutated, fc.json(), fc.string({ unit: "binary" }));
	fc.assert(fc.property(any, expectDecided), { numRuns: 500 });
	expect(decide(good).act).toBe("continue");
});
