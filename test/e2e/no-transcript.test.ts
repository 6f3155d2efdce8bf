import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn } from "../kit/git.ts";
import { type ClaudeSandbox, claudeSandbox, everything, headless } from "./claude-sandbox.ts";
import { bash, says } from "./replies.ts";

/** What reached the model of ccg, but for notes. */
const told = ({ api }: ClaudeSandbox): string =>
	api.requests.flatMap((request) => [...everything(request).matchAll(/ccg (?:nudge|recovery).{0,2000}/g)]).join("\n");

const transcripts = ({ home }: ClaudeSandbox): unknown[] =>
	readdirSync(join(home, ".claude", "projects"), { recursive: true }).filter((name) => String(name).endsWith("jsonl"));

const STEPS = [60_000, 62_000, 95_000, 5_000].map((tokens) => ({ tools: [bash("echo on")], tokens, delayMs: 500 }));
const WHY = /keeps no transcript of this session/;

test("claude -p --no-session-persistence: a compaction is told of nothing, status says why", async () => {
	const made = claudeSandbox([...STEPS, says(6_000, "done")]);
	gitIn(made.project, made.home, ["init", "-b", "main"]);
	const args = ["--no-session-persistence", "--dangerously-skip-permissions"];
	const { session_id: sid } = await headless(made.project, made.env, "Always write tabs.", args);
	expect(made.summaries()).toHaveLength(1);
	expect(transcripts(made)).toEqual([]);
	expect(told(made)).toBe("");
	expect(made.summaries()[0]!.last).not.toContain("ccg");
	for (const args of [["status"], ["status", sid]]) expect(made.ccg(...args).replace(/\s+/g, " ")).toMatch(WHY);
});

test("in a terminal with CLAUDE_CODE_SKIP_PROMPT_HISTORY: the nudge promises nothing back", async () => {
	const script = [says(60_000, "turn one"), ...STEPS.slice(1), says(6_000, "all done")];
	const made = claudeSandbox(script, { env: { CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1" } });
	gitIn(made.project, made.home, ["init", "-b", "main"]);
	made.allow(["Bash"]);
	const terminal = made.terminal("--permission-mode", "default");
	await terminal.shows("not measured yet");
	await terminal.say("Always write tabs.", "turn one");
	const marked = (): boolean =>
		existsSync(join(made.store, "run", "flush")) && readdirSync(join(made.store, "run", "flush")).length > 0;
	await expect.poll(marked, { timeout: 20_000 }).toBe(true);
	await terminal.say("Go on.", "all done");
	expect(transcripts(made)).toEqual([]);
	expect(told(made)).toContain("Nothing else comes back after it");
	expect(told(made)).not.toMatch(/recall|saved by ccg itself|ccg recovery/);
	expect(made.ccg("status").replace(/\s+/g, " ")).toMatch(WHY);
});
