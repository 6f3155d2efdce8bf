import { expect, test } from "vitest";
import { claudeSandbox, holding } from "./claude-sandbox.ts";
import { bash, does, says, thenDoes } from "./replies.ts";
import ROWS from "./trigger-rows.json";

/**
 * Where compaction really starts, beside where ccg says it does: one context size below the trigger, one above. The
 * compaction must come with the second and not with the first.
 */
test.each(ROWS as [string, number, { env?: Record<string, string>; settings?: object; args?: string[] }][])(
	"compaction starts where ccg says: %s",
	async (_, trigger, { env, settings, args = [] }) => {
		const above = trigger + 500;
		const made = claudeSandbox(
			[
				does(trigger - 2_000, bash("echo below")),
				thenDoes(trigger - 1_500, bash("echo nudged")),
				thenDoes(above, bash("echo above")),
				says(5_000, "done"),
			],
			{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "", ...env } },
		);
		if (settings) made.settings((all) => Object.assign(all, settings));
		const { session_id } = await made.claude("Go.", ...args);
		expect(holding(made.main(), "ccg nudge:").length).toBeGreaterThan(0);
		const struck = made.lines(session_id).flatMap(({ compactMetadata: found }) => (found ? [found.preTokens] : []));
		expect(struck).toHaveLength(1);
		expect(struck[0]).toBeGreaterThanOrEqual(above);
		expect(JSON.parse(made.ccg("status", session_id, "--json")).trigger).toBe(trigger);
	},
);

test.each([
	["auto-compaction is off", { DISABLE_AUTO_COMPACT: "1" }, []],
	[
		"this model compacts only at the API limit",
		{ CLAUDE_CODE_AUTO_COMPACT_WINDOW: "" },
		["--model", "claude-haiku-4-5"],
	],
])("known as such: %s", async (why, env, args) => {
	const big = does(190_000, bash("echo big"));
	const made = claudeSandbox([big, { text: "done", tokens: 191_000, delayMs: 300 }], { env });
	const { session_id } = await made.claude("Go.", ...args);
	expect(made.summaries()).toEqual([]);
	const status = JSON.parse(made.ccg("status", session_id, "--json"));
	expect(status).toMatchObject({ trigger: null, why, zone: "none", marker: "none" });
});

test("in a terminal the status line reads the flag too", async () => {
	const made = claudeSandbox([says(30_000, "done")], {
		env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "" },
	});
	const terminal = made.terminal("--autocompact", "200k");
	await terminal.shows("not measured yet");
	await terminal.say("Go.", "done");
	await terminal.shows("30k/167k");
});
