import { join } from "node:path";
import { expect, test } from "vitest";
import { visible } from "../../../src/core/text/invisible.ts";
import { lasts } from "../../../src/core/text/lasting.ts";
import { sentenceSpans } from "../../../src/core/text/sentences.ts";
import { corpus } from "../../kit/corpus.ts";
import { message, stateOf } from "../../kit/session-events.ts";

const CASES = corpus(join(import.meta.dirname, "signs.txt"));
const partsOf = (text: string): string[] => sentenceSpans(text).map(({ start, end }) => text.slice(start, end));

test.each(CASES["says of itself that it lasts"]!)("%s lasts", (text) => expect(lasts(text)).toBe(true));
test.each(CASES["does not"]!)("%s does not", (text) => expect(lasts(text)).toBe(false));

test.each(CASES["sentences, parted by a bar"]!)("sentences of %s", (row) => {
	const sentences = row.split("|");
	// the number of a list's item begins a line
	const between = /^\d/.test(row) ? "\n " : " ";
	expect(partsOf(sentences.join(between))).toEqual(sentences);
	expect(partsOf(sentences.join("\n\n"))).toEqual(sentences);
});

test("white space has none", () => expect(partsOf("  ")).toEqual([]));

const flag = (region: string): string =>
	`\u{1f3f4}${[...region].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")}\u{e007f}`;

test.each([
	["Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u062a\u0633\u062a"],
	["Hindi", "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937"],
	["Malayalam", "\u0d28\u0d4d\u200d \u0d05\u0d35\u0d28\u0d4d\u200d"],
	["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
	["a flag of joined signs", "\u{1f3f3}\ufe0f\u200d\u{1f308}"],
	["a tone of skin", "\u{1f469}\u{1f3fd}\u200d\u{1f4bb}"],
	["a key", "1\ufe0f\u20e3"],
	["flags of countries without a code", `${flag("gbeng")} ${flag("gbsct")} ${flag("gbwls")}`],
])("%s stays to the letter, in a message too", (_, text) => {
	expect(visible(text)).toBe(text);
	expect(stateOf(message(`Write ${text}`)).messages[0]!.text).toBe(`Write ${text}`);
});

test.each([
	["between Latin letters", "ad\u200cmin pass\u200dword", "admin password"],
	["at the edges", "\u200da\u200c", "a"],
	["in a row", "\u0645\u200c\u200c\u200c\u062e", "\u0645\u062e"],
	["words of tags behind a flag", `${flag("hide")}x`, "\u{1f3f4}x"],
	["tags alone", "a\u{e0068}\u{e0069}b", "ab"],
])("what nobody sees goes: %s", (_, text, seen) => expect(visible(text)).toBe(seen));
