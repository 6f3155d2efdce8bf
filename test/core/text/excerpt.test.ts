import fc from "fast-check";
import { expect, test } from "vitest";
import { excerpt } from "../../../src/core/text/excerpt.ts";
import { safeTail } from "../../../src/core/text/safe-head.ts";
import { isMeantToLast } from "../../../src/core/text/sentences.ts";

const filler = (n: number, end = " "): string =>
	Array.from({ length: n }, (_, i) => `Line ${i} tells how it was.${end}`).join("");
const LOG = filler(60, "\n    ");

test.each<[string, string, RegExp]>([
	["its ends", `Begin here. ${filler(90)}Mend the lexer.`, /^Begin here\. Line 0 .* Mend the lexer\.$/],
	[
		"what lasts, word for word",
		`Hi. ${filler(60)}Never use sed. ${filler(60)}Go.`,
		/^Hi\. .*…\] Never use sed\. \[….*Go\.$/,
	],
	[
		"the first and last lines of a fenced block",
		`Why?\n\n\`\`\`log\n${filler(99, "\n")}\`\`\`\n\nMend it.`,
		/^Why\?\n\n```log\nLine 0 .*\n\[… \d+ more lines …\]\nLine 98 .*\n```\n\nMend it\.$/,
	],
	[
		"both fences of a block in a list",
		`Why?\n- \`\`\`sh\n    ${LOG}\n    \`\`\`\n- b\nMend it.`,
		/^Why\?\n- ```sh\n.*\[… \d+ more lines …\]\n.*\n {4}```\n- b\nMend it\.$/s,
	],
	[
		"what follows code that ends in its own line",
		`\`\`\`npm test\`\`\` fails. ${filler(60)}Never use sed. ${filler(60)}Go.`,
		/^```npm test``` fails\. .*…\] Never use sed\. \[….*Go\.$/,
	],
	["the ends of one long line", "x".repeat(9_000), /^x+ \[…\d+ characters…\](?: x+)?$/],
	["its words", `Hold ${"many more words than fit ".repeat(60)}and go`, /^Hold .{300,}and go$/],
])("a text that is too long keeps %s", (_, text, told) => {
	const { text: short, missing } = excerpt(text, 1_000, isMeantToLast);
	expect(short).toMatch(told);
	expect(short.length).toBeLessThanOrEqual(1_000);
	expect(missing).toBeGreaterThan(0);
});

/** The marks that stand in the place of what is left out. */
const MARK = / ?\[…(?:\d+ characters| \d+ more lines? )…\] ?/;

test("whatever the text: within its room, its parts in their order", () => {
	const signs = ["```", "~~~", "```js\n", '"', "„", "”", "«", "\n\n", "\n", "\r\n", " ", "- ", "1. ", ". ", "。"];
	const odd = fc.constantFrom(...signs, "\ud800", "\u202e", "Never x. ", "a".repeat(900));
	const part = fc.oneof({ weight: 2, arbitrary: odd }, fc.string({ maxLength: 90 }));
	const wild = fc.tuple(fc.array(part, { maxLength: 80 }), fc.nat(20)).map(([parts, n]) => parts.join("").repeat(n));
	fc.assert(
		fc.property(wild, fc.integer({ min: 200, max: 4_000 }), (text, max) => {
			const { text: told, missing } = excerpt(text, max, isMeantToLast);
			if (text.length <= max) {
				expect({ told, missing }).toEqual({ told: text, missing: 0 });
				return;
			}
			expect(told.length).toBeLessThanOrEqual(max);
			let from = 0;
			for (const line of told.split("\n").flatMap((one) => one.split(MARK))) {
				// (a line of a block ends in … where it is long)
				const piece = line.replace(/…$/, "").trim();
				const at = text.toWellFormed().indexOf(piece, from);
				expect(at, JSON.stringify(piece)).toBeGreaterThanOrEqual(0);
				from = at;
			}
		}),
		{ numRuns: 300 },
	);
});

const letters = (length: number): string =>
	Array.from({ length }, (_, n) => "aZ3kQ9xB7m"[(n * 7 + (n >> 3)) % 10]).join("");
const KEY_LINES = letters(9_600).replace(/.{64}/g, "$&\n");

test.each([
	["a word", `API_TOKEN=${letters(9_000)}`, ""],
	["a key in JSON", `{"key": "-----BEGIN PRIVATE KEY-----\\n${letters(9_000)}\\n-----END PRIVATE KEY-----"}`, ""],
	["a key's lines", `-----BEGIN RSA PRIVATE KEY-----\n${KEY_LINES}`, "\nerror: it was refused"],
])("of a secret longer than what is looked at nothing is shown: %s", (_, secret, end) => {
	const told = safeTail(`first\n${secret}${end}`, 400);
	expect(told).not.toMatch(/[A-Za-z0-9]{20}/);
	expect(told.endsWith(end)).toBe(true);
});
