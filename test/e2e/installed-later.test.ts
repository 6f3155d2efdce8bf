import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claudePath, claudeSandbox, everything, transcriptOf } from "./claude-sandbox.ts";
import { bash, does, says } from "./replies.ts";

/** Prompts that no hook of ccg heard, by the way they were given. */
const SAID = {
	headless: "Always write tabs, says the first prompt.",
	command: "/ship on Fridays alone",
	streamed: "Never touch legacy.c, says the stream.",
	forked: "Keep the parser in one file, says the fork.",
};

test("installed later: what the user said before is the user's in recall, block and report", async () => {
	const made = claudeSandbox([], { install: null });
	mkdirSync(join(made.home, ".claude/commands"));
	writeFileSync(join(made.home, ".claude/commands/ship.md"), "Ship it: $ARGUMENTS\n");
	const { session_id: first } = await made.claude(SAID.headless);
	await made.claude(SAID.command, "--resume", first);
	const line = JSON.stringify({ type: "user", message: { role: "user", content: SAID.streamed } });
	const format = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
	const command = [claudePath(), "-p", ...format, "--resume", first, "--dangerously-skip-permissions"];
	const { project: cwd, env } = made;
	const streaming = Bun.spawn(command, { cwd, env, stdin: new Blob([line, "\n"]), stdout: "ignore", stderr: "ignore" });
	expect(await streaming.exited).toBe(0);
	const { session_id: fork } = await made.claude(SAID.forked, "--resume", first, "--fork-session");
	const written = readFileSync(transcriptOf(made, fork), "utf8");
	for (const text of Object.values(SAID)) expect(written).toContain(text.replace("/ship ", ""));

	made.ccg("install", "--yes", "--in-place");
	made.ccg("index", "--rebuild");
	for (const text of Object.values(SAID)) {
		const words = text.replace("/ship ", "");
		expect(made.ccg("recall", ...words.split(" "), "--kind", "user")).toContain(words);
	}
	made.queue.push(does(60_000, bash("echo one")), does(95_000, bash("echo two")), says(7_000, "done"));
	await made.claude("Go on.", "--resume", fork);
	const after = everything(made.last());
	for (const text of Object.values(SAID)) expect(after).toContain(text);
	expect(after).not.toContain("Unclear who said this");
	// (what runs beside the session's end makes it)
	const report = () => made.ccg("show", "--as", "report");
	await expect.poll(report, { timeout: 15_000, interval: 250 }).toMatch(/of the user's 5 messages/);
});
