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
	const heap = new Heap(candidates.map((candidate, place) => ({ candidate, gain: gainOf(candidate), place })));
	for (let top = heap.pop(); top; top = heap.pop()) {
		// as others were chosen it may say less than when it was weighed
		const gain = gainOf(top.candidate);
		if (gain * 100 < least) continue;
		const next = heap.peek();
		if (gain < top.gain && next && before(next, { ...top, gain })) {
			heap.push({ ...top, gain });
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

/** A binary heap, the largest gain on top; of equal ones the first. */
class Heap {
	private readonly list: Weighed[] = [];

	constructor(list: readonly Weighed[]) {
		for (const one of list) this.push(one);
	}

	peek(): Weighed | undefined {
		return this.list[0];
	}

	push(one: Weighed): void {
		const { list } = this;
		list.push(one);
		for (let at = list.length - 1; at > 0; ) {
			const up = (at - 1) >> 1;
			if (!before(list[at]!, list[up]!)) break;
			[list[at], list[up]] = [list[up]!, list[at]!];
			at = up;
		}
	}

	pop(): Weighed | undefined {
		const { list } = this;
		const top = list[0];
		const last = list.pop();
		if (!top || !last || list.length === 0) return top;
		list[0] = last;
		for (let at = 0; ; ) {
			let best = at;
			for (const child of [2 * at + 1, 2 * at + 2])
				if (child < list.length && before(list[child]!, list[best]!)) best = child;
			if (best === at) return top;
			[list[at], list[best]] = [list[best]!, list[at]!];
			at = best;
		}
	}
}

const before = (a: Weighed, b: Weighed): boolean => a.gain > b.gain || (a.gain === b.gain && a.place < b.place);
