import { expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../../src/core/config/config.ts";
import { nudgeText } from "../../../src/core/pressure/nudge-text.ts";
import { knownPressure, type PressureFacts, pressureOf } from "../../../src/core/pressure/pressure.ts";
import { redactSecrets } from "../../../src/core/redact/secrets.ts";

const RULE = DEFAULT_CONFIG.marker;

test.each<[string, number | null, number | null, boolean, string]>([
	["far away", 50_000, 167_000, false, "calm"],
	["one token too far", 129_999, 167_000, false, "watch"],
	["37,000 left", 130_000, 167_000, true, "flush"],
	["a quarter of the headroom left", 157_750, 167_000, true, "imminent"],
	["beyond the trigger", 180_000, 167_000, true, "imminent"],
	["a small window, 40% not used", 23_999, 60_000, false, "calm"],
	["a window so small that 37,000 is all of it", 11_000, 30_000, false, "calm"],
	["the same at 40%", 12_000, 30_000, true, "flush"],
	["no trigger", 190_000, null, false, "none"],
	["tokens unknown", null, 167_000, false, "unknown"],
])("marker and zone: %s", (_, tokens, trigger, due, zone) => {
	const distance = tokens === null || trigger === null ? null : trigger - tokens;
	const counted = { tokens: trigger, window: 200_000, why: "formula" } as const;
	expect(pressureOf(tokens, counted, RULE)).toMatchObject({ due, zone, distance });
});

test("the original rule, 65 percent of the window", () => {
	const counted = { tokens: null, window: 200_000, why: "formula" } as const;
	const isDue = (tokens: number) => pressureOf(tokens, counted, { ...RULE, rule: "percent" }).due;
	expect([130_000, 130_001].map(isDue)).toEqual([false, true]);
});

const ROOM = { distance: 30_400, trigger: 67_000 };
const MORE = { isKept: true, recall: null };
const SAVE = redactSecrets("/opt/ccg/bin/ccg memory save");

test.each(["facts", "directive"])("the nudge's preset %s, where its commands can't write, asks for none", (preset) => {
	const unsaved = nudgeText(preset, ROOM, null, MORE);
	expect(unsaved).toMatch(/^ccg nudge: automatic compaction of this [\s\S]*about 30,000 [\s\S]*saved by ccg itself/);
	expect(unsaved).not.toMatch(/memory save|can be saved|null|STOP/);
});

test("the nudge knows no distance under the percent rule", () => {
	expect(nudgeText("facts", { ...ROOM, distance: null }, SAVE, MORE)).not.toMatch(/room|null|NaN/);
});

const measured = { tokens: 60_000, trigger: 67_000, window: 100_000, beforeCompaction: false };
const broken = { tokens: null, trigger: null, window: null, beforeCompaction: false };
const NONE_YET = "normal 0 not measured since the compaction";

test.each<[string, Partial<PressureFacts>, string]>([
	["a host's wins", { given: 0.6, measured }, "warning 0.6 given"],
	["a host's 0 too", { given: 0, measured }, "normal 0 given"],
	["measured", { measured: { ...measured, tokens: 33_500 } }, "normal 0.5 measured"],
	[
		"of the window, where nothing compacts by itself",
		{ measured: { ...measured, trigger: null } },
		"warning 0.6 measured",
	],
	["missing in the first turn", { firstTurn: true }, "normal 0 first turn"],
	["missing later", {}, "critical null missing"],
	["measured before the compaction", { measured: { ...measured, beforeCompaction: true } }, NONE_YET],
	["a session without an answer yet", { measured: { ...measured, tokens: null } }, NONE_YET],
	["a broken record is a missing one", { measured: broken }, "critical null missing"],
	["just below a level", { given: 0.549 }, "normal 0.549 given"],
	["where the first begins", { given: 0.55 }, "warning 0.55 given"],
	["where the second does", { given: 0.7 }, "compress 0.7 given"],
	["below the last", { given: 0.849 }, "compress 0.849 given"],
	["where that begins", { given: 0.85 }, "critical 0.85 given"],
])("a task's pressure: %s", (_, facts, expected) => {
	const usual = { warn: 0.55, compress: 0.7, critical: 0.85 };
	const { level, value, source } = knownPressure({ measured: null, firstTurn: false, ...facts }, usual);
	expect(`${level} ${value} ${source}`).toBe(expected);
});
