import { join } from "node:path";
import { expect, test } from "vitest";
import { applyLine, applyTaskList, endSession } from "../../../src/core/context/apply.ts";
import { sessionContext } from "../../../src/core/context/project.ts";
import { emptySnapshot } from "../../../src/core/context/session-context.ts";
import { isGoodMoment } from "../../../src/core/session/status.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { corpus } from "../../kit/corpus.ts";
import { at, call, eventsIn, message, stateOf } from "../../kit/session-events.ts";

const CASES = corpus(join(import.meta.dirname, "sessions.txt"));

/** The record of a session of these events, each a line of its own. */
function recordOf(...events: TranscriptEvent[][]) {
	const record = emptySnapshot("s", Date.parse(at) / 1000);
	for (const [n, event] of events.flat().entries()) applyLine(record, { pos: n * 10, uuid: `u${n}`, events: [event] });
	return record;
}

test.each(Object.entries(CASES))("%s", (_, rows) => {
	expect.hasAssertions();
	const isExpected = (row: string) => /^(?:state|context) /.test(row);
	const record = recordOf(...rows.filter((row) => !isExpected(row)).map(eventsIn));
	const known = { state: record.state, context: sessionContext(record, "") };
	for (const [, name, part] of rows.filter(isExpected).map((row) => /^(\w+) (.*)$/.exec(row)!))
		expect(known[name as "state"]).toMatchObject(JSON.parse(part!));
});

const bash = (command: string, text = "ok", failed = false, detail: unknown = null) =>
	call("Bash", { command }, text, failed, detail);
const started = (id: string) =>
	bash("npm run dev", `Command running in background with ID: ${id}.`, false, { backgroundTaskId: id });
const many = (n: number, text: (i: number) => string): string[] => Array.from({ length: n }, (_, i) => text(i));
const said = (...texts: string[]) => stateOf(texts.map((text) => message(text)));

test("in the session context Claude Code's own list decides what runs; the session's end interrupts", () => {
	const task = (id: string, kind: string) => ({ id, kind, description: "d" });
	const record = recordOf(started("b0"), started("b1"), call("TaskStop", { task_id: "b0" }));
	const statuses = () =>
		Object.fromEntries(sessionContext(record, "").background_tasks.map(({ id, status }) => [id, status]));
	expect(statuses()).toEqual({ b0: "ended", b1: "running" });
	applyTaskList(record, {
		at,
		pos: 1_000,
		tasks: [task("b2", "shell"), task("c1", "schedule"), task("a7", "subagent")],
	});
	expect(statuses()).toEqual({ b0: "ended", b1: "ended", b2: "running", c1: "running", a7: "running" });
	// what began behind the list may run
	record.state.backgroundTasks.push({ ...record.state.backgroundTasks[0]!, id: "b3", pos: 1_001 });
	applyTaskList(record, { at, pos: 1_001, tasks: [task("c1", "schedule"), task("a7", "subagent")] });
	expect(record.state.backgroundTasks.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
		...["c1 schedule", "a7 agent", "b3 background shell"],
	]);
	endSession(record, "other", at);
	expect(statuses()).toMatchObject({ b2: "ended", b3: "interrupted", c1: "running", a7: "interrupted" });
	expect(sessionContext(record, "").system_state.ended).toBe("other");
});

test("tool statistics: total, by tool, failures; a tool called __proto__ is one like others", () => {
	const { tool_stats: stats } = recordOf(
		bash("a"),
		bash("b", "no", true),
		call("__proto__", {}),
		call("constructor", {}),
	);
	expect([stats.total_calls, stats.failures]).toEqual([4, 1]);
	expect(Object.entries(stats.by_tool).join(" ")).toBe("Bash,2 __proto__,1 constructor,1");
});

test("of a huge message its beginning, its end and what lasts in between stay, whole; the rest is counted", () => {
	const filler = many(300, (i) => `Line ${i} tells how it was. `).join("");
	const rule = "Never change the schema of the orders table.";
	const [huge] = said(`Here is the log. ${filler}${rule} ${filler}So please fix the parser in src/lex.ts.`).messages;
	expect(huge!.text).toMatch(/^Here is the log. Line 0.*Never change the schema of the orders table\..*lex\.ts\.$/s);
	expect(huge!.text.length).toBeLessThanOrEqual(6_000);
	const [cut] = said("x".repeat(10_000)).messages;
	const left = Number(/ \[…(\d+) characters…\] /.exec(cut!.text)![1]);
	expect(cut!.text.match(/x/g)!.length + left).toBe(10_000);
	expect(cut!.text.length).toBeGreaterThan(5_800);
});

