import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastCompaction } from "../../../src/claude/transcript/compactions.ts";
import { sessionContext } from "../../../src/core/context/project.ts";
import type { Hook } from "../../../src/events/run/event.ts";
import { sessionEnd } from "../../../src/events/session-end.ts";
import { updateSession } from "../../../src/events/steps/update-session.ts";
import { stop } from "../../../src/events/stop.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { readUsage } from "../../../src/store/pressure/flags.ts";
import { changeCycle, readCycle } from "../../../src/store/session/cycles.ts";
import { readRecord } from "../../../src/store/session/records.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { loadSnapshot } from "../../kit/cycle.ts";
import { Transcript } from "../../kit/events.ts";
import { eventSession, hookOf } from "../../kit/services.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-03-01T10:00:00Z");

function world() {
	const home = scratch("keep");
	const project = join(home, "p");
	mkdirSync(project);
	const root = join(home, ".claude-memory");
	const path = join(home, "t.jsonl");
	const hook = (more: Partial<Hook> = {}, input: object = {}): Hook =>
		hookOf(home, { session_id: "s", transcript_path: path, cwd: project, ...input }, { now: NOW, ...more });
	const snapshot = () => loadSnapshot(sessionAt(storeAt(root), "s"), NOW);
	const seen = () => sessionContext(snapshot(), "");
	return {
		home,
		project,
		root,
		path,
		hook,
		seen,
		snapshot,
		transcript: new Transcript(project, new Date("2026-03-01T09:00:00Z")),
	};
}

const contents = (w: ReturnType<typeof world>): string[] => w.seen().recent_history.map(({ content }) => content);

test("each reading goes on where the last one ended, a half line waits", () => {
	const w = world();
	w.transcript.typed("one").said("two").write(w.path);
	updateSession(w.hook());
	expect(contents(w)).toEqual(["one", "two"]);
	w.transcript.typed("three").typed("four");
	const text = w.transcript.text();
	writeFileSync(w.path, text.slice(0, -20));
	updateSession(w.hook());
	expect(contents(w)).toEqual(["one", "two", "three"]);
	writeFileSync(w.path, text);
	for (let n = 0; n < 3; n++) updateSession(w.hook());
	expect(contents(w)).toEqual(["one", "two", "three", "four"]);
	expect(w.seen().cursor.transcript_offset).toBe(text.length);
	// two of the readings had nothing new to write
	expect(readRecord(sessionAt(storeAt(w.root), "s"))?.number).toBe(3);
});

test("tasks, plan, compaction and approvals come along; a resumed session goes on with its plan", () => {
	const w = world();
	w.transcript
		.typed("Build it")
		.todos(["a", "completed"], ["b", "in_progress"])
		.answered("Tabs?", "yes")
		.boundary()
		.write(w.path);
	stop(w.hook({}, { background_tasks: [{ id: "b1", type: "shell", status: "running", description: "srv" }] }));
	sessionEnd(w.hook({}, { hook_event_name: "SessionEnd", reason: "prompt_input_exit" }));
	expect(w.seen().system_state).toMatchObject({ ended: "prompt_input_exit", compactions: 1 });
	expect(w.seen().background_tasks).toMatchObject([{ id: "b1", status: "interrupted" }]);
	// another process, later
	w.transcript.typed("go on").todos(["a", "completed"], ["b", "completed"]).write(w.path);
	stop(w.hook({ now: new Date("2026-03-01T12:00:00Z") }));
	const context = w.seen();
	expect(context.system_state.ended).toBe("");
	expect(context.current_plan).toMatchObject({ goal: "Build it", status: "Completed" });
	expect(context.current_plan!.steps.map(({ status }) => status)).toEqual(["Completed", "Completed"]);
	expect(context.approvals).toMatchObject([{ kind: "answer", tool: "AskUserQuestion", words: "yes" }]);
	expect(context.last_known_environment?.workspace).toBe(w.project);
});

