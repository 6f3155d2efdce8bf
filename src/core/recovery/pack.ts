import type { Item, Kind, Section } from "./item.ts";

/** A section as it will be printed: whole items in reading order (as the sections are), and how many had to stay out. */
export interface PackedSection {
	kind: Kind;
	title: string;
	items: Item[];
	left: number;
	/** What stands between items. */
	separator: string;
}

/** What a section's heading and its note on what was left out cost at most. */
const HEADING = 36;

/**
 * Chooses whole items for a budget in characters. First every section, most important first, takes its share; what is then
 * left goes to the sections in the same order. Nothing is cut inside an item.
 */
export function pack(sections: readonly Section[], budget: number): PackedSection[] {
	const shelves = sections.map((section) => ({ section, chosen: new Set<Item>(), spent: 0 }));
	let left = budget;
	for (const round of ["share", "rest"]) {
		for (const shelf of shelves) {
			const { section, chosen } = shelf;
			for (const item of section.items) {
				if (left < 12) break;
				if (chosen.has(item)) continue;
				const price =
					item.text.length + (section.inline?.length ?? 1) + (chosen.size === 0 ? section.title.length + HEADING : 0);
				// the request and the latest directive stand before others' shares, however small the budget
				const isFirstWord = chosen.size === 0 && (section.kind === "request" || section.kind === "directive");
				if (round === "share" && !isFirstWord && shelf.spent + price > section.share * budget) break;
				// a large item does not bar the way for the smaller ones behind it
				if (price > left) continue;
				chosen.add(item);
				shelf.spent += price;
				left -= price;
			}
		}
	}
	return shelves
		.filter(({ chosen }) => chosen.size > 0)
		.sort((a, b) => a.section.place - b.section.place)
		.map(({ section, chosen }) => ({
			kind: section.kind,
			title: section.title,
			items: [...chosen].sort((a, b) => a.order - b.order),
			left: section.items.length - chosen.size,
			separator: section.inline ?? "\n",
		}));
}
