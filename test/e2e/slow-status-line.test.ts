import { expect, test } from "vitest";
import { runNow } from "../kit/process.ts";
import { claudeSandbox } from "./claude-sandbox.ts";
import { says } from "./replies.ts";

test("the user's own status line of 3 s is shown around ccg's, as it is without ccg", async () => {
	const made = claudeSandbox([says(30_000, "first")], { install: null });
	const mark = `3.${process.pid}`;
	made.settings((settings) => {
		settings.statusLine = { type: "command", command: `cat >/dev/null; sleep ${mark}; echo MINE` };
	});
	const asleep = (): string => runNow(["pgrep", "-f", `sleep ${mark}`]).out;
	const alone = made.terminal();
	await alone.shows("MINE");
	alone.end();
	made.ccg("install", "--yes", "--in-place");
	const terminal = made.terminal();
	await terminal.shows(/MINE[\s\S]*not measured yet/);
	await terminal.say("Go.", "first");
	await terminal.shows(/MINE[\s\S]*30k\/67k/);
	terminal.end();
	await expect.poll(asleep, { timeout: 30_000 }).toBe("");
});
