import { describe, expect, test } from "vitest";
import { compactionTrigger, type TriggerInput } from "../../../src/core/pressure/compaction-trigger.ts";
import { canonicalModel, compactsByItself, modelWindow, olderThan } from "../../../src/core/pressure/model.ts";
import { correctedTrigger } from "../../../src/core/pressure/observed-trigger.ts";

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

// tokens where compaction struck on 2.1.329, measured by driving it (test/e2e/trigger.long.test.ts repeats the main ones)
describe.each<[string, Partial<TriggerInput>, number | null, string, number]>([
	["the model's window", {}, 967_000, "formula", 1_000_000],
	["a 200k model", { model: "claude-opus-4-6" }, 167_000, "formula", 200_000],
	["a window the status line reported", { reportedWindow: 200_000 }, 167_000, "formula", 200_000],
	["the environment", { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" } }, 67_000, "formula", 100_000],
	["too small a window, raised", { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "50000" } }, 67_000, "formula", 100_000],
	["no plain number, ignored", { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "500k" } }, 967_000, "formula", 1_000_000],
	[
		"larger than the model's",
		{ model: "claude-opus-4-6", env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "400000" } },
		167_000,
		"formula",
		200_000,
	],
	["the settings", { scopes: [{ autoCompactWindow: 200_000 }] }, 167_000, "formula", 200_000],
	[
		"the higher scope",
		{ scopes: [{}, { autoCompactWindow: 300_000 }, { autoCompactWindow: 200_000 }] },
		267_000,
		"formula",
		300_000,
	],
	[
		"a bad value, ignored",
		{ scopes: [{ autoCompactWindow: "200000" }, { autoCompactWindow: 5 }] },
		967_000,
		"formula",
		1_000_000,
	],
	[
		"the environment before the settings",
		{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "300000" }, scopes: [{ autoCompactWindow: 200_000 }] },
		267_000,
		"formula",
		300_000,
	],
	[
		"the model's own setting",
		{ scopes: [{ autoCompactWindow: 200_000, modelSettings: { "claude-opus-5-5": { autoCompactWindow: 300_000 } } }] },
		267_000,
		"formula",
		300_000,
	],
	[
		"the model's own setting under a dated spelling",
		{
			model: "us.anthropic.claude-opus-5-5-20261001-v1:0",
			scopes: [{ modelSettings: { "claude-opus-5-5": { autoCompactWindow: 300_000 } } }],
		},
		267_000,
		"formula",
		300_000,
	],
	[
		"auto for the model: the general value does not hold",
		{ scopes: [{ autoCompactWindow: 200_000, modelSettings: { "claude-opus-5-5": { autoCompactWindow: "auto" } } }] },
		967_000,
		"formula",
		1_000_000,
	],
	["a percentage", { env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "50" } }, 490_000, "percent", 1_000_000],
	[
		"a percentage that would raise it",
		{ env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "99.9" } },
		967_000,
		"formula",
		1_000_000,
	],
	[
		"a small output limit",
		{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000", CLAUDE_CODE_MAX_OUTPUT_TOKENS: "8000" } },
		79_000,
		"formula",
		100_000,
	],
	[
		"a large output limit",
		{ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000", CLAUDE_CODE_MAX_OUTPUT_TOKENS: "64000" } },
		67_000,
		"formula",
		100_000,
	],
	["switched off by the environment", { env: { DISABLE_AUTO_COMPACT: "1" } }, null, OFF, 1_000_000],
	["all compaction off", { env: { DISABLE_COMPACT: "true" } }, null, OFF, 1_000_000],
	["switched off in the settings", { scopes: [{ autoCompactEnabled: false }] }, null, OFF, 1_000_000],
	[
		"switched on in a higher scope",
		{ scopes: [{ autoCompactEnabled: true }, { autoCompactEnabled: false }] },
		967_000,
		"formula",
		1_000_000,
	],
	["a model that waits for the limit", { model: "claude-haiku-4-5" }, null, LIMIT, 200_000],
	[
		"the same with a window set",
		{ model: "claude-haiku-4-5", env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" } },
		67_000,
		"formula",
		100_000,
	],
	["the same on an older version", { model: "claude-haiku-4-5", claudeVersion: "2.1.39" }, 167_000, "formula", 200_000],
	[
		"the same, seen to compact where the formula says",
		{ model: "claude-haiku-4-5", observed: () => [168_000, 171_000, 167_400] },
		167_000,
		"observed",
		200_000,
	],
	[
		"the same, after one reactive compaction",
		{ model: "claude-haiku-4-5", observed: () => [60_000] },
		null,
		LIMIT,
		200_000,
	],
	[
		"the same, after several at the limit",
		{ model: "claude-haiku-4-5", observed: () => [199_000, 198_500, 199_200] },
		null,
		LIMIT,
		200_000,
	],
	[
		"the same, on the last version that did",
		{ model: "claude-sonnet-4-5", claudeVersion: "2.1.150" },
		167_000,
		"formula",
		200_000,
	],
	[
		"the same, on the first that did not",
		{ model: "claude-sonnet-4-5", claudeVersion: "2.1.160" },
		null,
		LIMIT,
		200_000,
	],
	["1M spelling of a 200k model", { model: "claude-sonnet-4-6[1m]" }, null, LIMIT, 1_000_000],
	["1M context switched off", { env: { CLAUDE_CODE_DISABLE_1M_CONTEXT: "1" } }, 167_000, "formula", 200_000],
	["seen to strike earlier, twice", { observed: () => [960_000, 961_000] }, 960_000, "observed", 1_000_000],
])("trigger: %s", (_, over, tokens, why, window) => {
	test("is known", () => {
		expect(compactionTrigger(input(over))).toMatchObject({ tokens, why, window });
	});
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
	["two a little below that do not", 167_000, [150_000, 161_000], 167_000],
	["below and beyond", 167_000, [190_000, 161_000, 161_500, 180_000], 161_000],
	["one far below: an idle compaction", 967_000, [300_000], 967_000],
	["three far below that agree", 967_000, [300_000, 301_000, 302_000], 300_000],
	["three far below that do not agree", 967_000, [300_000, 500_000, 700_000], 967_000],
	["only the last eight count", 167_000, [140_000, 140_000, ...Array(8).fill(170_000)], 167_000],
])("corrected by what was seen: %s", (_, formula, observed, expected) => {
	expect(correctedTrigger(formula, observed)).toBe(expected);
});

test.each<[string, string, number, boolean]>([
	["claude-opus-5-5", "claude-opus-5-5", 1_000_000, true],
	["claude-opus-5-5-20261001", "claude-opus-5-5", 1_000_000, true],
	["claude-sonnet-5", "claude-sonnet-5", 1_000_000, true],
	["claude-opus-4-7", "claude-opus-4-7", 1_000_000, true],
	["claude-opus-4-10", "claude-opus-4-10", 1_000_000, true],
	["claude-opus-4-6", "claude-opus-4-6", 200_000, true],
	["claude-sonnet-4-6[1m]", "claude-sonnet-4-6", 1_000_000, false],
	["claude-sonnet-4-5-20250929", "claude-sonnet-4-5", 200_000, false],
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
	["1.9.0", true],
	["2.2.0", false],
	["3.0.0", false],
	["", false],
	["weird", false],
])("version %s before 2.1.281: %s", (version, older) => {
	expect(olderThan(version, [2, 1, 281])).toBe(older);
});
