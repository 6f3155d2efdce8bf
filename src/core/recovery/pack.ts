import type { Item, Kind, Section } from "./item.ts";

/** A section as it will be printed: whole items in reading order (as the sections are), and how many had to stay out. */
export interface PackedSection {
	kind: Kind;
	place: number;
	title: string;
	items: Item[];
	left: number;
	/** Of these, the items that stand in their short form. */
	shortened: ReadonlySet<Item>;
	/** What stands between items. */
	separator: string;
	joined?: Section["joined"];
}

/** What a section's heading and its note on what was left out cost at most. */
const HEADING = 36;

/**
 * Chooses whole items for a budget in characters. First every section, most important first, takes its share; what is then
 * left goes to the sections in the same order, and last to the short forms of what did not fit. Nothing is cut inside an item.
 */
export function pack(sections: readonly Section[], budget: number): PackedSection[] {
	const shelves = sections.map((section) => ({
		section,
		chosen: new Set<Item>(),
		shortened: new Set<Item>(),
		spent: 0,
	}));
	let left = budget;
	for (const round of ["share", "rest", "short"]) {
		for (const shelf of shelves) {
			const { section, chosen, shortened } = shelf;
			for (const item of section.items) {
				if (left < 12) break;
				if (chosen.has(item) || (round === "short" && !item.short)) continue;
				const text = round === "short" ? item.short! : item.text;
				const price =
					text.length + (section.inline?.length ?? 1) + (chosen.size === 0 ? section.title.length + HEADING : 0);
				// the request and the first directive stand before others' shares, however small the budget
				const isFirstWord = chosen.size === 0 && (section.kind === "request" || section.kind === "directive");
				if (round === "share" && !isFirstWord && shelf.spent + price > section.share * budget) break;
				// a large item does not bar the way for the smaller ones behind it
				if (price > left) continue;
				chosen.add(item);
				if (round === "short") shortened.add(item);
				shelf.spent += price;
				left -= price;
			}
		}
	}
	return shelves
		.filter(({ chosen }) => chosen.size > 0)
		.map(({ section, chosen, shortened }) => packed(section, chosen, shortened))
		.sort((a, b) => a.place - b.place);
}

/** Chosen items of a section in reading order. */
export function packed(
	section: Section,
	chosen: ReadonlySet<Item>,
	shortened: ReadonlySet<Item> = new Set(),
): PackedSection {
	return {
		kind: section.kind,
		place: section.place,
		title: section.title,
		items: [...chosen].sort((a, b) => a.order - b.order),
		shortened,
		left: section.items.length - chosen.size,
		separator: section.inline ?? "\n",
		...(section.joined && { joined: section.joined }),
	};
}
