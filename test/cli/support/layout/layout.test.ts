import { describe, expect, test } from "vitest";
import { fitMiddle, fitted, wrapped } from "../../../../src/cli/support/layout/fit.ts";
import { isoOf, moment } from "../../../../src/cli/support/layout/moment.ts";
import { sideBySide } from "../../../../src/cli/support/layout/side-by-side.ts";
import { table } from "../../../../src/cli/support/layout/table.ts";

test.each([
	["short", 10, "short"],
	["exactly", 7, "exactly"],
	["one too long", 11, "one too lo…"],
	["a word", 3, "a…"],
	["日本語です", 5, "日本…"],
	["x", 0, ""],
])("%j in %d columns is %j", (text, width, shown) => expect(fitted(text, width)).toBe(shown));

test.each([
	["0c0ffee0-0000-4000-8000-00000000abcd", 12, "0c0ffe…0abcd"],
	["short", 5, "short"],
])("the middle of %j in %d columns", (text, width, shown) => {
	expect(Bun.stringWidth(fitMiddle(text, width))).toBeLessThanOrEqual(width);
	expect(fitMiddle(text, width).length).toBe(shown.length);
});

test("lines are wrapped between words, keep their indentation, and are left alone without a width", () => {
	expect(wrapped("one two three", 8)).toEqual(["one two", "three"]);
	expect(wrapped("  - one two three", 12)).toEqual(["  - one two", "  three"]);
	expect(wrapped("a\n\nb", 8)).toEqual(["a", "", "b"]);
	expect(wrapped("abcdefghijklmnop", 8)).toEqual(["abcdefgh", "ijklmnop"]);
	expect(wrapped("one two three", Infinity)).toEqual(["one two three"]);
});

test("what a terminal would obey is measured as it will be shown, and a cell is one line", () => {
	expect(fitted("a\u001b[2Jb", 40)).toBe("a\\u001b[2Jb");
	expect(wrapped("\u202eabc", 9)).toEqual(["\\u202eabc"]);
	expect(table([{ title: "x", cells: ["a\nb\u0007"], rank: 0 }], 40).lines).toEqual(["x", "a b\\u0007"]);
});

test("two texts beside each other, coloured after they were fitted", () => {
	expect(sideBySide([{ text: "one two three four" }], [{ text: "right" }], 23)).toEqual([
		"one two      right",
		"three four",
	]);
	const paint = (line: string): string => `<${line}>`;
	expect(sideBySide([{ text: "one two three", paint }], [{ text: "b", paint }], 23)).toEqual([
		"<one two   >   <b         >",
		"<three     >",
	]);
});

describe("a table", () => {
	const columns = [
		{ title: "id", cells: ["a1", "b22"], rank: 0 },
		{ title: "project", cells: ["ledger-of-the-house", "mails"], rank: 1, least: 5 },
		{ title: "n", cells: ["1", "1000"], rank: 2, align: "right" as const },
	];
	test.each([
		[80, ["id   project                 n", "a1   ledger-of-the-house     1", "b22  mails                1000"], []],
		[20, ["id   project       n", "a1   ledger-o…     1", "b22  mails      1000"], []],
		[12, ["id   project", "a1   ledger…", "b22  mails"], ["n"]],
		[5, ["id", "a1", "b22"], ["n", "project"]],
		[2, ["id", "a1", "b…"], ["n", "project"]],
	])("in %d columns", (width, lines, left) => {
		const made = table(columns, width);
		expect(made.lines).toEqual(lines);
		expect(made.left.toSorted()).toEqual(left);
	});
});

test("moments: the reader's clock for people, ISO 8601 for programs", () => {
	const at = new Date("2026-03-01T10:00:00Z");
	const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
	expect(moment("2026-03-01T10:00:00Z")).toBe(`${local.slice(0, 10)} ${local.slice(11, 16)}`);
	expect(moment(at.getTime() / 1000)).toBe(moment(at.toISOString()));
	for (const unknown of [0, "", "nonsense", -5]) expect(moment(unknown)).toBe("an unknown time");
	expect(isoOf(at.getTime() / 1000)).toBe("2026-03-01T10:00:00.000Z");
	for (const unknown of [0, null, -1, 1e300]) expect(isoOf(unknown)).toBeNull();
});
