import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionContext } from "../../../src/core/context/project.ts";
import type { Services } from "../../../src/events/run/event.ts";
import { sessionEnd } from "../../../src/events/session-end.ts";
import { updateSession } from "../../../src/events/steps/update-session.ts";
import { stop } from "../../../src/events/stop.ts";
import { loadConfig } from "../../../src/store/config/config.ts";
import { withLock } from "../../../src/store/kernel-lock.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { readUsage } from "../../../src/store/pressure/usage-record.ts";
import { readRecords } from "../../../src/store/session/event-log.ts";
import { loadSnapshot } from "../../../src/store/session/session-snapshot.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { Transcript } from "../../kit/events.ts";
import { inBatches, LAUNCHER, run } from "../../kit/sandbox.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-03-01T10:00:00Z");

function world() {
	const home = scratch("keep");
	const project = join(home, "p");
	mkdirSync(project);
	const root = join(home, ".claude-memory");
	const path = join(home, "t.jsonl");
	const logged: string[] = [];
	const services: Services = {
		env: { HOME: home },
		root,
		config: loadConfig(root).config,
		now: NOW,
		launcher: "/c",
		log: (reason) => logged.push(String(reason)),
		tell: ({ text }) => logged.push(text),
	};
	const input = { session_id: "s", transcript_path: path, cwd: project };
	const seen = () => sessionContext(loadSnapshot(sessionAt(storeAt(root), "s"), NOW));
	const snapshot = () => loadSnapshot(sessionAt(storeAt(root), "s"), NOW);
	const events = () => readRecords(sessionAt(storeAt(root), "s")).records;
	return {
		home,
		project,
		root,
		path,
		logged,
		services,
		input,
		seen,
		snapshot,
		events,
		transcript: new Transcript(project, new Date("2026-03-01T09:00:00Z")),
	};
}

const contents = (w: ReturnType<typeof world>): string[] => w.seen().recent_history.map(({ content }) => content);

test("each reading goes on where the last one ended, a half line waits", () => {
	const w = world();
	w.transcript.typed("one").said("two").write(w.path);
	updateSession(w.input, w.services);
	expect(contents(w)).toEqual(["one", "two"]);
	w.transcript.typed("three").typed("four");
	const text = w.transcript.text();
	writeFileSync(w.path, text.slice(0, -20));
	updateSession(w.input, w.services);
	expect(contents(w)).toEqual(["one", "two", "three"]);
	writeFileSync(w.path, text);
	for (let n = 0; n < 3; n++) updateSession(w.input, w.services);
	expect(contents(w)).toEqual(["one", "two", "three", "four"]);
	expect(w.events().filter(({ kind }) => kind === "message")).toHaveLength(4);
	expect(w.seen().cursor.transcript_offset).toBe(text.length);
	expect(w.logged).toEqual([]);
});

test("killed between the event log and the context: every line once in both", () => {
	const w = world();
	w.transcript
		.typed("one")
		.call("Bash", { command: "ls" }, "x")
		.rejected("Edit", { file_path: "/f" }, "not that one")
		.write(w.path);
	updateSession(w.input, w.services);
	const before = readFileSync(sessionPaths(w.root, "s").state);
	w.transcript.typed("two").said("three").usage(20_000).write(w.path);
	updateSession(w.input, w.services);
	const lines = readFileSync(sessionPaths(w.root, "s").events, "utf8");
	const whole = w.seen();
	// the second run's context never reached the disk
	writeFileSync(sessionPaths(w.root, "s").state, before);
	updateSession(w.input, w.services);
	expect(readFileSync(sessionPaths(w.root, "s").events, "utf8")).toBe(lines);
	// but for what the machine is doing
	const { last_known_environment: environment } = w.seen();
	expect(w.seen()).toEqual({ ...whole, last_known_environment: environment });
	// nor did the first, and the last line was torn
	rmSync(sessionPaths(w.root, "s").state);
	rmSync(`${sessionPaths(w.root, "s").state}.last`);
	writeFileSync(sessionPaths(w.root, "s").events, lines.slice(0, -30));
	updateSession(w.input, w.services);
	const ids = w.events().map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
	expect(w.seen().recent_history).toEqual(whole.recent_history);
	expect(w.seen().token_usage).toEqual(whole.token_usage);
	const held = new Map(w.events().map((record) => [record.id, record]));
	for (const { id } of whole.recent_history) expect(held.has(id)).toBe(true);
});