test("Stop measures where no status line does, and only there", () => {
	const w = world();
	w.transcript.usage(30_000).write(w.path);
	stop(w.hook());
	expect(readUsage(sessionAt(storeAt(w.root), "s"))).toMatchObject({ tokens: 30_000 });
	const { statusLine } = sessionPaths(w.root, "s");
	mkdirSync(join(statusLine, ".."), { recursive: true });
	writeFileSync(statusLine, "{}");
	w.transcript.usage(60_000).write(w.path);
	stop(w.hook());
	expect(readUsage(sessionAt(storeAt(w.root), "s"))).toMatchObject({ tokens: 30_000 });
	expect(w.seen().system_state.context_tokens).toBe(60_000);
});

test("a long transcript is caught up by several runs, each within its time: the same in the end", () => {
	const w = world();
	for (let n = 0; n < 60; n++)
		w.transcript
			.typed(`Never touch file${n}.c.`)
			.call("Read", { file_path: `/p/${n}` }, `name_${n}`)
			.said("Read.");
	w.transcript.boundary().rejected("Bash", { command: "make" }, "no").write(w.path);
	updateSession(w.hook());
	const whole = w.snapshot();
	rmSync(w.root, { recursive: true });
	const budget = { spentMs: () => 1, isSpent: () => true };
	let runs = 0;
	for (let before = -1; w.snapshot().cursor.transcript_offset > before; runs++) {
		before = w.snapshot().cursor.transcript_offset;
		updateSession(w.hook({ budget }));
	}
	expect(runs).toBeGreaterThan(5);
	const last = w.snapshot();
	for (const name of ["state", "tool_stats", "cursor"] as const) expect(last[name], name).toEqual(whole[name]);
});

test("a long turn: a measurement has the record brought up to date, once for so many bytes", async () => {
	const at = eventSession("long-turn");
	const transcript = new Transcript(at.project).typed("Build the cart.").usage(50_000);
	const measure = async (): Promise<number | undefined> => {
		transcript.write(at.transcript);
		expect(await at.launch("post-tool-batch")).toMatchObject({ code: 0, out: "" });
		return readUsage(at.stored)?.updatedTo;
	};
	expect(await measure()).toBeUndefined();
	for (let i = 0; i < 30; i++) transcript.call("Bash", { command: `echo ${i}` }, `${i} done\n`.repeat(2_000));
	const reached = await measure();
	expect(reached).toBe(statSync(at.transcript).size);
	const offset = () => readRecord(at.stored)?.record.cursor.transcript_offset;
	for (let i = 0; i < 100 && offset() === undefined; i++) await Bun.sleep(50);
	expect(offset()).toBe(reached);
	transcript.call("Bash", { command: "echo more" }, "done");
	expect(await measure()).toBe(reached);
});

test("a transcript that was written anew: what the old one's places told counts no more", () => {
	const w = world();
	const session = sessionAt(storeAt(w.root), "s");
	for (let n = 0; n < 40; n++) w.transcript.typed(`message ${n}, long enough to be far behind`);
	w.transcript.write(w.path);
	updateSession(w.hook({}, { background_tasks: [], session_crons: [] }));
	const { transcript_offset: place } = w.snapshot().cursor;
	changeCycle(session, (cycle) => {
		cycle.seen = { pos: place, branch: "" };
		cycle.began = { key: "k", at: "", place, trigger: "auto", stage: "done" };
		cycle.prepared = { key: "l", at: "", place, trigger: "manual" };
	});
	const text = "Command running in background with ID: b1. Output is being written to: /x/b1.output.";
	const anew = new Transcript(w.project, NOW).typed("go").boundary();
	anew.call("Bash", { command: "npm run dev", run_in_background: true }, text).write(w.path);
	updateSession(w.hook());
	expect(w.snapshot().state.backgroundTasks).toMatchObject([{ id: "b1" }]);
	const { seen, began, prepared } = readCycle(session);
	// no boundary of before proves it
	expect(prepared?.place).toBe(w.snapshot().cursor.transcript_offset);
	expect([seen, began?.place]).toEqual([undefined, lastCompaction(w.path).boundary()?.offset]);
	expect(began!.place).toBeLessThan(place);
});
