import { describe, expect, test } from "vitest";
import type { Item, Kind, Section } from "../../../src/core/recovery/item.ts";
import { fateOf, isLost, isReloaded, itemId, lostSections, summaryText } from "../../../src/core/recovery/loss.ts";

const item = (text: string, words?: string): Item => ({ text, order: 0, ...(words !== undefined && { words }) });

describe("the fate of an item", () => {
	const LONG = "Render invoices through the ledger module before anything touches accounting exports";
	test.each([
		["word for word", LONG, `He said: ${LONG}. Then more.`, "verbatim"],
		["white space normalised", LONG, LONG.replaceAll(" ", "\n\t "), "verbatim"],
		["case normalised", LONG, LONG.toUpperCase(), "verbatim"],
		["its words in another order", LONG, LONG.split(" ").toReversed().join(" "), "reworded"],
		["most of its words", LONG, LONG.replace("anything ", ""), "reworded"],
		["half of its words", LONG, "invoices through the ledger module", "dropped"],
		["its words as parts of longer ones only", LONG, LONG.replaceAll(/(\w{4,})/g, "$1x"), "dropped"],
		["nothing", LONG, "", "dropped"],
		["short, there", "Use pnpm", "the user said use PNPM", "verbatim"],
		["short, in other words", "Use pnpm", "pnpm is what they use", "dropped"],
		["short, of long words", "Internationalize everything", "everything: internationalize", "dropped"],
		["common words do not count", "should would could invoices", "invoices would could should", "dropped"],
		["a list's dash", "- Use pnpm", "use pnpm", "verbatim"],
		["quotation marks", '"Use pnpm"', "use pnpm", "verbatim"],
		["a block quote", "> Use pnpm\n> and bun", "use pnpm and bun", "verbatim"],
		["a path", "src/cart/total.ts", "Edited src/cart/total.ts twice", "verbatim"],
		["another path", "src/cart/total.ts", "Edited src/cart/total.js twice", "dropped"],
		["letters of other scripts", "Цены только в евро, без копеек", "ЦЕНЫ ТОЛЬКО в евро, без копеек!", "verbatim"],
	])("%s", (_, text, summary, fate) => {
		expect(fateOf(item(text), summaryText(summary))).toBe(fate);
	});

	test("is that of its bare words where it has such", () => {
		const dressed = item("- answer: Which currency? — the user: Euro only", "Euro only");
		expect(fateOf(dressed, summaryText("They chose euro only."))).toBe("verbatim");
		expect(fateOf(dressed, summaryText("answer: Which currency? the user was asked"))).toBe("dropped");
	});
});

test.each<[Kind, boolean]>([
	["request", true],
	["directive", true],
	["decision", true],
	["message", true],
	["file changed", true],
	["file read", true],
	["background task", true],
	["plan", false],
	["failure", false],
	["workspace", false],
	["command", false],
])("%s: reworded is lost: %s; dropped always, verbatim never", (kind, reworded) => {
	expect([isLost(kind, "verbatim"), isLost(kind, "reworded"), isLost(kind, "dropped")]).toEqual([
		false,
		reworded,
		true,
	]);
});

test("an item without words is looked for in vain, and not for ever", () => {
	for (const text of ["", "nothing else", "nothing else."])
		expect(fateOf({ text: '- ""', order: 0, words: "" }, summaryText(text))).toBe("dropped");
});

test("what CLAUDE.md holds: the user's words, not what merely bears a name", () => {
	const reloaded = "entry: src/index.ts. tests: npm run test. never push to main. ok go renderledger";
	const held = (kind: Kind, words: string, more = {}): boolean =>
		isReloaded(kind, { text: words, order: 0, words, ...more }, reloaded);
	expect(held("directive", "Never push to main")).toBe(true);
	expect(held("directive", "Never push to main", { keep: true })).toBe(false);
	expect(held("message", "ok go")).toBe(false);
	for (const [kind, words] of [
		["file changed", "src/index.ts"],
		["command", "npm run test"],
		["background task", "npm run test"],
	] as const)
		expect(held(kind, words)).toBe(false);
});

describe("the sections that are left", () => {
	const sections: Section[] = [
		{
			kind: "directive",
			place: 1,
			title: "D",
			share: 0.5,
			items: [item('- "Use pnpm"', "Use pnpm"), item('- "No jQuery"', "No jQuery")],
		},
		{ kind: "message", place: 2, title: "M", share: 0.5, items: [item('- "Use pnpm"', "Use pnpm")] },
	];
	const texts = (left: Section[]): string[][] => left.map(({ items }) => items.map(({ words }) => words!));

	test("without a summary: all but what was given, by kind and text", () => {
		const given = new Set([itemId("directive", sections[0]!.items[0]!)]);
		expect(texts(lostSections(sections, new Set(), null))).toEqual([["Use pnpm", "No jQuery"], ["Use pnpm"]]);
		expect(texts(lostSections(sections, given, null))).toEqual([["No jQuery"], ["Use pnpm"]]);
	});
	test("with one: what it kept is left out too, and the sections stay what they were", () => {
		const before = structuredClone(sections);
		expect(texts(lostSections(sections, new Set(), summaryText("no jquery")))).toEqual([["Use pnpm"], ["Use pnpm"]]);
		expect(sections).toEqual(before);
	});
});

test("ids: stable, by kind and text, without a collision in 50,000 names", () => {
	expect(itemId("file changed", item("src/a.ts"))).toBe(
		itemId("file changed", { ...item("src/a.ts", "other words"), order: 9 }),
	);
	expect(itemId("file changed", item("src/a.ts"))).not.toBe(itemId("file read", item("src/a.ts")));
	expect(itemId("file changed", item("src/a.ts"))).toBe("file changed 1ed9gcs1vbwx8p");
	const ids = new Set(
		Array.from({ length: 50_000 }, (_, i) => itemId("file changed", item(`src/module-${i}/index.ts`))),
	);
	expect(ids.size).toBe(50_000);
});
