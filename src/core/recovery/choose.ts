import { tellingWords, weightOf } from "../text/telling-words.ts";
import type { Item, Section } from "./item.ts";

interface Candidate {
	section: Section;
	item: Item;
	words: string[];
	/** Characters it takes. */
	price: number;
}

export interface Choice {
	chosen: Map<Section, Set<Item>>;
	chars: number;
}

/**
 * Of all sections the items that say most that is not known yet, by the character: again and again the best one, after which its
 * words are known. Ends at the budget, or where nothing is left that says `least` new words in 100 characters.
 */
export function chooseTelling(sections: readonly Section[], known: Set<string>, budget: number, least: number): Choice {
	const candidates: Candidate[] = sections.flatMap((section) =>
		section.items.map((item) => ({
			section,
			item,
			words: tellingWords(item.words ?? item.text),
			price: item.text.length + (section.inline?.length ?? LINE),
		})),
	);
	const gainOf = ({ section, item, words, price }: Candidate): number => {
		let fresh = 0;
		for (const word of words) if (!known.has(word)) fresh += weightOf(word);
		return (fresh * (item.worth ?? 1) * (section.worth ?? 1)) / (price + (section.inline ? 0 : LEVEL));
	};
	const chosen = new Map<Section, Set<Item>>();
	let left = budget;
	const ranked = candidates
		.map((candidate, place) => ({ candidate, gain: gainOf(candidate), place }))
		.sort((a, b) => a.gain - b.gain || b.place - a.place);
	for (let top = ranked.pop(); top; top = ranked.pop()) {
		// as others were chosen it may say less than when it was weighed
		const gain = gainOf(top.candidate);
		if (gain * 100 < least) continue;
		const again = { ...top, gain };
		if (gain < top.gain && ranked.length && before(ranked.at(-1)!, again)) {
			ranked.splice(placeOf(ranked, again), 0, again);
			continue;
		}
		const { section, item, words, price } = top.candidate;
		const heading = chosen.has(section) ? 0 : section.title.length + HEADING;
		if (price + heading > left) continue;
		left -= price + heading;
		for (const word of words) known.add(word);
		const items = chosen.get(section);
		if (items) items.add(item);
		else chosen.set(section, new Set([item]));
	}
	return { chosen, chars: budget - left };
}

/** What a line costs beside its text, and a heading with its note. */
const LINE = 5;
const HEADING = 36;
/** Keeps a short line with one name from beating a sentence. */
const LEVEL = 10;

interface Weighed {
	candidate: Candidate;
	gain: number;
	/** Its place among all. */
	place: number;
}

/** Where it stands among the ranked, the best last. */
function placeOf(ranked: readonly Weighed[], one: Weighed): number {
	let [low, high] = [0, ranked.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (before(one, ranked[middle]!)) low = middle + 1;
		else high = middle;
	}
	return low;
}

const before = (a: Weighed, b: Weighed): boolean => a.gain > b.gain || (a.gain === b.gain && a.place < b.place);