test("of too many messages and refusals a rule stays, and so does what was said last; the rest is counted", () => {
	const state = said("Never touch the file legacy.c.", ...many(600, (i) => `Make sure part ${i} compiles for now.`));
	expect([state.messages.length, state.messages[0]!.text]).toEqual([400, "Never touch the file legacy.c."]);
	expect(state.dropped).toEqual({ messages: 201 });
	const rules = said(...many(450, (i) => `Never touch file ${i}.`), "Now look at it.");
	expect(rules.messages.at(-1)!.text).toBe("Now look at it.");
	const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected";
	const refused = (command: string, more = "") => bash(command, refusal + more, true, "User rejected tool use");
	const corrected = refused("sudo ls", ". To tell you how to proceed, the user said:\nNever use sudo here.");
	const { decisions } = stateOf(corrected, ...many(400, String).map((n) => refused(`rm ${n}`)));
	expect([decisions[0]?.words, decisions.length]).toEqual(["Never use sudo here.", 200]);
});

test("what is kept of calls, of background work and of the agent's words stays small, the newest stay", () => {
	const all = Array.from({ length: 300 }, (_, i): TranscriptEvent[] => [
		...bash(`./x${i}.sh`, "y".repeat(9_000)),
		...started(`b${i}`),
		{ kind: "said", at, text: `${i} ${"word ".repeat(100)}` },
	]);
	const { calls, prose, backgroundTasks } = stateOf(
		...all,
		bash("last", `${"z ".repeat(2 ** 19)}ERROR: the disk is full`),
	);
	expect([calls.length, calls.at(-1)!.subject]).toEqual([40, "last"]);
	expect(calls.at(-1)!.output).toMatch(/^…[z ]{100,}ERROR: the disk is full$/);
	expect(JSON.stringify(calls).length).toBeLessThan(40 * 700);
	expect(prose.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(16_000);
	expect(prose.at(-1)!.text).toMatch(/^299 /);
	expect([backgroundTasks.length, backgroundTasks[0]!.id]).toEqual([40, "b260"]);
	const said = (text: string): TranscriptEvent => ({ kind: "said", at, text });
	expect(stateOf(said("The end."), said("\u200b")).prose.map(({ text }) => text)).toEqual(["The end."]);
});

const edit = call("Edit", { file_path: "/p/a.ts", old_string: "a", new_string: "b" }, "updated");
const commit = bash("git commit -qm x", "[main 1a2b3c4] Add the parser");
const ask = [message("Add the parser.")];
const saying = (text: string): TranscriptEvent[] => [{ kind: "said", at, text }];
const task = (status: string) =>
	call("TodoWrite", { todos: [{ content: "Parse", status, activeForm: "Parsing" }] }, "Todos have been modified");

test.each<[string, TranscriptEvent[][]]>([
	["the edit was committed", [ask, edit, commit, saying("Committed.")]],
	["and pushed", [ask, edit, commit, bash("git push", "done"), saying("Pushed.")]],
	["nothing was edited", [ask, commit]],
	["and the tasks are done", [ask, task("completed"), edit, commit]],
])("a good moment: %s", (_, events) => expect(isGoodMoment(stateOf(...events))).toBe(true));

test.each<[string, TranscriptEvent[][]]>([
	["nothing happened", []],
	["nothing was committed", [ask, edit, saying("Done.")]],
	["something was edited since", [ask, commit, edit]],
	["it was committed in an earlier turn", [ask, edit, commit, [message("And why?")], saying("Because.")]],
	["much was done since", [ask, edit, commit, ...many(9, String).map((n) => bash(`ls ${n}`))]],
	["a task is open", [ask, task("in_progress"), edit, commit]],
	["something runs in the background", [ask, started("b1"), edit, commit]],
	["the agent asks", [ask, edit, commit, saying("Committed. Shall I push it?")]],
	["it asks, and says how to answer", [ask, edit, commit, saying("Committed. **Shall I push it?** (yes/no)")]],
	["it asks before a list", [ask, edit, commit, saying("Which one is next?\n\n1. The cart\n2. The list")]],
	["it asks in Chinese", [ask, edit, commit, saying("已提交。要推送吗？")]],
	["the commit failed", [ask, edit, bash("git commit -qm x", "nothing to commit", true)]],
])("no good moment: %s", (_, events) => expect(isGoodMoment(stateOf(...events))).toBe(false));
