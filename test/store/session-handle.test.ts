import { expect, test } from "vitest";
import { type Tell, tellOnce } from "../../src/store/session-handle.ts";

test("each thing is told once, also where telling it meets it again", () => {
	const told: string[] = [];
	const tell: Tell = tellOnce((problem) => {
		told.push(problem);
		tell(problem);
	});
	for (const problem of ["damaged", "newer", "damaged"]) tell(problem);
	expect(told).toEqual(["damaged", "newer"]);
});