test("what the compactor summarises stands in the event log, by the ids the summary names", () => {
	const w = world();
	for (let n = 0; n < 130; n++) w.transcript.typed(`message ${n}`);
	w.transcript.write(w.path);
	updateSession(w.input, w.services);
	expect(w.seen().recent_history).toHaveLength(50);
	const messages = w.events().flatMap((record) => (record.kind === "message" ? [record] : []));
	expect(messages.map(({ text }) => text)).toEqual(Array.from({ length: 130 }, (_, n) => `message ${n}`));
	const [, first, last] = /in the event log from (\S+) to (\S+)\./.exec(w.seen().long_term_summary)!;
	const [from, to] = [first, last].map((id) => messages.findIndex((one) => one.id === id));
	expect([from, to]).toEqual([0, 79]);
	expect(w.events().findLast(({ kind }) => kind === "summarised")).toMatchObject({ entries: 80, first, last });
});

test("tasks, plan, compaction and approvals come along; a resumed session goes on with its plan", () => {
	const w = world();
	w.transcript
		.typed("Build it")
		.todos(["a", "completed"], ["b", "in_progress"])
		.answered("Tabs?", "yes")
		.boundary()
		.write(w.path);
	stop(
		{
			...w.input,
			background_tasks: [{ id: "b1", type: "shell", status: "running", description: "srv" }],
		},
		w.services,
	);
	sessionEnd({ ...w.input, hook_event_name: "SessionEnd", reason: "prompt_input_exit" }, w.services);
	expect(w.seen().system_state).toMatchObject({ ended: "prompt_input_exit", compactions: 1 });
	expect(w.seen().background_tasks).toMatchObject([{ id: "b1", status: "interrupted" }]);
	// another process, later
	w.transcript.typed("go on").todos(["a", "completed"], ["b", "completed"]).write(w.path);
	stop(w.input, { ...w.services, now: new Date("2026-03-01T12:00:00Z") });
	const context = w.seen();
	expect(context.system_state.ended).toBe("");
	expect(context.current_plan).toMatchObject({ goal: "Build it", status: "Completed" });
	expect(context.current_plan!.steps.map(({ status }) => status)).toEqual(["Completed", "Completed"]);
	expect(context.approvals).toMatchObject([{ kind: "answer", tool: "AskUserQuestion", words: "yes" }]);
	expect(w.events().map(({ kind }) => kind)).toEqual(
		expect.arrayContaining(["message", "decision", "task", "compaction", "background", "ended", "zone"]),
	);
	expect(context.last_known_environment?.workspace).toBe(w.project);
});

test("the cycle's nudge stands in the event log once; a transcript that moved is read on", () => {
	const w = world();
	const { nudged, folder } = sessionPaths(w.root, "s");
	mkdirSync(folder, { recursive: true });
	writeFileSync(nudged, '{"version":1,"at":"2026-03-01T09:30:00Z","tokens":130000,"distance":37000,"trigger":167000}');
	w.transcript.typed("one").write(w.path);
	updateSession(w.input, w.services);
	const moved = join(w.home, "elsewhere", "t.jsonl");
	mkdirSync(join(moved, ".."));
	w.transcript.typed("two").write(moved);
	for (let n = 0; n < 2; n++) updateSession({ ...w.input, transcript_path: moved }, w.services);
	expect(w.events().map(({ kind }) => kind)).toEqual(["message", "nudge", "message"]);
	expect(w.events()[1]).toMatchObject({ tokens: 130_000 });
	expect(contents(w)).toEqual(["one", "two"]);
});

test("Stop measures where no status line does, and only there", () => {
	const w = world();
	w.transcript.usage(30_000).write(w.path);
	stop(w.input, w.services);
	expect(readUsage(sessionAt(storeAt(w.root), "s"))).toMatchObject({ tokens: 30_000 });
	const { statusLineSeen } = sessionPaths(w.root, "s");
	mkdirSync(join(statusLineSeen, ".."), { recursive: true });
	writeFileSync(statusLineSeen, "{}");
	w.transcript.usage(60_000).write(w.path);
	stop(w.input, w.services);
	expect(readUsage(sessionAt(storeAt(w.root), "s"))).toMatchObject({ tokens: 30_000 });
	expect(w.seen().system_state.context_tokens).toBe(60_000);
});

