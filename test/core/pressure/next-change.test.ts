import fc from "fast-check";
import { expect, test } from "vitest";
import { nextChange } from "../../../src/core/pressure/next-change.ts";
import { type MarkerRule, pressureOf } from "../../../src/core/pressure/pressure.ts";

const RULES: MarkerRule[] = (["distance", "percent"] as const).map((rule) => ({
	rule,
	headroomTokens: 37_000,
	minUsedShare: 0.4,
	percent: 65,
}));

test("between two steps neither zone nor flush marker change, whatever rule, trigger and window are", () => {
	fc.assert(
		fc.property(
			fc.nat(1_100_000),
			fc.option(fc.integer({ min: 1_000, max: 1_000_000 })),
			fc.integer({ min: 50_000, max: 1_000_000 }),
			fc.constantFrom(...RULES),
			fc.double({ min: 0, max: 1, noNaN: true }),
			(tokens, trigger, window, rule, share) => {
				const next = nextChange(tokens, { trigger, window }, rule, [0.85]) ?? 2_000_000;
				const there = { tokens: trigger, window, why: "told by Claude Code", observedKey: "" } as const;
				const state = (at: number) => {
					const { zone, due } = pressureOf(at, there, rule);
					return [zone, due, at >= 0.85 * (trigger ?? window)];
				};
				const between = Math.floor(tokens + share * (next - 1 - tokens));
				expect(next).toBeGreaterThan(tokens);
				expect(state(between)).toEqual(state(tokens));
			},
		),
		{ numRuns: 2_000 },
	);
});
