import { test } from "vitest";
import { playHistories } from "../kit/document-histories.ts";
import { testCarriers } from "../kit/machine-histories.ts";

test("after any history all machines say the same, nothing is lost, nothing comes back, nothing is kept for ever", () => {
	playHistories(1, 400);
});

testCarriers({ folder: 4, git: 1, postgres: 2 }, 60_000);
