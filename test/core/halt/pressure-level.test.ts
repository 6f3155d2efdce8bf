import { describe, expect, test } from "vitest";
import { knownPressure, levelOf, type PressureFacts, shareOf } from "../../../src/core/halt/pressure-level.ts";

const USUAL = { warn: 0.55, compress: 0.7, critical: 0.85 };

test.each([
	[0, "normal"],
	[0.549, "normal"],
	[0.55, "warning"],
	[0.699, "warning"],
	[0.7, "compress"],
	[0.849, "compress"],
	[0.85, "critical"],
	[1, "critical"],
])("%d is %s", (pressure, level) => {
	expect(levelOf(pressure, USUAL)).toBe(level);
});

test("thresholds are the configuration's", () => {
	expect(levelOf(0.5, { warn: 0.1, compress: 0.2, critical: 0.5 })).toBe("critical");
});

test.each([
	[33_500, 67_000, 100_000, 0.5],
	[70_000, 67_000, 100_000, 1],
	[50_000, null, 200_000, 0.25],
	[null, 67_000, 100_000, null],
	[5, null, null, null],
	[5, 0, 0, null],
])("%s tokens of %s, window %s: %s", (tokens, trigger, window, share) => {
	expect(shareOf(tokens, trigger, window)).toBe(share);
});

describe("where the pressure comes from", () => {
	const measured = { tokens: 60_000, trigger: 67_000, window: 100_000, beforeCompaction: false };
	const TABLE: [string, PressureFacts, object][] = [
		["a host's wins", { given: 0.6, measured, firstTurn: false }, { value: 0.6, level: "warning", source: "given" }],
		["a host's 0 too", { given: 0, measured, firstTurn: false }, { value: 0, level: "normal", source: "given" }],
		["measured", { measured, firstTurn: true }, { value: 60 / 67, level: "critical", source: "measured" }],
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
