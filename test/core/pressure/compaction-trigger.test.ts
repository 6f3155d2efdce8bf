import { expect, test } from "vitest";
import {
	canonicalModel,
	compactionTrigger,
	compactsByItself,
	correctedTrigger,
	modelWindow,
	type TriggerInput,
} from "../../../src/core/pressure/compaction-trigger.ts";
import { olderThan } from "../../../src/core/text/version.ts";

const OFF = "auto-compaction is off";
const LIMIT = "this model compacts only at the API limit";

const input = (over: Partial<TriggerInput>): TriggerInput => ({
	model: "claude-opus-5-5",
	reportedWindow: null,
	claudeVersion: "2.1.329",
	env: {},
	scopes: [],
	observed: () => [],
	...over,
});

const HAIKU = { model: "claude-haiku-4-5" };
const SONNET = { model: "claude-sonnet-4-5" };
/** The window set in the environment, and the files' settings, highest first. */
const byEnv = (window: string, more = {}) => ({ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: window, ...more } });
const files = (...scopes: object[]) => ({ scopes });
const window = (autoCompactWindow: unknown) => ({ autoCompactWindow });
const forModel = (value: unknown) => ({ modelSettings: { "claude-opus-5-5": window(value) } });
const percent = (share: string) => ({ env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: share } });
const seen = (...tokens: number[]) => ({ observed: () => tokens });

// tokens where compaction struck on 2.1.329, measured by driving it (test/e2e/trigger.long.test.ts repeats the main ones)
test.each<[string, Partial<TriggerInput>, number | null, number, string?]>([
	["the model's window", {}, 967_000, 1_000_000],
	["a 200k model", { model: "claude-opus-4-6" }, 167_000, 200_000],
	["a window the status line reported", { reportedWindow: 200_000 }, 167_000, 200_000],
	["the environment", byEnv("100000"), 67_000, 100_000],
	["too small a window, raised", byEnv("50000"), 67_000, 100_000],
	["thousands", byEnv(" 500K "), 467_000, 500_000],
	["thousands, of a version that did not know them", { ...byEnv("500k"), claudeVersion: "2.1.303" }, 67_000, 100_000],
	["millions", byEnv("0.2 M"), 167_000, 200_000],
	["an exponent", byEnv("2e5"), 167_000, 200_000],
	["grouped", byEnv("200_000"), 167_000, 200_000],
	["grouped by commas", byEnv("200,000"), 167_000, 200_000],
	["grouped wrongly: the digits before", byEnv("20_0000"), 67_000, 100_000],
	["what follows the digits is ignored", byEnv("200000.5"), 167_000, 200_000],
	["another unit", byEnv("200kb"), 67_000, 100_000],
	...["0", "-5", "", "abc", "0x30D40", "Infinity", "1e-3", "k"].map(
		(text): [string, Partial<TriggerInput>, number, number] => [`ignored: '${text}'`, byEnv(text), 967_000, 1_000_000],
	),
	["larger than the model's", { model: "claude-opus-4-6", ...byEnv("400000") }, 167_000, 200_000],
	["the settings", files(window(200_000)), 167_000, 200_000],
	["the higher scope", files({}, window(300_000), window(200_000)), 267_000, 300_000],
	["a bad value, ignored", files(window("200k"), window(5), window(200_000.5)), 967_000, 1_000_000],
	["the environment before the settings", { ...byEnv("300000"), ...files(window(200_000)) }, 267_000, 300_000],
	["the model's own setting", files({ ...window(200_000), ...forModel(300_000) }), 267_000, 300_000],
	[
		"the model's own setting under a dated spelling",
		{ model: "us.anthropic.claude-opus-5-5-20261001-v1:0", ...files(forModel(300_000)) },
		267_000,
		300_000,
	],
	["auto for the model wins over its file", files({ ...window(200_000), ...forModel("auto") }), 967_000, 1_000_000],
	["a percentage", percent("50"), 490_000, 1_000_000, "percent"],
	["a percentage with its sign", percent("50%"), 490_000, 1_000_000, "percent"],
	["a percentage that would raise it", percent("99.9"), 967_000, 1_000_000],
	["a small output limit", byEnv("100000", { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "8000" }), 79_000, 100_000],
	["an output limit of 8 tokens", byEnv("100000", { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "8k" }), 86_992, 100_000],
	["a large output limit", byEnv("100000", { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "64000" }), 67_000, 100_000],
	["switched off by the environment", { env: { DISABLE_AUTO_COMPACT: "1" } }, null, 1_000_000, OFF],
	["all compaction off", { env: { DISABLE_COMPACT: "true" } }, null, 1_000_000, OFF],
	["switched off in the settings", files({ autoCompactEnabled: false }), null, 1_000_000, OFF],
	["on in a higher scope", files({ autoCompactEnabled: true }, { autoCompactEnabled: false }), 967_000, 1_000_000],
	["a model that waits for the limit", HAIKU, null, 200_000, LIMIT],
	["the same with a window set", { ...HAIKU, ...byEnv("100000") }, 67_000, 100_000],
	["the same on an older version", { ...HAIKU, claudeVersion: "2.1.39" }, 167_000, 200_000],
	["the same, seen to compact", { ...HAIKU, ...seen(168_000, 171_000, 167_400) }, 167_000, 200_000, "observed"],
	["the same, after one reactive compaction", { ...HAIKU, ...seen(60_000) }, null, 200_000, LIMIT],
	["the last version that did", { ...SONNET, claudeVersion: "2.1.150" }, 167_000, 200_000],
	["the first that did not", { ...SONNET, claudeVersion: "2.1.160" }, null, 200_000, LIMIT],
	["1M spelling of a 200k model", { model: "claude-sonnet-4-6[1m]" }, null, 1_000_000, LIMIT],
	["1M context switched off", { env: { CLAUDE_CODE_DISABLE_1M_CONTEXT: "1" } }, 167_000, 200_000],
	["seen to strike earlier, twice", seen(960_000, 961_000), 960_000, 1_000_000, "observed"],
])("trigger: %s", (_, over, tokens, counts, why = "formula") => {
	expect(compactionTrigger(input(over))).toMatchObject({ tokens, why, window: counts });
});

