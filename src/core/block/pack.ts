import { tellingWords, weightOf } from "../text/telling-words.ts";
import type { Item, Section } from "./item.ts";
import { type Part, partOf } from "./print.ts";

/** What a section's heading and its note on what was left out cost at most. */
const HEADING = 36;

/**
 * Chooses whole items for a budget in characters: the request; what stands for the work to come, in short forms; of every section,
 * most important first, its share; then what still fits, and last the short forms of what did not. Nothing is cut inside an item.
 */
export function pack(sections: readonly Section[], budget: number): Part[] {
	const shelves = sections.map((section) => ({
		...{ section, spent: 0 },
		...{ chosen: new Set<Item>(), shortened: new Set<Item>() },
	}));
	let left = budget;
	/** Whether it fits; an item that stands in its short form may still become whole. */
	const put = (shelf: (typeof shelves)[number], item: Item, isShort: boolean, most = budget): boolean => {
		const { section, chosen, shortened } = shelf;
		if (chosen.has(item) && (isShort || !shortened.has(item))) return true;
		const text = isShort ? item.short! : item.text;
		const heading = chosen.size === 0 && section.heading ? section.heading.length + HEADING : 0;
		const price = shortened.has(item)
			? text.length - item.short!.length
			: text.length + (section.between?.length ?? 1) + heading;
		// the request and the first directive stand before others' shares, however small the budget
		const isFirstWord = chosen.size === 0 && (section.kind === "request" || section.kind === "directive");
		if (price > left || (!isFirstWord && shelf.spent + price > most)) return false;
		chosen.add(item);
		if (isShort) shortened.add(item);
		else shortened.delete(item);
		shelf.spent += price;
		left -= price;
		return true;
	};
	const takeShare = (shelf: (typeof shelves)[number]): boolean =>
		shelf.section.items.every((item) => put(shelf, item, false, (shelf.section.share ?? 0) * budget));
	for (const shelf of shelves) if (shelf.section.kind === "request") takeShare(shelf);
	for (const shelf of shelves)
		for (const item of shelf.section.items) if (item.stands) put(shelf, item, item.short !== undefined);
	for (const shelf of shelves) takeShare(shelf);
	// a large item does not bar the way for the smaller ones behind it
	for (const shelf of shelves) for (const item of shelf.section.items) put(shelf, item, false);
	for (const shelf of shelves) for (const item of shelf.section.items) if (item.short) put(shelf, item, true);
	return shelves
		.filter(({ chosen }) => chosen.size > 0)
		.map(({ section, chosen, shortened }) => partOf(section, chosen, shortened))
		.sort((a, b) => a.at - b.at);
}

/** What a line costs beside its text. */
const LINE = 5;
/** Keeps a short line with one name from beating a sentence. */
const LEVEL = 10;

/**
 * Of all sections the items that say most that is not known yet, by the character: again and again the best one, after which its
 * words are known. Ends at the budget, or where nothing is left that says `least` new words in 100 characters.
 */
export function chooseTelling(
	sections: readonly Section[],
	known: Set<string>,
	budget: number,
	least: number,
): Map<Section, Set<Item>> {
	const candidates = sections.flatMap((section) =>
		section.items.map((item) => ({
			...{ section, item, words: tellingWords(item.words ?? item.text) },
			price: item.text.length + (section.between?.length ?? LINE),
			/** What it says that is new, by the character, when it was last weighed. */
			gain: Number.POSITIVE_INFINITY,
		})),
	);
	type Candidate = (typeof candidates)[number];
	const gainOf = ({ section, item, words, price }: Candidate): number => {
		const fresh = words.reduce((sum, word) => sum + (known.has(word) ? 0 : weightOf(word)), 0);
		const gain = (fresh * (item.worth ?? 1) * (section.worth ?? 1)) / (price + (section.between ? 0 : LEVEL));
		return gain * 100 < least ? 0 : gain;
	};
	const chosen = new Map<Section, Set<Item>>();
	let left = budget;
	for (;;) {
		let best: Candidate | null = null;
		for (const one of candidates) {
			// as others are chosen it only says less than when it was weighed
			if (one.gain > (best?.gain ?? 0)) one.gain = gainOf(one);
			if (one.gain > (best?.gain ?? 0)) best = one;
		}
		if (!best) return chosen;
		const { section, item, words, price } = best;
		best.gain = 0;
		const heading = chosen.has(section) ? 0 : section.heading.length + HEADING;
		if (price + heading > left) continue;
		left -= price + heading;
		for (const word of words) known.add(word);
		chosen.set(section, (chosen.get(section) ?? new Set()).add(item));
	}
}
