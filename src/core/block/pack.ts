import type { Item, Section } from "./item.ts";
import { type Part, partOf } from "./print.ts";

/** What a section's heading and its note on what was left out cost at most. */
const HEADING = 36;

/** Up to this questions and nods of the user's fill a block. */
const USUAL = 3_600;

/** What rules that stand for the work to come take before all else: 4,000 characters, and what stands around them. */
const RULES = 4_400;

/**
 * Chooses whole items for a budget in characters: the request; what stands for the work to come, in short forms; then of every
 * section, most important first, what fits its room, and where they `fill` the budget, what fits at all. What is left goes to the
 * user's words. Nothing is cut inside an item. A section of which nothing fits tells how much there is.
 */
export function pack(sections: readonly Section[], budget: number, { fill = false } = {}): Part[] {
	const shelves = sections.map((section) => ({
		...{ section, spent: 0 },
		...{ chosen: new Set<Item>(), shortened: new Set<Item>() },
	}));
	type Shelf = (typeof shelves)[number];
	let left = budget;
	/** Texts, and calls by their order. */
	const told = new Set<string | number>();
	const isTold = ({ call }: Item, text: string): boolean => told.has(text) || (call !== undefined && told.has(call));
	const headings = new Set<string>();
	const headingOf = ({ heading }: Section): number =>
		heading && !headings.has(heading) ? heading.length + HEADING : 0;
	/** Puts an item, where it fits; one that stands in its short form may still become whole. Gives what it took. */
	const put = (shelf: Shelf, item: Item, isShort: boolean, most: number): number => {
		const { section, chosen, shortened } = shelf;
		if (chosen.has(item) && (isShort || !shortened.has(item))) return 0;
		const text = isShort ? item.short! : item.text;
		if (isTold(item, text)) return 0;
		const price = shortened.has(item)
			? text.length - item.short!.length
			: text.length + (section.between?.length ?? 1) + headingOf(section);
		// the request and the first directive stand before others' room, however small the budget
		const isFirstWord = chosen.size === 0 && (section.kind === "request" || section.kind === "directive");
		if (price > left || (!isFirstWord && price > most)) return 0;
		chosen.add(item);
		headings.add(section.heading);
		if (isShort) shortened.add(item);
		else shortened.delete(item);
		told.add(text);
		if (item.call !== undefined) told.add(item.call);
		shelf.spent += price;
		left -= price;
		return price;
	};
	const fillRoom = (shelf: Shelf, room = shelf.section.room ?? 0): void => {
		for (const item of shelf.section.items) put(shelf, item, false, room - shelf.spent);
	};
	const putShort = (of: "stands" | "states", most: number): void => {
		for (const shelf of shelves)
			for (const item of shelf.section.items) if (item[of]) most -= put(shelf, item, item.short !== undefined, most);
	};
	for (const shelf of shelves) if (shelf.section.kind === "request") fillRoom(shelf);
	putShort("stands", RULES);
	for (const shelf of shelves) fillRoom(shelf);
	if (fill) for (const shelf of shelves) fillRoom(shelf, budget);
	/** Without what is told in another section. */
	const own = ({ section: { items }, chosen }: Shelf): Item[] =>
		items.filter((one) => chosen.has(one) || !isTold(one, one.short ?? one.text));
	for (const shelf of shelves) {
		const { heading, picked } = shelf.section;
		const price = headingOf(shelf.section);
		if (shelf.chosen.size > 0 || own(shelf).length === 0 || picked || !heading || price > left) continue;
		headings.add(heading);
		left -= price;
	}
	for (const shelf of shelves) if (shelf.section.said) fillRoom(shelf, shelf.spent + left - (budget - USUAL));
	putShort("states", budget);
	return shelves
		.map((shelf) => ({ ...shelf, section: { ...shelf.section, items: own(shelf) } }))
		.filter(({ section: { heading, items, picked }, chosen }) =>
			picked ? chosen.size > 0 : items.length > 0 && headings.has(heading),
		)
		.map(({ section, chosen, shortened }) => partOf(section, chosen, shortened))
		.sort((a, b) => a.at - b.at);
}