test("observations are kept apart by model, window and formula", () => {
	const keys = new Set(
		[
			{},
			{ model: "claude-sonnet-5" },
			{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" } },
			{ env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "50" } },
		].map((over) => compactionTrigger(input(over)).observedKey),
	);
	expect(keys.size).toBe(4);
	expect(compactionTrigger(input({ model: "claude-opus-5-5-20261001" })).observedKey).toBe(
		compactionTrigger(input({})).observedKey,
	);
});

test.each<[string, number, number[], number]>([
	["nothing seen", 167_000, [], 167_000],
	["one beyond the formula: a large step, or a higher trigger", 167_000, [185_000], 167_000],
	["many beyond, at one place: each step added as much", 67_000, [95_034, 95_034, 95_034, 95_034], 67_000],
	["one a little below: another kind of compaction", 167_000, [160_000], 167_000],
	["two a little below that agree", 167_000, [160_000, 161_000], 160_000],
	["one far below: an idle compaction", 967_000, [300_000], 967_000],
	["three far below that agree", 967_000, [300_000, 301_000, 302_000], 300_000],
	["three far below that do not agree", 967_000, [300_000, 500_000, 700_000], 967_000],
	["only the last eight count", 167_000, [140_000, 140_000, ...Array(8).fill(170_000)], 167_000],
])("corrected by what was seen: %s", (_, formula, observed, expected) => {
	expect(correctedTrigger(formula, observed)).toBe(expected);
});

test.each<[string, string, number, boolean]>([
	["claude-opus-5-5", "claude-opus-5-5", 1_000_000, true],
	["claude-opus-4-7", "claude-opus-4-7", 1_000_000, true],
	["claude-opus-4-10", "claude-opus-4-10", 1_000_000, true],
	["claude-opus-4-6", "claude-opus-4-6", 200_000, true],
	["claude-sonnet-4-6[1m]", "claude-sonnet-4-6", 1_000_000, false],
	["claude-3-5-sonnet-20241022", "claude-3-5-sonnet", 200_000, false],
	["us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5", 200_000, false],
	["claude-opus-4-6@20260101", "claude-opus-4-6", 200_000, true],
	["my-model", "my-model", 1_000_000, true],
])("model %s", (model, canonical, window, proactive) => {
	expect(canonicalModel(model)).toBe(canonical);
	expect(modelWindow(model)).toBe(window);
	expect(compactsByItself(model, "2.1.329")).toBe(proactive);
});

test.each([
	["2.1.280", true],
	["2.1.281", false],
	["2.0.999", true],
	["2.2.0", false],
	["weird", false],
])("version %s before 2.1.281: %s", (version, older) => {
	expect(olderThan(version, [2, 1, 281])).toBe(older);
});
