import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shellWord } from "../../src/core/text/quoted.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { claudeSandbox } from "./claude-sandbox.ts";
import { type ApiRequest, type Reply, type ScriptedCall, textOf } from "./loopback-api.ts";
import { bash, edit, read, says } from "./replies.ts";

const CHECKPOINT = bash(`${shellWord(LAUNCHER)} task checkpoint --did "read the list" --next "edit the list"`);

/** 89 percent of the way to the compaction. The measurement has to reach the disk before the next call. */
const slowly = (tool: ScriptedCall): Reply => ({ tools: [tool], tokens: 60_000, delayMs: 1_500 });

test("enforce: an edit is denied, which the user sees; reading and the checkpoint are not, and after it one edit goes on; a person lifts it", async () => {
	const made = claudeSandbox();
	made.configure({ guard: { mode: "enforce" }, nudge: { wording: "off" } });
	made.allow(["Bash"]);
	const list = join(made.project, "list.txt");
	writeFileSync(list, "one\n");
	const change = (from: string, to: string) => edit(list, from, to);
	const calls = [bash("echo begin"), read(list), change("one", "two"), read(list), CHECKPOINT, change("one", "three")];
	made.queue.push(...[...calls, change("three", "four")].map(slowly), says(60_000, "waiting for you"));
	const terminal = made.terminal("--permission-mode", "acceptEdits");
	await terminal.shows("not measured yet");
	const screen = (await terminal.say("Change the list.", "waiting for you")).replace(/\s+/g, " ");
	expect(screen).toContain("before each change and each shell command it has to save where the task stands");
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
	expect(readFileSync(list, "utf8")).toBe("three\n");
	const state = join(made.store, "sessions", made.last().session, "task-state.json");
	expect(JSON.parse(readFileSync(state, "utf8"))).toMatchObject({ next_action: "edit the list" });

	made.ccg("task", "resume");
	made.queue.push(...[change("three", "four"), change("four", "five")].map(slowly), says(60_000, "gone on"));
	await terminal.say("Go on.", "gone on");
	expect(readFileSync(list, "utf8")).toBe("five\n");
});

/** The result of the call before: behind it a reminder of Claude Code's own may stand. */
function lastResult({ body }: ApiRequest): string {
	const results = body.messages
		.flatMap(({ content }) => (Array.isArray(content) ? content : []))
		.filter(({ type }) => type === "tool_result");
	return textOf(results.at(-1)?.content);
}
