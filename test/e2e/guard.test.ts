import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shellWord } from "../../src/core/text/shell-word.ts";
import { LAUNCHER, linesOf } from "../kit/sandbox.ts";
import { type ClaudeSandbox, claudeSandbox, everything, times, transcriptOf } from "./claude-sandbox.ts";
import { type ApiRequest, playing, type Reply, type ScriptedCall, textOf } from "./loopback-api.ts";
import { bash, edit, read } from "./replies.ts";

let made: ClaudeSandbox;

/** Compaction starts at 67,000, so this is 89 percent of the way. The async measurement has to reach the disk first. */
const CRITICAL = { tokens: 60_000, delayMs: 500 };
const CHECKPOINT = bash(`${shellWord(LAUNCHER)} task checkpoint --did "read the list" --next "edit the list"`);

const file = (): string => join(made.project, "list.txt");
const readList = (): ScriptedCall => read(file());
const change = (from: string, to: string): ScriptedCall => edit(file(), from, to);

/** A session in which the model answers in this order, from the first main request that is kept on. */
function withGuard(mode: string, replies: () => Reply[]): ClaudeSandbox {
	made = claudeSandbox((request) => {
		const main = made.main().length;
		return playing(request.kind === "main" ? replies().slice(main - 1, main) : replies())(request, 0);
	});
	made.configure({ guard: { mode }, nudge: { wording: "off" } });
	writeFileSync(file(), "one\n");
	return made;
}

/** One call in each answer, at critical pressure. Claude Code writes its transcript behind the events: an answer is measured one step later. */
const critical = (...calls: ScriptedCall[]): Reply[] => [
	...[bash("echo begin"), ...calls].map((tool) => ({ tools: [tool], ...CRITICAL })),
	{ text: "the end", ...CRITICAL },
];

test("enforce: an edit is denied, reading and the checkpoint are not, and after it the edit goes on", async () => {
	withGuard("enforce", () =>
		critical(readList(), change("one", "two"), readList(), CHECKPOINT, change("one", "three"), change("three", "four")),
	);
	const { session_id } = await made.claude("Change the list.");
	const [, , , denied, readAgain, saved, edited, deniedAgain] = made.api.requests
		.filter(({ kind }) => kind === "main")
		.map(lastResult);
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
	expect(readFileSync(file(), "utf8")).toBe("three\n");
	const state = JSON.parse(readFileSync(join(made.store, "sessions", session_id, "task-state.json"), "utf8"));
	expect(state).toMatchObject({ next_action: "edit the list", session_id });
	expect(linesOf(join(made.store, "log", "ccg.log")).filter((line) => !line.includes(" usage "))).toEqual([]);

	// a person lifts it: the first edit of the same calls goes through without a checkpoint
	made.ccg("task", "resume", "--session", session_id);
	made.api.requests.length = 0;
	writeFileSync(file(), "one\n");
	await made.claude("Go on.", "--resume", session_id);
	expect(made.api.requests.length).toBeGreaterThan(6);
	// behind the last result of before; the checkpoint's own answer is among them: it no longer stops either
	expect(made.api.requests.slice(1).filter((one) => lastResult(one).includes("STATUS:"))).toEqual([]);
	expect(readFileSync(file(), "utf8")).toBe("two\n");
});

test("warn: the same edit is not denied, and the user is told once", async () => {
	withGuard("warn", () =>
		critical(
			bash(`${LAUNCHER} task ensure --goal "Change the list"`),
			change("one", "two"),
			change("two", "three"),
			readList(),
		),
	);
	const { session_id } = await made.claude("Change the list.");
	const last = made.api.requests.at(-1)!;
	// what `task ensure` itself says, and no denial
	expect(times(last, "STATUS:HALT_CONTEXT_LIMIT")).toBe(1);
	expect(readFileSync(file(), "utf8")).toBe("three\n");
	expect(everything(last)).not.toContain("the context is nearly full");
	expect(toldIn(transcriptOf(made, session_id))).toEqual([expect.stringContaining("60,000 of 67,000 tokens")]);
});

test("in a terminal, measured by the status line, the user sees why, and the person's word lifts it", async () => {
	withGuard("enforce", () => [
		{ tools: [bash("echo begin")], tokens: 60_000, delayMs: 1_500 },
		{ tools: [readList()], tokens: 60_000, delayMs: 1_500 },
		{ tools: [change("one", "two")], tokens: 60_000, delayMs: 1_500 },
		{ text: "waiting for you", tokens: 60_000 },
		{ tools: [change("one", "two")], tokens: 60_000, delayMs: 1_500 },
		{ text: "gone on", tokens: 60_000 },
	]);
	const terminal = made.terminal("--permission-mode", "acceptEdits");
	await terminal.shows(/not measured yet|no data|to compaction/);
	terminal.send("Change the list.");
	const screen = (await terminal.shows("waiting for you")).replace(/\s+/g, " ");
	expect(screen).toContain("before each change and each shell command it has to save where the task stands");
	expect(readFileSync(file(), "utf8")).toBe("one\n");
	made.ccg("task", "resume");
	await terminal.say("Go on.", "gone on");
	expect(readFileSync(file(), "utf8")).toBe("two\n");
});

/** The result of the call before: behind it a reminder of Claude Code's own may stand. */
function lastResult({ body }: ApiRequest): string {
	const results = body.messages
		.flatMap(({ content }) => (Array.isArray(content) ? content : []))
		.filter(({ type }) => type === "tool_result");
	return textOf(results.at(-1)?.content);
}

/** What the halt gate said to the user, as Claude Code recorded it. */
function toldIn(transcript: string): string[] {
	return readFileSync(transcript, "utf8")
		.split("\n")
		.filter((line) => line.includes('"hook_system_message"'))
		.map((line) => JSON.parse(line).attachment.content as string)
		.filter((text) => text.startsWith("ccg: the context is nearly full"));
}
