import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excerpt } from "../../../src/core/text/excerpt.ts";
import { lasts } from "../../../src/core/text/lasting.ts";
import { sentenceSpans } from "../../../src/core/text/sentences.ts";

const filler = (n: number, end = " "): string =>
	Array.from({ length: n }, (_, i) => `Line ${i} tells how it was.${end}`).join("");

describe("a text that is too long keeps", () => {
	test.each<[string, string, RegExp]>([
		[
			"its beginning and its end",
			`Begin here. ${filler(90)}Mend the lexer.`,
			/^Begin here\. Line 0 .* Mend the lexer\.$/,
		],
		[
			"whole paragraphs",
			`# A\n\n${filler(10)}\n\n${filler(60)}\n\n${filler(17)}Mend it.`,
			/^# A\n\nLine 0 .*Line 9 tells how it was\.\n\[…\d+ characters…\]\nLine 0 .*Mend it\.$/,
		],
		[
			"what lasts, word for word",
			`Hi. ${filler(60)}Never use sed. ${filler(60)}Go.`,
			/^Hi\. .*…\] Never use sed\. \[….*Go\.$/,
		],
		[
			"a quotation whole",
			`${filler(9)}He said "Stop. Now. ${"All of it. ".repeat(3)}" ${filler(60)}Go.`,
			/"Stop\. Now\. (?:All of it\. ){3}"/,
		],
		[
			"the first and last lines of a fenced block",
			`Why?\n\n\`\`\`log\n${filler(99, "\n")}\`\`\`\n\nMend it.`,
			/^Why\?\n\n```log\nLine 0 .*\n\[… \d+ more lines …\]\nLine 98 .*\n```\n\nMend it\.$/,
		],
		["the ends of one long line", "x".repeat(9_000), /^x+ \[…\d+ characters…\]$|^x+ \[…\d+ characters…\] x+$/],
		[
			"a quotation in other marks whole",
			`${filler(9)}He said ‘Stop. Now. ${"All of it. ".repeat(3)}’ ${filler(60)}Go.`,
			/‘Stop\. Now\. (?:All of it\. ){3}’/,
		],
		[
			"both fences of a block in a list",
			`Why?\n- a:\n    \`\`\`sh\n${filler(60, "\n    ")}\n    \`\`\`\n- b\nMend it.`,
			/^Why\?\n- a:\n {4}```sh\n.*\[… \d+ more lines …\]\n.*\n {4}```\n- b\nMend it\.$/s,
		],
		[
			"what follows code that ends in its own line",
			`\`\`\`npm test\`\`\` fails. ${filler(60)}Never use sed. ${filler(60)}Go.`,
			/^```npm test``` fails\. .*…\] Never use sed\. \[….*Go\.$/,
		],
	])("%s", (_, text, told) => {
		const { text: short, missing } = excerpt(text, 1_000, lasts);
		expect(short).toMatch(told);
		expect(short.length).toBeLessThanOrEqual(1_000);
		expect(missing).toBeGreaterThan(0);
	});
});

/** The marks that stand in the place of what is left out. */
const MARK = / ?\[…(?:\d+ characters| \d+ more lines? )…\] ?/;

test("whatever the text: within its room, its parts in their order, no pair of fences split", () => {
	const odd = fc.constantFrom(
		"```",
		"~~~",
		"```js\n",
		'"',
		"„",
		"”",
		"«",
		"\n\n",
		"\n",
		"\r\n",
		" ",
		"- ",
		"1. ",
		". ",
		"。",
	);
	const part = fc.oneof(
		odd,
		fc.constantFrom("\ud800", "\u202e", "Never x. ", "a".repeat(900)),
		fc.string({ maxLength: 90 }),
	);
	const wild = fc.tuple(fc.array(part, { maxLength: 80 }), fc.nat(20)).map(([parts, n]) => parts.join("").repeat(n));
	fc.assert(
		fc.property(wild, fc.integer({ min: 200, max: 4_000 }), (text, max) => {
			const { text: told, missing } = excerpt(text, max, lasts);
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

test.each([
	"Never push to main.",
	"From now on we use pnpm",
	"each time you commit, lint",
	"Ab jetzt nur pnpm.",
	"Merk dir: kein sed.",
	"Ne pousse jamais.",
	"À partir de maintenant, pnpm.",
	"Nunca hagas push.",
	"A partir de agora usa pnpm",
	"D’ora in poi solo pnpm",
	"Gebruik altijd pnpm.",
	"Nigdy nie rób push",
	"Никогда не пушь.",
	"Впредь только pnpm",
	"Bundan sonra pnpm kullan",
	"لا تعدل هذا أبدًا.",
	"استخدم pnpm دائماً",
	"永远不要推送",
	"以後都用 pnpm",
	"必ずテストを書いて",
	"항상 pnpm을 써",
])("%s lasts", (text) => expect(lasts(text)).toBe(true));
test.each([
	"Never mind.",
	"Fix the parser.",
	"The niece of Mainz",
	"nevertheless, go on",
	"Mach das mit Immermann",
	"继续",
])("%s does not", (text) => expect(lasts(text)).toBe(false));

test.each<[string, string[]]>([
	["Use tools, e.g. eslint. Then run.", ["Use tools, e.g. eslint.", "Then run."]],
	["Compare v. 2 and v. 3. Done.", ["Compare v. 2 and v. 3.", "Done."]],
	["1. Never push.\n 2. Always test.", ["1. Never push.", "2. Always test."]],
	["Nimm z.B. pnpm. Danke.", ["Nimm z.B. pnpm.", "Danke."]],
	["Logs, caches, etc. are out. Really.", ["Logs, caches, etc. are out.", "Really."]],
	["Remove logs, etc. Then stop.", ["Remove logs, etc.", "Then stop."]],
	["one line\nwrapped. Two\n\nthree", ["one line\nwrapped.", "Two", "three"]],
	["不要推送。必须测试！好", ["不要推送。", "必须测试！", "好"]],
	['He said "stop." Then src/a.ts and b.c now. ok', ['He said "stop."', "Then src/a.ts and b.c now.", "ok"]],
	["  ", []],
])("sentences of %j", (text, sentences) =>
	expect(sentenceSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual(sentences),
);
