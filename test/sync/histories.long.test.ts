import { expect, test } from "vitest";
import { playHistories } from "../kit/document-histories.ts";
import { testCarriers } from "../kit/machine-histories.ts";

test("the same in 10,000 histories", { timeout: 300_000 }, () => {
	expect(playHistories(1_000, 11_000)).toBeGreaterThan(300_000);
});

testCarriers({ folder: 300, git: 100, postgres: 300 }, 1_800_000);
