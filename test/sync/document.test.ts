import { test } from "vitest";
import { playHistories } from "../kit/document-histories.ts";

test("after any history all machines say the same, nothing is lost, nothing comes back, nothing is kept for ever", () => {
	playHistories(1, 400);
});
