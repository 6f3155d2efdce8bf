import type { Item, Section } from "./item.ts";
import { type Part, partFrom } from "./print.ts";

/** What a section's heading and its note on what was left out cost at most. */
const HEADING = 36;
const MOST_KEPT = 0.3;

/**
 * Fills a budget in characters with whole items: section by section in the order in which they stand, of each its items in theirs, within
 * the section's room. What a later section keeps for itself no earlier one takes, up to a share of a small budget. Gives the parts in their places.
 */
export function pack(sections: readonly Section[], budget: number): Part[] {
	let left = budget;
	const headings = new Set<string>();
	const parts = sections.map((section, at) => {
		const { heading, room = Infinity, between = "\n" } = section;
		const kept = sections
			.slice(at + 1)
			.reduce((sum, later) => sum + (later.items.length > 0 ? (later.kept ?? 0) : 0), 0);
		let most = Math.min(room, left - Math.min(kept, budget * MOST_KEPT));
		const chosen = new Set<Item>();
		const items = section.fit?.(most - heading.length - HEADING) ?? section.items;
		for (const item of items) {
			const isHeaded = heading === "" || headings.has(heading);
			const price = item.text.length + between.length + (isHeaded ? 0 : heading.length + HEADING);
			if (price > most) continue;
			chosen.add(item);
			headings.add(heading);
			most -= price;
			left -= price;
		}
		return partFrom({ ...section, items }, chosen);
	});
	return parts.filter(({ items }) => items.length > 0).sort((a, b) => a.at - b.at);
}
