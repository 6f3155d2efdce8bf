import { expect, test } from "vitest";
import type { Item, Section } from "../../../src/core/block/item.ts";
import { fateOf, isReloaded, itemId, lostSections, summaryText } from "../../../src/core/block/lost.ts";

const item = (text: string, words?: string): Item => ({ text, order: 0, ...(words !== undefined && { words }) });

const LONG = "Render invoices through the ledger module before anything touches accounting exports";

test.each([
	["white space and case", LONG, LONG.toUpperCase().replaceAll(" ", "\n\t "), "verbatim"],
	["its words in another order", LONG, LONG.split(" ").toReversed().join(" "), "reworded"],
	["half of its words", LONG, "invoices through the ledger module", "dropped"],
	["its words as parts of longer ones only", LONG, LONG.replaceAll(/(\w{4,})/g, "$1x"), "dropped"],
	["nothing", LONG, "", "dropped"],
	["short, there", "Use pnpm", "the user said use PNPM", "verbatim"],
	["short, in other words", "Use pnpm", "pnpm is what they use", "dropped"],
	["common words do not count", "should would could invoices", "invoices would could should", "dropped"],
	["a quotation in a list", '- "Use pnpm"', "use pnpm", "verbatim"],
	["a block quote", "> Use pnpm\n> and bun", "use pnpm and bun", "verbatim"],
	["another path", "src/cart/total.ts", "Edited src/cart/total.js twice", "dropped"],
	["letters of other scripts", "Цены только в евро, без копеек", "ЦЕНЫ ТОЛЬКО в евро, без копеек!", "verbatim"],
	["without words", '- ""', "nothing else.", "dropped"],
])("the fate of an item: %s", (_, text, summary, fate) => {
	expect(fateOf(item(text), summaryText(summary))).toBe(fate);
});

test("the fate of an item is that of its bare words where it has such", () => {
	const dressed = item("- answer: Which currency? — the user: Euro only", "Euro only");
	expect(fateOf(dressed, summaryText("They chose euro only."))).toBe("verbatim");
	expect(fateOf(dressed, summaryText("answer: Which currency? the user was asked"))).toBe("dropped");
});

test.each([
	["directive", "Never push to main", {}, true],
	["directive", "Never push to main", { keep: true as const }, false],
	["message", "ok go", {}, false],
	["file changed", "src/index.ts", {}, false],
])("what CLAUDE.md holds: the user's words, not what merely bears a name: %#", (kind, words, more, is) => {
	const reloaded = "entry: src/index.ts. tests: npm run test. never push to main. ok go renderledger";
	expect(isReloaded(kind, { ...item(words, words), ...more }, reloaded)).toBe(is);
});

test("what is left: all but what was given, by kind and text, and what the summary kept, where need be word for word", () => {
	const of = (kind: string, more: Partial<Section>, ...words: string[]): Section => ({
		...{ kind, at: 1, heading: kind, ...more },
		items: words.map((one) => item(`- "${one}"`, one)),
	});
	const sections = [of("directive", {}, "Use pnpm", "No jQuery"), of("message", {}, "Use pnpm")];
	const left = (given: string[], summary: string | null, all = sections): string[][] =>
		lostSections(all, new Set(given), summary === null ? null : summaryText(summary)).map(({ items }) =>
			items.map(({ words }) => words!),
		);
	expect(left([], null)).toEqual([["Use pnpm", "No jQuery"], ["Use pnpm"]]);
	expect(left([itemId("directive", sections[0]!.items[0]!)], null)).toEqual([["No jQuery"], ["Use pnpm"]]);
	expect(left([], "no jquery")).toEqual([["Use pnpm"], ["Use pnpm"]]);
	const same = "Render invoices through ledger modules";
	const kept = left([], "ledger modules render invoices through", [
		of("a", {}, same),
		of("b", { verbatim: true }, same),
	]);
	expect(kept).toEqual([[], [same]]);
});
