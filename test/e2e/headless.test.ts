import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox, everything, holding, times, transcriptOf } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

let made: ClaudeSandbox;
afterEach(() => made?.close());

/** The async measurement has to reach the disk before the next call asks for it. */
const PAUSE = { delayMs: 400 };

test("headless: one nudge under parallel calls, steering, recovery block, second cycle, resume, fork", async () => {
	made = claudeSandbox(
		playing([
			{ tools: [bash("echo calm")], tokens: 20_000 },
			{ tools: [bash("echo near")], tokens: 45_000, ...PAUSE },
			{ tools: ["a", "b", "c", "d", "e"].map((x) => bash(`echo ${x}`)), tokens: 50_000, ...PAUSE },
			{ tools: [bash("echo again")], tokens: 55_000, ...PAUSE },
			{ tools: [bash("echo full")], tokens: 90_000, ...PAUSE },
			{ tools: [bash("echo second cycle")], tokens: 40_000, ...PAUSE },
			{ tools: [bash("echo x"), bash("echo y")], tokens: 50_000, ...PAUSE },
			{ tools: [bash("echo full again")], tokens: 95_000, ...PAUSE },
			{ text: "all done", tokens: 6_000 },
		]),
	);
	const request = "Write a parser for the ledger format. Never touch the file legacy.c, and prefer small commits.";
	const { session_id } = await made.claude(request);
	const main = made.api.requests.filter(({ kind }) => kind === "main");
	const summaries = made.api.requests.filter(({ kind }) => kind === "summary");

	expect(summaries).toHaveLength(2);
	for (const summary of summaries) {
		const instructions = summary.last.slice(summary.last.lastIndexOf("Additional Instructions:"));
		expect(instructions).toContain("ccg: the user's messages, file names");
		expect(instructions).toContain("Never touch the file legacy.c");
	}
	const firstAfter = main[5]!;
	expect(times(firstAfter, "ccg recovery precompact_checkpoint_")).toBe(1);
	expect(everything(firstAfter)).toContain("Never touch the file legacy.c, and prefer small commits.");
	expect(times(main[8]!, "ccg recovery precompact_checkpoint_")).toBe(1);

	// one nudge in each cycle, though five calls asked at once in the first
	const nudges = nudgesIn(transcriptOf(made, session_id));
	expect(nudges).toHaveLength(2);
	expect(times(main[4]!, "ccg nudge")).toBe(1);
	// and before its compaction: each summariser reads it once
	for (const summary of summaries) expect(times(summary, "ccg nudge:")).toBe(1);
	expect(nudges[0]).toMatch(/^ccg nudge: .*memory save/s);
	expect(holding(main.slice(0, 3), "ccg nudge")).toHaveLength(0);

	// resumed and forked, the model still holds the block, once
	for (const args of [
		["--resume", session_id],
		["--resume", session_id, "--fork-session"],
	]) {
		await made.claude("go on", ...args);
		expect(times(made.api.requests.at(-1)!, "## Request at hand")).toBe(1);
	}
	const status = JSON.parse(made.ccg("status", "--json", "--session", session_id))[0];
	expect(status).toMatchObject({ source: "transcript", trigger: 67_000, window: 100_000 });
	expect(status.checkpoint.state).toBe("committed");
	expect(readFileSync(status.checkpoint.path, "utf8")).toContain("Never touch the file legacy.c");
	expect(readdirSync(made.project)).toEqual([]);
});

function nudgesIn(transcript: string): string[] {
	return readFileSync(transcript, "utf8")
		.split("\n")
		.filter((line) => line.includes("hook_additional_context"))
		.map((line) => JSON.parse(line).attachment)
		.filter(({ hookEvent }) => hookEvent === "PreToolUse")
		.flatMap(({ content }) => content as string[])
		.filter((text) => text.startsWith("ccg nudge"));
}
