import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { postToolUse } from "../../src/events/post-tool-use.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { catalog } from "../../src/install/catalog.ts";
import { readLastUsage } from "../../src/store/pressure/flags.ts";
import { markerState } from "../kit/cycle.ts";
import { linesText, Transcript } from "../kit/events.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { given } from "../kit/services.ts";
import { anew, at, DUE } from "./compaction-session.ts";

/** An answer of so many tokens, and its measurement. */
function measured(tokens = DUE, transcript = new Transcript(at.project)): Transcript {
	transcript.usage(tokens).write(at.transcript);
	at.send(postToolUse);
	return transcript;
}
const nudge = (fields = {}): string | null => given(at.send(preToolUse, fields), "PreToolUse");

test("below the threshold nothing, from it on the marker, once per cycle", () => {
	const transcript = measured(129_000);
	expect([markerState(at.stored), nudge()]).toEqual(["none", null]);
	measured(DUE, transcript);
	expect(markerState(at.stored)).toBe("marker");
	expect(nudge()).toMatch(/^ccg nudge: [\s\S]*\/opt\/ccg\/bin\/ccg memory save/);
	// measured again and again: one nudge in a cycle
	for (const tokens of [140_000, 166_000]) {
		measured(tokens, transcript);
		expect([existsSync(at.markerPath()), nudge()]).toEqual([false, null]);
	}
	expect(at.failures).toEqual([]);
});

test("it asks for no save where the client's sandbox closes the store", () => {
	for (const isOpen of [false, true]) {
		const allowWrite = isOpen ? [at.store] : [];
		mkdirSync(join(at.project, ".claude"), { recursive: true });
		const settings = join(at.project, ".claude", "settings.local.json");
		writeFileSync(settings, JSON.stringify({ sandbox: { enabled: true, filesystem: { allowWrite } } }));
		measured();
		const text = nudge()!;
		expect(text).toMatch(/^ccg nudge: .*saved by ccg itself/s);
		expect(text.includes("memory save")).toBe(isOpen);
		anew();
	}
});

test("it tells the room measured last, and nothing where the trigger is past by then", () => {
	const transcript = measured();
	measured(168_000, transcript);
	expect([nudge(), existsSync(at.markerPath()), markerState(at.stored)]).toEqual([null, false, "none"]);
	// no measurement past the trigger has a call start a process
	at.send(postToolUse);
	expect(existsSync(at.markerPath())).toBe(false);
	for (const tokens of [140_000, 155_000]) measured(tokens, transcript);
	expect(nudge()).toContain("about 12,000 tokens of room");
});

test("the save command names the session where the shell has left the folder in which it began", () => {
	at.env.CLAUDE_PROJECT_DIR = join(at.project, "packages", "cart");
	const other = join(at.top, "other");
	for (const folder of [at.env.CLAUDE_PROJECT_DIR, other]) mkdirSync(folder, { recursive: true });
	at.git("init", "-q");
	measured();
	expect(nudge()).toContain("  /opt/ccg/bin/ccg memory save ");
	anew();
	at.env.CLAUDE_PROJECT_DIR = at.project;
	measured();
	expect(nudge({ cwd: other })).toContain(`  CLAUDE_CODE_SESSION_ID=${at.sid} /opt/ccg/bin/ccg memory save `);
});

test.each([
	["off", null],
	["directive", expect.stringMatching(/^ccg nudge: STOP/)],
])("wording %s", (wording, expected) => {
	at.configure({ nudge: { wording } });
	measured();
	expect([nudge(), existsSync(at.markerPath())]).toEqual([expected, false]);
});

test("the registered pre-check: with and without CLAUDE_CODE_SESSION_ID, never for another session", async () => {
	const preCheck = catalog(LAUNCHER).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
	const call = (sid: string, variable?: string) =>
		run(["/bin/sh", "-c", preCheck], {
			env: { ...at.env, ...(variable && { CLAUDE_CODE_SESSION_ID: variable }) },
			cwd: at.project,
			input: { session_id: sid },
		});
	expect(await call("s-1")).toEqual({ code: 0, out: "", err: "" });
	expect(existsSync(at.store)).toBe(false);
	measured();
	for (const variable of ["s-2", undefined]) expect(await call("s-2", variable)).toEqual({ code: 0, out: "", err: "" });
	expect(markerState(at.stored)).toBe("marker");
	expect((await call("s-1")).out).toContain("ccg nudge");
	at.send(postToolUse, { session_id: "s-2" });
	expect((await call("s-2", "s-2")).out).toContain("ccg nudge");
});

test("a marker that is stale or broken goes in silence", () => {
	measured();
	at.later(31);
	expect([nudge(), existsSync(at.markerPath())]).toEqual([null, false]);
	writeFileSync(at.markerPath(), '{"at":');
	expect([nudge(), existsSync(at.markerPath())]).toEqual([null, false]);
	expect(at.failures).toEqual([]);
	// nobody was nudged: the next measurement drops a fresh one
	at.send(postToolUse);
	expect(nudge()).not.toBeNull();
});

test("behind a boundary, before the next answer, the tokens are unknown again", () => {
	measured(150_000).boundary().summary().write(at.transcript);
	at.send(postToolUse);
	expect(readLastUsage(at.stored)).toMatchObject({ tokens: null, zone: "unknown" });
});

test("more tokens than a model's window prove its larger variant", () => {
	measured(300_000, new Transcript(at.project, undefined, "claude-opus-4-6"));
	expect(readLastUsage(at.stored)).toMatchObject({ window: 1_000_000, zone: "calm" });
});

test.each([
	["2.1.8", ["PostToolUse", null, null]],
	["2.1.9", [null, "PreToolUse", null]],
])("on %s the nudge comes once, with PostToolUse, PreToolUse, PostToolUse: %j", (version, speakers) => {
	new Transcript(at.project, new Date(), "claude-sonnet-4-6", version).usage(150_000).write(at.transcript);
	const fields = { hook_event_name: "PostToolUse" };
	const said = [postToolUse, preToolUse, postToolUse].map((handler) => at.send(handler, fields));
	expect(said.map((text) => text && JSON.parse(text).hookSpecificOutput.hookEventName)).toEqual(speakers);
	expect(said.join()).toContain("ccg nudge");
});

/** Claude Code writes the transcript behind its events: the lines of the last call come while the hook runs already. */
const LATE_MS = 90;

test.each([
	["toolu_last", 150_000],
	// one that never comes costs a bounded wait
	["toolu_never", 20_000],
])("PostToolUse measures the answer that made the call %s: %i tokens", async (tool_use_id, tokens) => {
	at.env.CLAUDE_CODE_AUTO_COMPACT_WINDOW = "200000";
	new Transcript(at.project).typed("Build it.").usage(20_000).write(at.transcript);
	const content = [{ type: "tool_use", id: "toolu_last", name: "Bash", input: { command: "make late-target" } }];
	const usage = { input_tokens: 150_000, output_tokens: 1 };
	const message = { id: "msg_last", role: "assistant", model: "claude-sonnet-4-6", content, usage };
	const late = linesText([JSON.stringify({ type: "assistant", version: "2.1.329", message })]);
	if (tool_use_id === "toolu_last") setTimeout(() => appendFileSync(at.transcript, late), LATE_MS);
	const start = performance.now();
	await at.launch("post-tool-use", { hook_event_name: "PostToolUse", tool_name: "Bash", tool_use_id });
	expect(readLastUsage(at.stored)).toMatchObject({ tokens });
	expect(performance.now() - start).toBeLessThan(3_000);
});
