import { expect, test } from "vitest";
import { beside, unbroken, wordsOf } from "../../../../src/cli/support/layout/beside.ts";

const printed = (text: string | string[], columns?: number): string[] => {
	const lines: string[] = [];
	beside({ out: (line) => lines.push(line), columns }, { label: "  ok  ", indent: 6 }, text);
	return lines;
};

test("continued under the text's column; a path that is wider stays whole", () => {
	const path = "/a/rather/long/path/that/has/no/room/at/all";
	expect(printed(`it is not in ${path} any more`, 32)).toEqual([
		"  ok  it is not in",
		`      ${path}`,
		"      any more",
	]);
});

test("a command is not broken at its spaces", () => {
	expect(unbroken("run `ccg install --scope local` here", 22)).toEqual(["run", "`ccg install --scope local`", "here"]);
	expect(wordsOf("a `b c`, (`d e`) f` g")).toEqual(["a", "`b c`,", "(`d e`)", "f`", "g"]);
});

test("below the label where there is no room beside it", () => {
	expect(printed("one two three four five six", 26)).toEqual(["  ok", "    one two three four", "    five six"]);
});

test("parts stay together; nothing is wrapped where no terminal is known", () => {
	expect(printed(["warn 0.55,", "compress 0.7,", "critical 0.85"], 32)).toEqual([
		"  ok  warn 0.55, compress 0.7,",
		"      critical 0.85",
	]);
	expect(printed(`${"long ".repeat(60)}`)).toEqual([`  ok  ${"long ".repeat(60)}`.trimEnd()]);
	expect(printed("")).toEqual(["  ok"]);
});
