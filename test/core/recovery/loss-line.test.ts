import { expect, test } from "vitest";
import { type Loss, lossLine, lossOf } from "../../../src/core/recovery/loss-line.ts";

const loss = (total: number, lost: number, back: number, claims = 0, later = 0): Loss => ({
	total,
	lost,
	back,
	later,
	claims,
});

test.each([
	[
		loss(14, 0, 3, 1),
		"the summary kept 11 of 14 things you said; the other 3 are back. 1 statement of the summary has no source",
	],
	[loss(14, 1, 2), "the summary kept 11 of 14 things you said; 2 are back, 1 is lost"],
	[loss(14, 2, 0), "the summary kept 12 of 14 things you said; the other 2 are lost"],
	[loss(14, 0, 1, 0, 2), "the summary kept 11 of 14 things you said; 1 is back, 2 come with the next call"],
	[loss(1, 0, 1), "the summary kept none of 1 thing you said; it is back"],
	[loss(14, 0, 0, 2), "2 statements of the summary have no source"],
])("%j", (given, line) => expect(lossLine(given, "ccg report --last")).toBe(`ccg: ${line}. More: ccg report --last`));

const directive = (dropped: number, droppedBack: number) => ({
	directive: {
		total: 4,
		verbatim: 4 - dropped,
		reworded: 0,
		dropped,
		injected: droppedBack,
		droppedBack,
		reloaded: 0,
		later: 0,
		lines: [],
	},
});
const claim = { sentence: "The user approved.", quote: "" };

test.each([
	["nothing lost", { kinds: directive(0, 0), claims: [], summaryChars: 10 }, null],
	["no summary seen", { kinds: directive(4, 4), claims: [], summaryChars: null }, null],
	["lost", { kinds: directive(2, 1), claims: [], summaryChars: 10 }, loss(4, 1, 1)],
	["a claim alone", { kinds: directive(0, 0), claims: [claim], summaryChars: 10 }, loss(4, 0, 0, 1)],
])("of a report: %s", (_, report, expected) => expect(lossOf(report)).toEqual(expected));
