import { join } from "node:path";
import { expect, test } from "vitest";
import { isMeantToLast, sentenceSpans } from "../../../src/core/text/sentences.ts";
import { corpus } from "../../kit/corpus.ts";

const CASES = corpus(join(import.meta.dirname, "signs.txt"));
const partsOf = (text: string): string[] => sentenceSpans(text).map(({ start, end }) => text.slice(start, end));

test.each(CASES["says of itself that it lasts"]!)("%s lasts", (text) => expect(isMeantToLast(text)).toBe(true));
test.each(CASES["does not"]!)("%s does not", (text) => expect(isMeantToLast(text)).toBe(false));

test.each(CASES["sentences, parted by a bar"]!)("sentences of %s", (row) => {
	const sentences = row.split("|");
	// the number of a list's item begins a line
	const between = /^\d/.test(row) ? "\n " : " ";
	expect(partsOf(sentences.join(between))).toEqual(sentences);
	expect(partsOf(sentences.join("\n\n"))).toEqual(sentences);
});

test("white space has none", () => expect(partsOf("  ")).toEqual([]));
