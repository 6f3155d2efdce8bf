import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { claudeSandbox, holding, transcriptOf } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";
import { bash, does, says, thenDoes } from "./replies.ts";

const WINDOW = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
const OF_MODEL = { "claude-opus-5-5": { autoCompactWindow: 300_000 } };

/**
 * Where compaction really starts, beside where ccg says it does: one context size below the trigger, one above. The
 * compaction must come with the second and not with the first.
 */
test.each<[string, number, { env?: Record<string, string>; settings?: object; args?: string[] }]>([
	["a window from the environment", 67_000, { env: WINDOW }],
	["a window from the settings", 167_000, { settings: { autoCompactWindow: 200_000 } }],
	[
		"the environment before the settings",
		267_000,
		{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "300000" }, settings: { autoCompactWindow: 200_000 } },
	],
	[
		"the model's own setting before the general one",
		267_000,
		{ settings: { autoCompactWindow: 200_000, modelSettings: OF_MODEL } },
	],
	["a percentage", 40_000, { env: { ...WINDOW, CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "50" } }],
	["a small output limit", 79_000, { env: { ...WINDOW, CLAUDE_CODE_MAX_OUTPUT_TOKENS: "8000" } }],
	["the model's window", 967_000, {}],
	...["200k", "0.2M", "2e5", " 200K ", "200_000", "200000.5"].map((text): [string, number, { env: typeof WINDOW }] => [
		`a window written as '${text}'`,
		167_000,
		{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: text } },
	]),
	...["0", "-5", "abc"].map((text): [string, number, { env: typeof WINDOW }] => [
		`no window: '${text}'`,
		967_000,
		{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: text } },
	]),
	["another unit", 67_000, { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "500kb" } }],
	["a variable of the settings", 167_000, { settings: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200k" } } }],
	["a text in the settings", 967_000, { settings: { autoCompactWindow: "200k" } }],
	["the flag", 167_000, { args: ["--autocompact", "200k"], settings: { autoCompactWindow: 300_000 } }],
	[
		"the flag, for the model's window",
		967_000,
		{ args: ["--autocompact=auto"], settings: { autoCompactWindow: 300_000 } },
	],
	["--settings", 267_000, { args: ["--settings", '{ "autoCompactWindow": 300000 }'] }],
	["a 200k model", 167_000, { args: ["--model", "claude-opus-4-6"] }],
])("compaction starts where ccg says: %s", async (_, trigger, { env, settings, args = [] }) => {
	const above = trigger + 500;
	const made = claudeSandbox(
		playing([
			does(trigger - 2_000, bash("echo below")),
			thenDoes(trigger - 1_500, bash("echo nudged")),
			thenDoes(above, bash("echo above")),
			says(5_000, "done"),
		]),
		{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "", ...env } },
	);
	if (settings) made.settings((all) => Object.assign(all, settings));
	const { session_id } = await made.claude("Go.", ...args);
	expect(holding(made.main(), "ccg nudge:").length).toBeGreaterThan(0);
	const struck = readFileSync(transcriptOf(made, session_id), "utf8")
		.split("\n")
		.filter((line) => line.includes('"compact_boundary"'))
		.map((line) => JSON.parse(line).compactMetadata.preTokens as number);
	expect(struck).toHaveLength(1);
	expect(struck[0]).toBeGreaterThanOrEqual(above);
	expect(JSON.parse(made.ccg("status", session_id, "--json")).trigger).toBe(trigger);
});

test.each([
	["auto-compaction is off", { ...WINDOW, DISABLE_AUTO_COMPACT: "1" }, []],
	[
		"this model compacts only at the API limit",
		{ CLAUDE_CODE_AUTO_COMPACT_WINDOW: "" },
		["--model", "claude-haiku-4-5"],
	],
])("known as such: %s", async (why, env, args) => {
	const big = does(190_000, bash("echo big"));
	const made = claudeSandbox(playing([big, { text: "done", tokens: 191_000, delayMs: 300 }]), { env });
	const { session_id } = await made.claude("Go.", ...args);
	expect(made.summaries()).toEqual([]);
	const status = JSON.parse(made.ccg("status", session_id, "--json"));
	expect(status).toMatchObject({ trigger: null, why, zone: "none", marker: "none" });
});

test("in a terminal the status line reads the flag too", async () => {
	const made = claudeSandbox(playing([says(30_000, "done")]), {
		env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "" },
	});
	const terminal = made.terminal("--autocompact", "200k");
	await terminal.shows("not measured yet");
	await terminal.say("Go.", "done");
	await terminal.shows("30k/167k");
});
