import { expect, test } from "vitest";
import { type OnProblem, reportOnce } from "../../src/store/session-handle.ts";

test("each thing is told once, also where telling it meets it again", () => {
	const told: string[] = [];
	const report: OnProblem = reportOnce((problem) => {
		told.push(problem);
		report(problem);
	});
	for (const problem of ["damaged", "newer", "damaged"]) report(problem);
	expect(told).toEqual(["damaged", "newer"]);
});
