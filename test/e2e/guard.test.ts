import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shellWord } from "../../src/core/text/quoted.ts";
import { LAUNCHER, linesOf } from "../kit/sandbox.ts";
import { claudeSandbox } from "./claude-sandbox.ts";
import { type ApiRequest, type Reply, type ScriptedCall, textOf } from "./loopback-api.ts";
import { bash, edit, read, says } from "./replies.ts";

/** Compaction starts at 67,000, so this is 89 percent of the way. The async measurement has to reach the disk first. */
const CRITICAL = { tokens: 60_000, delayMs: 500 };
const CHECKPOINT = bash(`${shellWord(LAUNCHER)} task checkpoint --did "read the list" --next "edit the list"`);

/** A session in which changes wait for a checkpoint, and the model reads and changes a list. */
function withGuard() {
	const made = claudeSandbox();
	made.configure({ guard: { mode: "enforce" }, nudge: { wording: "off" } });
	const file = join(made.project, "list.txt");
	const list = { write: (text: string) => writeFileSync(file, text), now: () => readFileSync(file, "utf8") };
	list.write("one\n");
	return { made, list, readList: read(file), change: (from: string, to: string) => edit(file, from, to) };
}

/** One call in each answer, at critical pressure. Claude Code writes its transcript behind the events: an answer is measured one step later. */
const critical = (...calls: ScriptedCall[]): Reply[] => [
	...[bash("echo begin"), ...calls].map((tool) => ({ tools: [tool], ...CRITICAL })),
	{ text: "the end", ...CRITICAL },
];

test("enforce: an edit is denied, reading and the checkpoint are not, and after it the edit goes on", async () => {
	const { made, list, readList, change } = withGuard();
	const play = () =>
		critical(readList, change("one", "two"), readList, CHECKPOINT, change("one", "three"), change("three", "four"));
	made.queue.push(...play());
	const { session_id } = await made.claude("Change the list.");
	const [, , , denied, readAgain, saved, edited, deniedAgain] = made.main().map(lastResult);
	expect(denied).toMatch(/^PreToolUse:Edit hook error: STATUS:HALT_CONTEXT_LIMIT\n/);
	expect(denied).toContain("`Edit` was not run");
	expect(denied).toContain(`~/.claude-memory/ccg task checkpoint --did`);
	expect(denied).toContain("~/.claude-memory/ccg task resume --session ");
	expect(readAgain).not.toContain("STATUS:");
	expect(saved).toContain("STATUS:HALT_CONTEXT_LIMIT");
	expect(saved).toContain("saved");
	expect(edited).toContain("has been updated");
	// each change needs a checkpoint of its own
	expect(deniedAgain).toMatch(/^PreToolUse:Edit hook error: STATUS:HALT_CONTEXT_LIMIT\n/);
	expect(list.now()).toBe("three\n");
	const state = JSON.parse(readFileSync(join(made.store, "sessions", session_id, "task-state.json"), "utf8"));
	expect(state).toMatchObject({ next_action: "edit the list", session_id });
	expect(linesOf(join(made.store, "log", "ccg.log")).filter((line) => !line.includes(" usage "))).toEqual([]);

	// a person lifts it: the first edit of the same calls goes through without a checkpoint
	made.ccg("task", "resume", "--session", session_id);
	made.api.requests.length = 0;
	list.write("one\n");
	made.queue.push(...play());
	await made.claude("Go on.", "--resume", session_id);
	expect(made.api.requests.length).toBeGreaterThan(6);
	// behind the last result of before; the checkpoint's own answer is among them: it no longer stops either
	expect(made.api.requests.slice(1).filter((one) => lastResult(one).includes("STATUS:"))).toEqual([]);
	expect(list.now()).toBe("two\n");
});

test("in a terminal, measured by the status line, the user sees why, and the person's word lifts it", async () => {
	const { made, list, readList, change } = withGuard();
	const slowly = (tool: ScriptedCall): Reply => ({ tools: [tool], tokens: 60_000, delayMs: 1_500 });
	made.queue.push(...[bash("echo begin"), readList, change("one", "two")].map(slowly), says(60_000, "waiting for you"));
	made.queue.push(slowly(change("one", "two")), says(60_000, "gone on"));
	const terminal = made.terminal("--permission-mode", "acceptEdits");
	await terminal.shows(/not measured yet|no data|to compaction/);
	terminal.send("Change the list.");
	const screen = (await terminal.shows("waiting for you")).replace(/\s+/g, " ");
	expect(screen).toContain("before each change and each shell command it has to save where the task stands");
	expect(list.now()).toBe("one\n");
	made.ccg("task", "resume");
	await terminal.say("Go on.", "gone on");
	expect(list.now()).toBe("two\n");
});

/** The result of the call before: behind it a reminder of Claude Code's own may stand. */
function lastResult({ body }: ApiRequest): string {
	const results = body.messages
		.flatMap(({ content }) => (Array.isArray(content) ? content : []))
		.filter(({ type }) => type === "tool_result");
	return textOf(results.at(-1)?.content);
}
