import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../../src/core/config/config.ts";
import { computePressure } from "../../../src/core/pressure/pressure.ts";
import { SAMPLES, SIGNS } from "../../../src/core/pressure/status-legend.ts";
import {
	displayWidth,
	paintText,
	type StatusFacts,
	shortAge,
	shortTokens,
	statusLineColumns,
	statusText,
} from "../../../src/core/pressure/status-parts.ts";
import { corpus } from "../../kit/corpus.ts";

const CASES = corpus(join(import.meta.dirname, "pressure.txt"));
const line = (facts: StatusFacts, columns: number): string => statusText(facts, columns, String);
const sample = (name: string): StatusFacts => SAMPLES.find((one) => one.name === name)!.facts;
const WIDTHS = [20, 30, 40, 60, 80, 120, 200];

test.each(SAMPLES)(
	"$name: within the room, the signal whole, each sign explained; the wider, the more",
	({ facts }) => {
		const known = SIGNS.map(({ sign }) => sign).join(" ");
		const { tokens } = facts.pressure!;
		const lengths = WIDTHS.map((columns) => {
			const room = statusLineColumns(columns, 0);
			const text = line(facts, room);
			expect(displayWidth(text)).toBeLessThanOrEqual(room);
			expect(Bun.stripANSI(statusText(facts, room, paintText))).toBe(text);
			expect(text).toContain(tokens === null ? "—/167k" : `${tokens / 1000}k/167k`);
			for (const sign of text.match(/[^\p{L}\p{N}\s.:/()-]/gu) ?? []) expect(known).toContain(sign);
			return displayWidth(text);
		});
		expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
	},
);

test("what is given up, in order", () => {
	const facts = { ...sample("imminent"), cycle: "marker", hasFailed: true } as const;
	expect([76, 60, 50, 40, 26, 16, 8].map((columns) => line(facts, columns))).toEqual([
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

test.each([
	"a\nb\r\nc\u2028d\u2029e",
	"\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]8;;http://x.invalid\u001b\\link",
	"\u009b31mc1\u0085 \u0007\b\b\b\u0000nul\u007f",
	"\u202egnp.exe\u202c \u2066iso\u2069 zero\u200bwidth\u200djoined\ufeff\u00ad",
	"tag\u{e0041}\u{e0042} \u{e0100} \ud800lone",
	"x".repeat(100_000),
])("a name is one line of visible text: %j", (modelName) => {
	for (const columns of [0, 16, 76, 200]) {
		const text = line({ ...sample("calm"), modelName }, columns);
		expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
		expect(text).toContain("50k/167k");
		expect(text.length).toBeLessThan(500);
	}
});

test.each(CASES["a status line"]!)("status line: %s", (row) => {
	const [given, expected] = row.split(" => ");
	const { tokens, trigger = 167_000, ...more } = JSON.parse(given!);
	const why = trigger === null ? "auto-compaction is off" : "formula";
	const counted = { tokens: trigger, window: 200_000, why } as const;
	const pressure = tokens === undefined ? null : { ...computePressure(tokens, counted, DEFAULT_CONFIG.marker), why };
	const facts = { modelName: "Opus 5.5", cycle: "none", hasFailed: false, pressure, ...more };
	expect(line(facts, 0)).toBe(`Opus 5.5 ${expected}`);
});

test("numbers and ages are short", () => {
	expect([950, 67_000, 999_499, 1_000_000, 1_250_000].map(shortTokens)).toEqual(["950", "67k", "999k", "1M", "1.3M"]);
	expect([0, 59_000, 60_000, 7_200_000, 200_000_000].map(shortAge)).toEqual(["0s", "59s", "1m", "2h", "2d"]);
});
