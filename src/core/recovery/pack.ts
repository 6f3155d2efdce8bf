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

/** A section with what is chosen of it so far. */
interface Shelf {
	section: Section;
	chosen: Set<Item>;
	shortened: Set<Item>;
	spent: number;
}

/**
 * Chooses whole items for a budget in characters. First the request; then what stands for the work to come, in short forms; then
 * every section, most important first, takes its share, messages that lay nothing down behind what stands and had no room; what is left
 * goes to the sections in the same order, and last to the short forms of what did not fit. Nothing is cut inside an item.
 */
export function pack(sections: readonly Section[], budget: number): PackedSection[] {
	const shelves: Shelf[] = sections.map((section) => ({
		section,
		chosen: new Set(),
		shortened: new Set(),
		spent: 0,
	}));
	let left = budget;
	/** Whether it fits; an item that stands in its short form may still become whole. */
	const put = (shelf: Shelf, item: Item, isShort: boolean, most: number): boolean => {
		const { section, chosen, shortened } = shelf;
		if (chosen.has(item) && (isShort || !shortened.has(item))) return true;
		const text = isShort ? item.short! : item.text;
		const price = shortened.has(item)
			? text.length - item.short!.length
			: text.length + (section.inline?.length ?? 1) + (chosen.size === 0 ? section.title.length + HEADING : 0);
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
	const share = (shelf: Shelf): void => {
		for (const item of shelf.section.items) if (!put(shelf, item, false, shelf.section.share * budget)) break;
	};
	const standing = (shelf: Shelf, most: number): void => {
		for (const item of shelf.section.items) if (item.stands) put(shelf, item, item.short !== undefined, most);
	};
	for (const shelf of shelves) if (shelf.section.kind === "request") share(shelf);
	for (const shelf of shelves) standing(shelf, shelf.section.share * budget);
	for (const shelf of shelves) if (shelf.section.kind !== "message") share(shelf);
	for (const shelf of shelves) standing(shelf, budget);
	for (const shelf of shelves) if (shelf.section.kind === "message") share(shelf);
	// a large item does not bar the way for the smaller ones behind it
	for (const shelf of shelves) for (const item of shelf.section.items) put(shelf, item, false, budget);
	for (const shelf of shelves) for (const item of shelf.section.items) if (item.short) put(shelf, item, true, budget);
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
