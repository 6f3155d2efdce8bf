import { describe, expect, test } from "vitest";
import { nudgeText } from "../../../src/core/pressure/nudge-text.ts";
import { knownPressure, type PressureFacts, pressureOf } from "../../../src/core/pressure/pressure.ts";
import { short, shortAge } from "../../../src/core/pressure/status-parts.ts";
import { redactSecrets } from "../../../src/core/redact/secrets.ts";
import { DEFAULT_CONFIG } from "../../../src/store/config/config.ts";

const RULE = DEFAULT_CONFIG.marker;
const at = (tokens: number | null, window = tokens ? tokens + 33_000 : 200_000) =>
	({ tokens, window, why: "formula" }) as const;

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
	const facts = { distance: 30_400, trigger: 67_000 };
	const save = redactSecrets("/opt/ccg/bin/ccg memory save");
	test.each(["facts", "directive"])("preset %s names what is near, how much room, where and how", (preset) => {
		const text = nudgeText(preset, facts, save, { isKept: true, recall: null });
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
	test.each(["facts", "directive"])("preset %s asks for no save that can't be", (preset) => {
		const text = nudgeText(preset, facts, null, { isKept: true, recall: null });
		expect(text).toMatch(
			/^ccg nudge: automatic compaction of this conversation is near \(about 30,000 .*saved by ccg itself/s,
		);
		expect(text).not.toMatch(/memory save|can be saved|null|STOP/);
	});
	test("knows no distance under the percent rule", () => {
		expect(nudgeText("facts", { ...facts, distance: null }, save, { isKept: true, recall: null })).not.toMatch(
			/room|null|NaN/,
		);
	});
});

const USUAL = { warn: 0.55, compress: 0.7, critical: 0.85 };

test.each([
	[0.549, "normal"],
	[0.55, "warning"],
	[0.7, "compress"],
	[0.849, "compress"],
	[0.85, "critical"],
])("%d is %s", (given, level) => {
	expect(knownPressure({ given, measured: null, firstTurn: true }, USUAL).level).toBe(level);
});

describe("where the pressure comes from", () => {
	const measured = { tokens: 60_000, trigger: 67_000, window: 100_000, beforeCompaction: false };
	const TABLE: [string, PressureFacts, object][] = [
		["a host's wins", { given: 0.6, measured, firstTurn: false }, { value: 0.6, level: "warning", source: "given" }],
		["a host's 0 too", { given: 0, measured, firstTurn: false }, { value: 0, level: "normal", source: "given" }],
		["measured", { measured, firstTurn: true }, { value: 60 / 67, level: "critical", source: "measured" }],
		[
			"where nothing compacts by itself, of the window",
			{ measured: { ...measured, tokens: 50_000, trigger: null }, firstTurn: true },
			{ value: 0.5, level: "normal", source: "measured" },
		],
		[
			"missing in the first turn",
			{ measured: null, firstTurn: true },
			{ value: 0, level: "normal", source: "first turn" },
		],
		["missing later", { measured: null, firstTurn: false }, { value: null, level: "critical", source: "missing" }],
		[
			"measured before the compaction",
			{ measured: { ...measured, beforeCompaction: true }, firstTurn: false },
			{ value: 0, level: "normal", source: "not measured since the compaction" },
		],
		[
			"a session without an answer yet",
			{ measured: { ...measured, tokens: null }, firstTurn: false },
			{ value: 0, level: "normal", source: "not measured since the compaction" },
		],
		[
			"a broken record is a missing one",
			{ measured: { tokens: null, trigger: null, window: null, beforeCompaction: false }, firstTurn: false },
			{ value: null, level: "critical", source: "missing" },
		],
	];
	test.each(TABLE)("%s", (_, facts, expected) => {
		expect(knownPressure(facts, USUAL)).toEqual(expected);
	});
});

test("numbers and ages are short", () => {
	expect([950, 67_000, 999_499, 1_000_000, 1_250_000].map(short)).toEqual(["950", "67k", "999k", "1M", "1.3M"]);
	expect([0, 59_000, 60_000, 7_200_000, 200_000_000].map(shortAge)).toEqual(["0s", "59s", "1m", "2h", "2d"]);
});
