import { describe, expect, test } from "vitest";
import { fateOf, isLost, summaryText } from "../../../src/core/recovery/loss.ts";
import { verdict } from "../../../src/core/recovery/loss-verdict.ts";
import { keptInOwnWords, summaryWords } from "../../../src/core/recovery/own-words.ts";

const kept = (words: string, summary: string): boolean =>
	keptInOwnWords({ text: `- "${words}"`, order: 0, words }, summaryWords(summary));

describe("kept in the summary's own words", () => {
	test.each([
		["Never add a dependency, and keep parse() pure.", "No dependency may be added, and parse() is to be kept pure."],
		["Broken lines should be refused.", "The importer refuses broken lines."],
		["Commit after each step with a short message.", "- Commits after each step, short messages"],
		["Don’t touch the generated files", "Generated files are not to be touched."],
		["Use pnpm for installs. Run the tests with vitest.", "Installs use pnpm; the tests are run with vitest."],
	])("%j in %j", (words, summary) =>
		expect(kept(words, `The user wants a parser. ${summary} Next: print.`)).toBe(true),
	);

	test.each([
		["nothing of it", "Don't touch anything under archive/.", "The user wants an importer."],
		["the denial is gone", "Never add a dependency to the parser.", "A dependency was added to the parser."],
		["another name", "Deploy the api from release-2.4 only.", "Deploy the api from release-2.5 only."],
		["one of two sentences", "Keep amounts in cents. Ask before changing errors texts.", "Amounts are kept in cents."],
		[
			"words far apart",
			"Render invoices before exports.",
			`Render ${"x y z ".repeat(40)} invoices ${"a b ".repeat(40)} exports`,
		],
		["a single word", "Use tabs.", "The user prefers tabs somewhere."],
		["nothing said", "ok go", "ok go"],
		["an empty summary", "Commit after each step.", ""],
		["another language is not guessed", "テストを書いてから実装してください。", "The user wants tests first."],
	])("not: %s", (_, words, summary) => expect(kept(words, summary)).toBe(false));

	test("only counted: a directive in other words is still injected", () => {
		const item = { text: '- "Never add a dependency."', order: 0, words: "Never add a dependency to it." };
		const summary = "No dependency may be added to it.";
		expect(keptInOwnWords(item, summaryWords(summary))).toBe(true);
		for (const kind of ["request", "directive", "decision", "message"] as const)
			expect(isLost(kind, fateOf(item, summaryText(summary)))).toBe(true);
	});

	test("a long summary that repeats one word is looked through once", () => {
		const words = summaryWords("never touch archive ".repeat(20_000));
		const item = { text: "", order: 0, words: "Never touch the archive of invoices from accounting." };
		const start = performance.now();
		for (let n = 0; n < 20; n++) keptInOwnWords(item, words);
		expect(performance.now() - start).toBeLessThan(5_000);
	});
});

const loss = (total: number, dropped: number, droppedBack?: number, lines: object[] = []) => ({
	kinds: {
		directive: {
			total,
			verbatim: total - dropped,
			reworded: 0,
			dropped,
			injected: 0,
			reloaded: 0,
			lines,
			...(droppedBack !== undefined && { droppedBack }),
		},
		failure: { total: 9, verbatim: 0, reworded: 0, dropped: 9, injected: 0, reloaded: 0, lines: [] },
	},
	claims: [] as { sentence: string; quote: string }[],
	summaryChars: 100 as number | null,
});
const claims = (count: number) => Array.from({ length: count }, () => ({ sentence: "s", quote: "" }));

describe("the verdict", () => {
	test.each([
		[
			{ ...loss(7, 3, 3), claims: claims(1) },
			"3 of 7 things the user said were lost; all are back; 1 claim about you has no source.",
		],
		[
			{ ...loss(7, 2, 2), claims: claims(2) },
			"2 of 7 things the user said were lost; both are back; 2 claims about you have no source.",
		],
		[
			{ ...loss(7, 0), claims: [...claims(1), { ...claims(1)[0]!, about: "deed" }] },
			"All 7 things the user said were kept; 1 claim about you has no source; 1 thing it says was done is not in the record.",
		],
		[loss(7, 1, 1), "1 of 7 things the user said was lost; it is back."],
		[loss(7, 1, 0), "1 of 7 things the user said was lost; it is not back."],
		[loss(7, 3, 0), "3 of 7 things the user said were lost; none is back."],
		[loss(7, 3, 1), "3 of 7 things the user said were lost; 1 is back, 2 are not."],
		[loss(7, 0), "All 7 things the user said were kept."],
		[loss(1, 0), "The one thing the user said was kept."],
		[loss(0, 0), "The user had said nothing yet."],
		[{ ...loss(7, 7), summaryChars: null }, "No summary was seen, so nothing could be compared."],
	])("%#: %s", (report, sentence) => expect(verdict([report as never])).toBe(sentence));

	test("several: what no summary was seen of counts in no number", () => {
		const reports = [loss(3, 1, 1), loss(4, 2, 2), { ...loss(5, 5), summaryChars: null }] as never[];
		expect(verdict(reports)).toBe(
			"3 of 7 things the user said were lost; all are back; of 1 compaction no summary was seen.",
		);
	});
});
