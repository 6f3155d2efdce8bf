import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runNow } from "../kit/process.ts";
import { type ClaudeSandbox, claudeSandbox, everything, holding, times } from "./claude-sandbox.ts";
import { bash, says } from "./replies.ts";

let made: ClaudeSandbox;

const SLOW = { delayMs: 1_500 };

test("in a terminal: the user's own status line of 3 s beside ccg's, marker from the status line, nudge, manual compaction, block, uninstall to the byte", async () => {
	made = claudeSandbox(
		[
			{ tools: [bash("echo one")], tokens: 20_000, ...SLOW },
			{ tools: [bash("echo two")], tokens: 45_000, ...SLOW },
			{ tools: [bash("echo three"), bash("echo four")], tokens: 46_000, ...SLOW },
			says(47_000, "first turn done"),
			{ text: "after the compaction", tokens: 5_000, ...SLOW },
		],
		{ install: null },
	);
	const path = join(made.home, ".claude", "settings.json");
	const sleep = `sleep 3.${process.pid}`;
	const asleep = (): string => runNow(["pgrep", "-f", sleep]).out;
	const before = `{\n    "statusLine": { "type": "command", "command": "${sleep}; printf 'MY OWN %s' \\"$(cat | wc -c)\\"", "padding": 0 },\n    "theme": "dark"\n}`;
	writeFileSync(path, before);
	made.ccg("install", "--yes", "--in-place");

	const terminal = made.terminal();
	await terminal.shows(/MY OWN \d+[\s\S]*not measured yet/);
	await terminal.say("Always answer in short lines. Put dates into tables.", "first turn done");
	const screen = await terminal.shows(/47k\/67k/);
	expect(screen).toMatch(/MY OWN \d+/);
	expect(screen).toContain("nudged");
	const sid = made.api.requests.at(-1)!.session;
	expect(JSON.parse(made.ccg("status", sid, "--json"))).toMatchObject({
		source: "status line",
		tokens: 47_000,
		trigger: 67_000,
		marker: "nudged",
	});
	expect(holding(made.api.requests, "ccg nudge").length).toBeGreaterThan(0);
	for (const request of made.api.requests) expect(times(request, "ccg nudge:")).toBeLessThan(2);

	await terminal.say("/compact keep the colours", /[Cc]ompacted/);
	// a line for each hook that Claude Code waits for, and what this one printed
	const told = /PreCompact \[.*hook pre-compact; exit 0\] completed successfully: ccg: keep causes/g;
	const lines = (screen: string) => [screen.match(/PreCompact \[/g)?.length, screen.match(told)?.length];
	expect(lines(await terminal.shows(told))).toEqual([1, 1]);
	expect(terminal.screen()).not.toMatch(/session-end|Findings/);
	const summary = made.summaries()[0]!;
	expect(everything(summary)).toContain("keep the colours");
	expect(everything(summary)).toContain("Keep word for word, as quotations:");
	terminal.send("go on");
	expect(await terminal.shows("after the compaction")).toMatch(
		/says: ccg: the summary holds 0 of your 1 message word for word; the block gave back 1 whole/,
	);
	expect(lines(terminal.screen())).toEqual([1, 1]);
	await terminal.shows(/5k\/67k/);
	const after = made.api.requests.at(-1)!;
	expect(times(after, "this session before its conversation was compacted")).toBe(1);
	expect(holding(made.api.requests, "the summary holds")).toEqual([]);
	expect(everything(after)).toContain("Always answer in short lines. Put dates into tables.");
	terminal.end();
	await expect.poll(asleep, { timeout: 30_000 }).toBe("");

	made.ccg("uninstall", "--yes");
	expect(readFileSync(path, "utf8")).toBe(before);
});
