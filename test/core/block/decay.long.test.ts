import { expect, test } from "vitest";
import { compacted } from "../../../bench/decay/compacted.ts";
import { generator, pick, USUAL } from "../../../bench/decay/long-session.ts";

const SESSIONS = 30;
/** Rules laid down in each segment; the first has four more. Of more than these a block has no room for all. */
const RULES = [1, 2, 3];

test("rules do not decay: ten compactions whose summaries keep nothing, each rule there word for word after each", () => {
	for (let seed = 1; seed <= SESSIONS; seed++) {
		const random = generator(seed);
		const rules = RULES[seed % RULES.length]!;
		const asked = [1 + Math.floor(random() * 3), pick([4, 5, 6, 7, 8, 9], random), 10];
		for (const { missing, revived, sizes } of compacted(seed, { ...USUAL, rules }, asked)) {
			expect({ seed, missing, revived }).toEqual({ seed, missing: [], revived: [] });
			expect(sizes[0] + sizes[1]).toBeLessThanOrEqual(8_000);
		}
	}
});

test("more rules than a block has room for: the newest are there, and the rest is counted", () => {
	for (const { text, sizes, rules, missing } of compacted(1, { ...USUAL, rules: 40 }, [8, 10])) {
		expect(rules - missing.length).toBeGreaterThan(30);
		expect(missing).not.toEqual([]);
		expect(text).toMatch(/## The user's words.*\(\d+ more in the checkpoint\)/);
		expect(sizes[0] + sizes[1]).toBeLessThanOrEqual(8_000);
	}
});
