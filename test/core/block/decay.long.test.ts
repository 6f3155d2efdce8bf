import { expect, test } from "vitest";
import { compacted } from "../../../bench/decay/compacted.ts";
import { generator, pick, USUAL } from "../../../bench/decay/long-session.ts";
import { isMeantToLast } from "../../../src/core/text/sentences.ts";

const SESSIONS = 30;

test("what says of itself that it lasts does not decay: ten compactions whose summaries keep nothing, there after each", () => {
	for (let seed = 1; seed <= SESSIONS; seed++) {
		const random = generator(seed);
		const asked = [1 + Math.floor(random() * 3), pick([4, 5, 6, 7, 8, 9], random), 10];
		for (const { missing: all, text } of compacted(seed, { ...USUAL, rules: 1 + (seed % 3) }, asked)) {
			const missing = all.filter(isMeantToLast);
			expect({ seed, missing }).toEqual({ seed, missing: [] });
			expect(text.length).toBeLessThanOrEqual(9_500);
		}
	}
});
