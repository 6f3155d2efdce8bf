import { expect, test } from "vitest";
import { type Loss, lossLine, lossOf } from "../../../src/core/recovery/loss-line.ts";

const loss = (total: number, lost: number, back: number, claims = 0): Loss => ({ total, lost, back, claims });

test.each([
	[
		loss(14, 3, 3, 1),
		"of 14 things you said the summary lost 3; all are back. 1 statement of the summary has no source",
	],
	[loss(14, 3, 2), "of 14 things you said the summary lost 3; 2 are back, 1 is not"],
	[loss(14, 3, 1), "of 14 things you said the summary lost 3; 1 is back, 2 are not"],
	[loss(14, 2, 2), "of 14 things you said the summary lost 2; both are back"],
	[loss(14, 2, 0), "of 14 things you said the summary lost 2; none is back"],
	[loss(14, 1, 1), "of 14 things you said the summary lost 1; it is back"],
	[loss(1, 1, 1), "the summary lost the one thing you said; it is back"],
	[loss(1, 1, 0), "the summary lost the one thing you said; it is not back"],
	[loss(14, 0, 0, 2), "2 statements of the summary have no source"],
])("%j", (given, line) => expect(lossLine(given, "ccg")).toBe(`ccg: ${line}. More: ccg report --last`));

const directive = (dropped: number, droppedBack: number) => ({
	directive: {
		total: 4,
		verbatim: 4 - dropped,
		reworded: 0,
		dropped,
		injected: droppedBack,
		droppedBack,
		reloaded: 0,
		lines: [],
	},
});
const claim = { sentence: "The user approved.", quote: "" };

test.each([
	["nothing lost", { kinds: directive(0, 0), claims: [], summaryChars: 10 }, null],
	["no summary seen", { kinds: directive(4, 4), claims: [], summaryChars: null }, null],
	["lost", { kinds: directive(2, 1), claims: [], summaryChars: 10 }, loss(4, 2, 1)],
	["a claim alone", { kinds: directive(0, 0), claims: [claim], summaryChars: 10 }, loss(4, 0, 0, 1)],
])("of a report: %s", (_, report, expected) => expect(lossOf(report)).toEqual(expected));
