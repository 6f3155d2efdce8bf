import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runNow } from "../kit/process.ts";
import { claudeSandbox } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

test.each([3])("the user's own status line of %i s is shown around ccg's", async (seconds) => {
	const made = claudeSandbox(
		playing([
			{ text: "first", tokens: 30_000 },
			{ text: "second", tokens: 31_000 },
		]),
		{
			install: null,
		},
	);
	const mark = `${seconds}.${process.pid}`;
	const command = `cat >/dev/null; sleep ${mark}; echo MINE`;
	made.settings((settings) => {
		settings.statusLine = { type: "command", command };
	});
	const alone = made.terminal();
	await alone.shows("MINE");
	alone.end();
	made.ccg("install", "--yes", "--in-place");
	const terminal = made.terminal();
	await terminal.shows("not measured yet");
	await terminal.say("Go.", "first");
	await terminal.shows(/30k\/67k/);
	expect(terminal.screen()).not.toContain("MINE");
	await Bun.sleep((seconds + 1) * 1_000);
	await terminal.say("Go on.", "second");
	await terminal.shows(/MINE[\s\S]*31k\/67k/);
	terminal.end();
	await Bun.sleep((seconds + 1) * 1_000);
	expect(runNow(["pgrep", "-f", `sleep ${mark}`]).out).toBe("");
	expect(readdirSync(join(made.store, "run/statusline")).some((name) => /\.slow-\w{8}$/.test(name))).toBe(true);
});
