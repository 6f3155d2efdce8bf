import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox, transcriptOf } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

let made: ClaudeSandbox;
afterEach(() => made?.close());

/**
 * Where compaction really starts, beside where ccg says it does: one context size below the trigger, one above. The
 * compaction must come with the second and not with the first.
 */
const CASES: {
	name: string;
	env?: Record<string, string>;
	settings?: Record<string, unknown>;
	args?: string[];
	trigger: number;
}[] = [
	{ name: "a window from the environment", env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" }, trigger: 67_000 },
	{ name: "a window from the settings", settings: { autoCompactWindow: 200_000 }, trigger: 167_000 },
	{
		name: "the environment before the settings",
		env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "300000" },
		settings: { autoCompactWindow: 200_000 },
		trigger: 267_000,
	},
	{
		name: "the model's own setting before the general one",
		settings: { autoCompactWindow: 200_000, modelSettings: { "claude-opus-5-5": { autoCompactWindow: 300_000 } } },
		trigger: 267_000,
	},
	{
		name: "a percentage",
		env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000", CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "50" },
		trigger: 40_000,
	},
	{
		name: "a small output limit",
		env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000", CLAUDE_CODE_MAX_OUTPUT_TOKENS: "8000" },
		trigger: 79_000,
	},
	{ name: "the model's window", trigger: 967_000 },
	{ name: "a 200k model", args: ["--model", "claude-opus-4-6"], trigger: 167_000 },
];

for (const { name, env, settings, args = [], trigger } of CASES)
	test(`compaction starts where ccg says: ${name}`, async () => {
		const below = trigger - 2_000;
		const above = trigger + 500;
		made = claudeSandbox(
			playing([
				{ tools: [bash("echo below")], tokens: below },
				{ tools: [bash("echo above")], tokens: above, delayMs: 300 },
				{ text: "done", tokens: 5_000 },
			]),
			{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "", ...env } },
		);
		if (settings) made.settings((all) => Object.assign(all, settings));
		const { session_id } = await made.claude("Go.", ...args);
		const struck = readFileSync(transcriptOf(made, session_id), "utf8")
			.split("\n")
			.filter((line) => line.includes('"compact_boundary"'))
			.map((line) => JSON.parse(line).compactMetadata.preTokens as number);
		expect(struck).toHaveLength(1);
		expect(struck[0]).toBeGreaterThanOrEqual(above);
		expect(JSON.parse(made.ccg("status", "--json", "--session", session_id))[0].trigger).toBe(trigger);
	});

test("auto-compaction off, and a model that compacts only at the limit, are known as such", async () => {
	for (const { env, args, why } of [
		{
			env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000", DISABLE_AUTO_COMPACT: "1" },
			args: [],
			why: "auto-compaction is off",
		},
		{
			env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "" },
			args: ["--model", "claude-haiku-4-5"],
			why: "this model compacts only at the API limit",
		},
	]) {
		made = claudeSandbox(
			playing([
				{ tools: [bash("echo big")], tokens: 190_000 },
				{ text: "done", tokens: 191_000, delayMs: 300 },
			]),
			{ env },
		);
		const { session_id } = await made.claude("Go.", ...args);
		expect(made.api.requests.some(({ kind }) => kind === "summary")).toBe(false);
		expect(JSON.parse(made.ccg("status", "--json", "--session", session_id))[0]).toMatchObject({
			trigger: null,
			why,
			zone: "none",
			marker: "none",
		});
		await made.close();
	}
});
