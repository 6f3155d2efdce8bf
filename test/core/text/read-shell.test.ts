import { join } from "node:path";
import { expect, test } from "vitest";
import { readShell } from "../../../src/core/text/read-shell.ts";
import { corpus } from "../../kit/corpus.ts";

const CASES = corpus(join(import.meta.dirname, "read-shell.txt"));

/** The words of each command, `…` behind what is known of a word. */
const words = (text: string, variables?: Map<string, string>): string =>
	readShell(text, variables)
		.commands.map((command) => command.words.map(({ text: whole, start }) => whole ?? `${start}…`).join("|"))
		.join(", ");

test.each(CASES["is read"]!)("%s", (row) => {
	const [text, commands] = row.split(" => ") as [string, string];
	expect([words(text), readShell(text).isOdd]).toEqual([commands, text.includes("`")]);
});

test.each(CASES["is read with variables"]!)(
	"with the values put in that are known, and those that it sets: %s",
	(row) => {
		const [text, commands] = row.split(" => ") as [string, string];
		expect(words(text, new Map([["HOME", "/h"]]))).toBe(commands);
	},
);

test.each([...CASES["is odd"]!, `${"a $(".repeat(300)}b${")".repeat(300)}`])(
	"what shells read differently, or is not followed, is said: %.40s",
	(text) => expect(readShell(text).isOdd).toBe(true),
);

test("what grows too long is cut", () => {
	expect(readShell(`a=xxxxxxxx;${"a=$a$a;".repeat(40)}`, new Map()).isCut).toBe(true);
});