test("who can't have the lock leaves what only it knows in the event log; the next holder takes it in", () => {
	const w = world();
	w.transcript.typed("one").write(w.path);
	updateSession(w.input, w.services);
	const task = { id: "b7", type: "shell", status: "running", description: "d" };
	w.transcript.typed("two").write(w.path);
	withLock(sessionPaths(w.root, "s").contextLock, () => {
		const start = performance.now();
		updateSession({ ...w.input, background_tasks: [task] }, w.services, { ended: "other" });
		expect(performance.now() - start).toBeLessThan(2_000);
	});
	expect(w.logged).toEqual([]);
	expect(w.events().map(({ kind }) => kind)).toEqual(["message", "background", "ended"]);
	updateSession(w.input, w.services);
	expect(contents(w)).toEqual(["one", "two"]);
	expect(w.seen().background_tasks).toMatchObject([{ id: "b7", status: "interrupted" }]);
});

test.each([
	["missing", () => "/nowhere/t.jsonl", 0],
	["a folder", (w: ReturnType<typeof world>) => w.home, 1],
] as const)("a transcript that is %s: the context is kept, the rest goes on", (_, path, lines) => {
	const w = world();
	updateSession({ ...w.input, transcript_path: path(w) }, w.services);
	expect(w.seen().last_known_environment).not.toBeNull();
	expect(w.logged).toHaveLength(lines);
});

test("a context of a newer ccg is left alone, with a reason", () => {
	const w = world();
	const { state: context } = sessionPaths(w.root, "s");
	mkdirSync(join(context, ".."), { recursive: true });
	writeFileSync(context, '{"version":9}');
	w.transcript.typed("one").write(w.path);
	expect(() => updateSession(w.input, w.services)).toThrow("newer ccg");
	expect(readFileSync(context, "utf8")).toBe('{"version":9}');
});

test("more than 24 MB at once: the end is read, what was left out is told", () => {
	const w = world();
	w.transcript.typed("old");
	for (let n = 0; n < 26; n++) w.transcript.noise(1024 * 1024);
	w.transcript.typed("new").write(w.path);
	updateSession(w.input, w.services);
	expect(contents(w)).toEqual(["new"]);
	expect(w.events().find(({ kind }) => kind === "gap")).toMatchObject({ from: 0, to: expect.any(Number) });
});

test("a long transcript is caught up by several runs, each within its time: the same in the end", () => {
	const w = world();
	for (let n = 0; n < 60; n++)
		w.transcript
			.typed(`Never touch file${n}.c.`)
			.call("Read", { file_path: `/p/${n}` }, `name_${n}`)
			.said("Read.");
	w.transcript.boundary().rejected("Bash", { command: "make" }, "no").write(w.path);
	updateSession(w.input, w.services);
	const whole = w.snapshot();
	const events = w.events();
	rmSync(w.root, { recursive: true });
	const budget = { spentMs: () => 1, isSpent: () => true, limitMs: 0 };
	let runs = 0;
	for (let before = -1; w.snapshot().cursor.transcript_offset > before; runs++) {
		before = w.snapshot().cursor.transcript_offset;
		updateSession(w.input, { ...w.services, budget });
	}
	expect(runs).toBeGreaterThan(5);
	const { recent_history: history, ...rest } = w.snapshot();
	// it was compacted at other moments
	expect(history).toEqual(whole.recent_history.slice(-history.length));
	for (const name of ["state", "facts", "approvals", "tool_stats"] as const)
		expect(rest[name], name).toEqual(whole[name]);
	expect(rest.cursor).toEqual({ ...whole.cursor, event_log_offset: expect.any(Number) });
	const told = (records: typeof events) => records.filter(({ kind }) => kind !== "summarised");
	expect(told(w.events())).toEqual(told(events));
});

test("24 hooks of one session at once: every message once, in order, and silence", async () => {
	const w = world();
	for (let n = 0; n < 40; n++) w.transcript.typed(`message ${n}`);
	w.transcript.write(w.path);
	const input = { ...w.input, hook_event_name: "SessionEnd", reason: "other" };
	const runs = await inBatches(
		Array.from(
			{ length: 24 },
			() => () => run([LAUNCHER, "hook", "session-end"], { env: { HOME: w.home }, cwd: w.project, input }),
		),
		12,
	);
	expect(runs.filter(({ code, out, err }) => code !== 0 || out || err)).toEqual([]);
	expect(existsSync(join(w.root, "log", "ccg.log"))).toBe(false);
	expect(contents(w)).toEqual(Array.from({ length: 40 }, (_, n) => `message ${n}`));
	expect(w.events().filter(({ kind }) => kind === "message")).toHaveLength(40);
});

test("the profile in force stands in the context", () => {
	const w = world();
	w.transcript.typed("one").write(w.path);
	updateSession(w.input, { ...w.services, profile: "careful" });
	expect(w.seen().profile).toBe("careful");
	updateSession(w.input, { ...w.services, profile: null });
	expect(w.seen().profile).toBe("default");
});
