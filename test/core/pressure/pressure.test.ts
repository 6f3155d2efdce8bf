import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompactionTrigger } from "../../../src/core/pressure/compaction-trigger.ts";
import { NUDGE_PRESETS, nudgeText } from "../../../src/core/pressure/nudge-text.ts";
import { type MarkerRule, pressureOf } from "../../../src/core/pressure/pressure.ts";
import { short, shortAge, statusText } from "../../../src/core/pressure/status-text.ts";
import { DEFAULT_CONFIG } from "../../../src/store/config/config.ts";

const RULE: MarkerRule = DEFAULT_CONFIG.marker;
const at = (tokens: number | null, window = tokens ? tokens + 33_000 : 200_000): CompactionTrigger => ({
	tokens,
	window,
	why: "formula",
	observedKey: "k",
});

test.each<[string, number | null, number | null, boolean, string]>([
	["far away", 50_000, 167_000, false, "calm"],
	["one token too far", 129_999, 167_000, false, "watch"],
	["37,000 left", 130_000, 167_000, true, "flush"],
	["a quarter of the headroom left", 157_750, 167_000, true, "imminent"],
	["beyond the trigger", 180_000, 167_000, true, "imminent"],
	["a small window, 40% not used", 23_999, 60_000, false, "calm"],
	["a window so small that 37,000 is all of it", 11_000, 30_000, false, "calm"],
	["the same at 40%", 12_000, 30_000, true, "flush"],
	["1M", 930_000, 967_000, true, "flush"],
	["no trigger", 190_000, null, false, "none"],
	["tokens unknown", null, 167_000, false, "unknown"],
])("marker and zone: %s", (_, tokens, trigger, due, zone) => {
	expect(pressureOf(tokens, at(trigger), RULE)).toMatchObject({
		due,
		zone,
		distance: tokens === null || trigger === null ? null : trigger - tokens,
	});
});

test.each([
	[130_000, false],
	[130_001, true],
	[199_000, true],
])("the original rule, 65 percent of the window: %i of 200,000 → %s", (tokens, due) => {
	expect(pressureOf(tokens, at(null, 200_000), { ...RULE, rule: "percent" }).due).toBe(due);
});

describe("nudge", () => {
	const facts = { distance: 30_400, trigger: 67_000, saveCommand: "/opt/ccg/bin/ccg memory save" };
	test.each(Object.keys(NUDGE_PRESETS))("preset %s names what is near, how much room, where and how", (preset) => {
		const text = nudgeText(preset, facts);
		expect(text).toMatch(/^ccg nudge/);
		for (const part of [
			"30,000 tokens of room",
			"67,000",
			"/opt/ccg/bin/ccg memory save --target memory",
			"--target log",
			"compaction",
		])
			expect(text).toContain(part);
		expect(text).not.toMatch(/\{(room|save)\}/);
		expect(text.length).toBeLessThan(1_500);
	});
	test("says the same whatever the last digits are", () => {
		expect(nudgeText("facts", facts)).toBe(nudgeText("facts", { ...facts, distance: 29_600 }));
	});
	test("knows no distance under the percent rule", () => {
		expect(nudgeText("facts", { ...facts, distance: null })).not.toMatch(/room|null|NaN/);
	});
	test("takes a wording of one's own and marks it as ccg's", () => {
		expect(nudgeText("Save with {save}{room}.", facts)).toBe(
			"ccg nudge: Save with /opt/ccg/bin/ccg memory save (about 30,000 tokens of room; it starts near 67,000 tokens).",
		);
	});
});

const BASE = { modelName: "Opus 5.5", cycle: "none", saved: null, failureMs: null } as const;
const pressure = pressureOf(133_000, at(167_000), RULE);

test.each<[string, Parameters<typeof statusText>[0], string]>([
	["near", { ...BASE, pressure, cycle: "marker" }, "Opus 5.5 133k/167k ████████░░ 34k to compaction ● save due"],
	[
		"nudged and saved",
		{ ...BASE, pressure, cycle: "nudged", saved: "14:03" },
		"Opus 5.5 133k/167k ████████░░ 34k to compaction ✓ nudged saved 14:03",
	],
	[
		"beyond",
		{ ...BASE, pressure: pressureOf(170_000, at(167_000), RULE) },
		"Opus 5.5 170k/167k ██████████ compaction due",
	],
	["unknown tokens", { ...BASE, pressure: pressureOf(null, at(167_000), RULE) }, "Opus 5.5 —/167k (not measured yet)"],
	[
		"off",
		{ ...BASE, pressure: pressureOf(5_000, { ...at(null), why: "auto-compaction is off" }, RULE) },
		"Opus 5.5 5k/200k (auto-compact off)",
	],
	[
		"failed",
		{ ...BASE, pressure, failureMs: 1_000 },
		"Opus 5.5 133k/167k ████████░░ 34k to compaction ⚠ hook failed: ccg doctor",
	],
	["failed long ago", { ...BASE, pressure: null, failureMs: 7 * 3600_000 }, "Opus 5.5 ccg: no data"],
	[
		"a name with control characters",
		{ ...BASE, pressure: null, modelName: "O\u001b[31mpus\n" },
		"O[31mpus ccg: no data",
	],
])("status line: %s", (_, facts, line) => {
	expect(statusText(facts, 0, false)).toBe(line);
});

test("the status line fits any width and colours cost none of it", () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 200 }),
			fc.nat(2_000_000),
			fc.constantFrom("none", "marker", "nudged"),
			fc.boolean(),
			(columns, tokens, cycle, colours) => {
				const facts = {
					...BASE,
					pressure: pressureOf(tokens, at(967_000), RULE),
					cycle,
					saved: "14:03",
					failureMs: 5_000,
				} as const;
				const line = statusText(facts, columns, colours);
				expect(line).not.toContain("\n");
				expect([...line.replace(/\u001b\[\d+m/g, "")].length).toBeLessThanOrEqual(columns);
				expect(line.includes("\u001b")).toBe(colours);
			},
		),
	);
});

test("numbers and ages are short", () => {
	expect([950, 67_000, 999_499, 1_000_000, 1_250_000].map(short)).toEqual(["950", "67k", "999k", "1M", "1.3M"]);
	expect([0, 59_000, 60_000, 7_200_000, 200_000_000].map(shortAge)).toEqual(["0s", "59s", "1m", "2h", "2d"]);
});
