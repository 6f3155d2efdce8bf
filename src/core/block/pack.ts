import type { Item, Section } from "./item.ts";
import { type Part, partOf } from "./print.ts";

/** What a section's heading and its note on what was left out cost at most. */
const HEADING = 36;

/** Up to this the user's words fill a block. */
const USUAL = 3_600;

/** What rules that stand for the work to come take at most: 4,000 characters, and what stands around them. */
const RULES = 4_400;

/**
 * Chooses whole items for a budget in characters: the request; what stands for the work to come, in short forms; then of every
 * section, most important first, what fits its room, and where they `fill` the budget, what fits at all. Nothing is cut inside an item.
 */
export function pack(sections: readonly Section[], budget: number, { fill = false } = {}): Part[] {
	const shelves = sections.map((section) => ({
		...{ section, spent: 0 },
		...{ chosen: new Set<Item>(), shortened: new Set<Item>() },
	}));
	type Shelf = (typeof shelves)[number];
	let left = budget;
	const calls = new Set<number>();
	/** Puts an item, where it fits; one that stands in its short form may still become whole. Gives what it took. */
	const put = (shelf: Shelf, item: Item, isShort: boolean, most: number): number => {
		const { section, chosen, shortened } = shelf;
		if (chosen.has(item) && (isShort || !shortened.has(item))) return 0;
		if (item.call !== undefined && calls.has(item.call)) return 0;
		const text = isShort ? item.short! : item.text;
		const heading = chosen.size === 0 && section.heading ? section.heading.length + HEADING : 0;
		const price = shortened.has(item)
			? text.length - item.short!.length
			: text.length + (section.between?.length ?? 1) + heading;
		// the request and the first directive stand before others' room, however small the budget
		const isFirstWord = chosen.size === 0 && (section.kind === "request" || section.kind === "directive");
		if (price > left || (!isFirstWord && price > most)) return 0;
		chosen.add(item);
		if (isShort) shortened.add(item);
		else shortened.delete(item);
		if (item.call !== undefined) calls.add(item.call);
		shelf.spent += price;
		left -= price;
		return price;
	};
	const fillRoom = (shelf: Shelf, room = shelf.section.room ?? 0): void => {
		for (const item of shelf.section.items) put(shelf, item, false, room - shelf.spent);
	};
	for (const shelf of shelves) if (shelf.section.kind === "request") fillRoom(shelf);
	let rules = Math.min(RULES, left);
	for (const shelf of shelves)
		for (const item of shelf.section.items) if (item.stands) rules -= put(shelf, item, item.short !== undefined, rules);
	for (const shelf of shelves) fillRoom(shelf);
	if (fill) for (const shelf of shelves) fillRoom(shelf, budget);
	// what the user said has the room that nothing else takes
	for (const shelf of shelves) if (shelf.section.said) fillRoom(shelf, shelf.spent + left - (budget - USUAL));
	if (fill)
		for (const shelf of shelves) for (const item of shelf.section.items) if (item.short) put(shelf, item, true, budget);
	return shelves
		.filter(({ chosen }) => chosen.size > 0)
		.map(({ section, chosen, shortened }) => partOf(section, chosen, shortened))
		.sort((a, b) => a.at - b.at);
}
