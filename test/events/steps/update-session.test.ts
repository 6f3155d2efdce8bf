import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readLastCompaction } from "../../../src/claude/transcript/compactions.ts";
import { sessionContext } from "../../../src/core/context/project.ts";
import { sessionFields } from "../../../src/doctor/sandbox.ts";
import type { EventHandler, Hook } from "../../../src/events/run/event.ts";
import { sessionEnd } from "../../../src/events/session-end.ts";
import { updateSession } from "../../../src/events/steps/update-session.ts";
import { stop } from "../../../src/events/stop.ts";
import { readLastUsage } from "../../../src/store/pressure/flags.ts";
import { changeCycle, readCycle } from "../../../src/store/session/cycles.ts";
import { readRecord } from "../../../src/store/session/records.ts";
import { loadSnapshot } from "../../kit/cycle.ts";
import { Transcript } from "../../kit/events.ts";
import { type EventSession, eventSession, hookOf } from "../../kit/services.ts";

let at: EventSession;
let transcript: Transcript;
beforeEach(() => {
	at = eventSession("keep");
	transcript = new Transcript(at.project);
});
const hook = (fields: object = {}, more: Partial<Hook> = {}): Hook =>
	hookOf(at.home, { ...sessionFields(at), ...fields }, { now: at.now, ...more });
const end = (handler: EventHandler = stop, fields: object = {}): unknown => handler(hook(fields));
const snapshot = () => loadSnapshot(at.stored, at.now);
const seen = () => sessionContext(snapshot(), "");
const contents = (): string[] => seen().recent_history.map(({ content }) => content);

test("each reading goes on where the last one ended, a half line waits", () => {
	transcript.typed("one").said("two").write(at.transcript);
	end();
	expect(contents()).toEqual(["one", "two"]);
	transcript.typed("three").typed("four");
	const text = transcript.text();
	writeFileSync(at.transcript, text.slice(0, -20));
	end();
	expect(contents()).toEqual(["one", "two", "three"]);
	writeFileSync(at.transcript, text);
	for (let n = 0; n < 3; n++) end();
	expect(contents()).toEqual(["one", "two", "three", "four"]);
	expect(seen().cursor.transcript_offset).toBe(text.length);
	// two of the readings had nothing new to write
	expect(readRecord(at.stored)?.revision).toBe(3);
});

test("what runs in the background ends with the session; one that is resumed goes on with its plan", () => {
	transcript.typed("Build it").todos(["a", "in_progress"]).boundary().write(at.transcript);
	end(stop, { background_tasks: [{ id: "b1", type: "shell", status: "running", description: "srv" }] });
	end(sessionEnd, { hook_event_name: "SessionEnd", reason: "prompt_input_exit" });
	expect(seen().system_state).toMatchObject({ ended: "prompt_input_exit", compactions: 1 });
	expect(seen().background_tasks).toMatchObject([{ id: "b1", status: "interrupted" }]);
	transcript.typed("go on").todos(["a", "completed"]).write(at.transcript);
	at.later(120);
	end();
	const { system_state, current_plan, last_known_environment } = seen();
	expect(system_state.ended).toBe("");
	expect(current_plan).toMatchObject({ goal: "Build it", status: "Completed" });
	expect(last_known_environment?.workspace).toBe(at.project);
});

test.each([
	["Stop", stop, { hook_event_name: "Stop" }],
	["a session's end", sessionEnd, { hook_event_name: "SessionEnd", reason: "other" }],
] as const)("%s measures where no status line does, and only there", (_, handler, fields) => {
	transcript.usage(30_000).write(at.transcript);
	end(handler, fields);
	expect(readLastUsage(at.stored)).toMatchObject({ tokens: 30_000 });
	const { statusLine } = at.stored.paths;
	mkdirSync(dirname(statusLine), { recursive: true });
	writeFileSync(statusLine, "{}");
	transcript.usage(60_000).write(at.transcript);
	end(handler, fields);
	expect(readLastUsage(at.stored)).toMatchObject({ tokens: 30_000 });
	expect(seen().system_state.context_tokens).toBe(60_000);
});

test("a long transcript is caught up by several runs, each within its time: the same in the end", () => {
	for (let n = 0; n < 40; n++)
		transcript
			.typed(`Never touch file${n}.c.`)
			.call("Read", { file_path: `/p/${n}` }, `name_${n}`)
			.said("Read.");
	transcript.boundary().rejected("Bash", { command: "make" }, "no").write(at.transcript);
	updateSession(hook());
	const whole = snapshot();
	rmSync(at.store, { recursive: true });
	const budget = { spentMs: () => 1, isTimeUp: () => true };
	let runs = 0;
	for (let before = -1; snapshot().cursor.transcript_offset > before; runs++) {
		before = snapshot().cursor.transcript_offset;
		updateSession(hook({}, { budget }));
	}
	expect(runs).toBeGreaterThan(5);
	const last = snapshot();
	for (const name of ["state", "tool_stats", "cursor"] as const) expect(last[name], name).toEqual(whole[name]);
});

test("a transcript that was written anew: what the old one's places told counts no more", () => {
	const session = at.stored;
	for (let n = 0; n < 40; n++) transcript.typed(`message ${n}, long enough to be far behind`);
	transcript.write(at.transcript);
	end(stop, { background_tasks: [], session_crons: [] });
	const { transcript_offset: place } = snapshot().cursor;
	changeCycle(session, (cycle) => {
		cycle.seen = { pos: place, branch: "" };
		cycle.began = { key: "k", at: "", place, trigger: "auto", stage: "done" };
		cycle.prepared = { key: "l", at: "", place, trigger: "manual" };
	});
	const anew = new Transcript(at.project).typed("go").boundary();
	anew.call("Bash", { command: "npm run dev" }, "", { detail: { backgroundTaskId: "b1" } }).write(at.transcript);
	updateSession(hook());
	expect(snapshot().state.backgroundTasks).toMatchObject([{ id: "b1" }]);
	const { seen, began, prepared } = readCycle(session);
	// no boundary of before proves it
	expect(prepared?.place).toBe(snapshot().cursor.transcript_offset);
	expect([seen, began?.place]).toEqual([undefined, readLastCompaction(at.transcript).boundary()?.offset]);
	expect(began!.place).toBeLessThan(place);
});
