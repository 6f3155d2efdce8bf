import { describe, expect, test } from "vitest";
import { pressureOf } from "../../../src/core/pressure/pressure.ts";
import { SAMPLES, SIGNS } from "../../../src/core/pressure/status-legend.ts";
import {
	displayWidth,
	painted,
	type StatusFacts,
	statusRoom,
	statusText,
} from "../../../src/core/pressure/status-parts.ts";
import { DEFAULT_CONFIG } from "../../../src/store/config/config.ts";

const line = (facts: StatusFacts, columns: number): string => statusText(facts, columns, String);
const sample = (name: string): StatusFacts => SAMPLES.find((one) => one.name === name)!.facts;
const WIDTHS = [20, 30, 40, 60, 80, 120, 200];

test.each(WIDTHS)("in a terminal of %i columns: within the room, the signal whole, each sign explained", (columns) => {
	const room = statusRoom(columns, 0);
	const known = SIGNS.map(({ sign }) => sign).join(" ");
	for (const { name, facts } of SAMPLES) {
		const text = line(facts, room);
		expect(displayWidth(text), name).toBeLessThanOrEqual(room);
		expect(Bun.stripANSI(statusText(facts, room, painted)), name).toBe(text);
		expect(text, name).toContain(facts.pressure!.tokens === null ? "—/167k" : `${facts.pressure!.tokens / 1000}k/167k`);
		for (const sign of text.match(/[^\p{L}\p{N}\s.:/()-]/gu) ?? []) expect(known).toContain(sign);
	}
});

test("the wider, the more", () => {
	for (const { facts } of SAMPLES) {
		const lengths = WIDTHS.map((columns) => displayWidth(line(facts, columns)));
		expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
	}
});

test("what is given up, in order", () => {
	const facts = { ...sample("imminent"), cycle: "marker", hasFailed: true } as const;
	const shown = [76, 60, 50, 40, 26, 16, 8].map((columns) => line(facts, columns));
	expect(shown).toEqual([
		"Opus 5.5 161k/167k █████████░ 6k left ● save due ⚠ hook failed: ccg doctor",
		"161k/167k ████░ 6k left ● save due ⚠ hook failed: ccg doctor",
		"161k/167k ████░ 6k left ● save due ⚠ hook failed",
		"161k/167k 6k left ● save ⚠ hook failed",
		"161k/167k ⚠ hook failed",
		"161k/167k ⚠",
		"161k/16…",
	]);
});

test.each([
	["CJK", "模型模型模型模型模型模型"],
	["skin tones and families", "👍🏽👩‍👩‍👧‍👦👍🏽👩‍👩‍👧‍👦"],
	["flags", "🇩🇪🇫🇷🇯🇵🇩🇪🇫🇷🇯🇵"],
	["combining marks", `e${"\u0301".repeat(300)}`],
])("widths are those of a terminal: %s", (_, modelName) => {
	for (let columns = 1; columns < 90; columns++)
		expect(displayWidth(line({ ...sample("flush"), modelName }, columns))).toBeLessThanOrEqual(columns);
});

describe("a name is one line of visible text", () => {
	test.each([
		"a\nb\r\nc\u2028d\u2029e",
		"\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]8;;http://x.invalid\u001b\\link",
		"\u009b31mc1\u0085",
		"\u202egnp.exe\u202c \u2066iso\u2069",
		"zero\u200bwidth\u200djoined\ufeff\u00ad",
		"tag\u{e0041}\u{e0042} \u{e0100}",
		"\u0007\b\b\b\u0000nul\u007f",
		"\ud800lone",
		"x".repeat(100_000),
	])("%j", (modelName) => {
		for (const columns of [0, 16, 76, 200]) {
			const text = line({ ...sample("calm"), modelName }, columns);
			expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
			expect(text).toContain("50k/167k");
			expect(text.length).toBeLessThan(500);
		}
	});
});

const BASE = { modelName: "Opus 5.5", cycle: "none", hasFailed: false } as const;
const pressed = (tokens: number | null, trigger: number | null = 167_000) =>
	pressureOf(tokens, { tokens: trigger, window: 200_000, why: "formula" }, DEFAULT_CONFIG.marker);
const pressure = pressed(133_000);

test.each<[StatusFacts, string]>([
	[{ ...BASE, pressure, cycle: "marker" }, "Opus 5.5 133k/167k ████████░░ 34k to compaction ● save due"],
	[{ ...BASE, pressure, cycle: "nudged" }, "Opus 5.5 133k/167k ████████░░ 34k to compaction ✓ nudged"],
	[{ ...BASE, pressure: pressed(170_000) }, "Opus 5.5 170k/167k ██████████ compaction due"],
	[{ ...BASE, pressure: pressed(null) }, "Opus 5.5 —/167k (not measured yet)"],
	[
		{ ...BASE, pressure: { ...pressed(5_000, null), why: "auto-compaction is off" } },
		"Opus 5.5 5k/200k (auto-compact off)",
	],
	[{ ...BASE, pressure: null, hasFailed: true }, "Opus 5.5 ccg: no data ⚠ hook failed: ccg doctor"],
])("status line: %#", (facts, expected) => expect(line(facts, 0)).toBe(expected));
