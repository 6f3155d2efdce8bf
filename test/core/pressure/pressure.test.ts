import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../../src/core/config/config.ts";
import { nudgeText } from "../../../src/core/pressure/nudge-text.ts";
import { choosePressure, computePressure } from "../../../src/core/pressure/pressure.ts";
import { redactSecrets } from "../../../src/core/redact/secrets.ts";
import { corpus } from "../../kit/corpus.ts";

const RULE = DEFAULT_CONFIG.marker;
const [MARKERS, TASKS] = Object.values(corpus(join(import.meta.dirname, "pressure.txt")));

test.each(MARKERS!)("marker and zone: %s", (row) => {
	const [, given, expected] = /: (.*) => (.*)$/.exec(row)!;
	const [tokens, trigger] = given!.split(" of ").map((one) => JSON.parse(one) as number | null) as [number, number];
	const counted = { tokens: trigger, window: 200_000, why: "formula" } as const;
	const { due, zone, distance } = computePressure(tokens, counted, RULE);
	expect(due ? `due, ${zone}` : zone).toBe(expected!);
	expect(distance).toBe(tokens === null || trigger === null ? null : trigger - tokens);
});

test("the original rule, 65 percent of the window", () => {
	const counted = { tokens: null, window: 200_000, why: "formula" } as const;
	const isDue = (tokens: number) => computePressure(tokens, counted, { ...RULE, rule: "percent" }).due;
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

test.each(TASKS!)("a task's pressure: %s", (row) => {
	const [, facts, expected] = /: (\{.*) => (.*)$/.exec(row)!;
	const { measured, ...more } = JSON.parse(facts!);
	const usual = { tokens: 60_000, trigger: 67_000, window: 100_000, beforeCompaction: false };
	const known = { firstTurn: false, ...more, measured: measured ? { ...usual, ...measured } : null };
	const { level, value, source } = choosePressure(known, { warn: 0.55, compress: 0.7, critical: 0.85 });
	expect(`${level} ${value} ${source}`).toBe(expected!);
});
