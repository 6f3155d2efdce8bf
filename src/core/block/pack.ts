import type { Item, Section } from "./item.ts";
import { type Part, partFrom } from "./print.ts";

/** The most characters that a heading and its note on left-out items cost beside the heading's text; the most share kept for later ones. */
const HEADING = 36;
const MOST_KEPT = 0.3;

/**
 * Chooses the items that fit into a budget of characters: section by section, item by item, whole items only, within each section's room.
 * Characters that later sections keep for themselves are not taken, up to a share of a small budget. Gives the parts in order of printing.
 */
export function pack(sections: readonly Section[], budget: number): Part[] {
	let charsLeft = budget;
	const headings = new Set<string>();
	const parts = sections.map((section, at) => {
		const { heading, room = Infinity, between = "\n" } = section;
		const keptForLater = sections
			.slice(at + 1)
			.reduce((sum, later) => sum + (later.items.length > 0 ? (later.kept ?? 0) : 0), 0);
		let most = Math.min(room, charsLeft - Math.min(keptForLater, budget * MOST_KEPT));
		const chosen = new Set<Item>();
		const items = section.fit?.(most - heading.length - HEADING) ?? section.items;
		for (const item of items) {
			const isHeaded = heading === "" || headings.has(heading);
			const price = item.text.length + between.length + (isHeaded ? 0 : heading.length + HEADING);
			if (price > most) continue;
			chosen.add(item);
			headings.add(heading);
			most -= price;
			charsLeft -= price;
		}
		return partFrom({ ...section, items }, chosen);
	});
	return parts.filter(({ items }) => items.length > 0).sort((a, b) => a.at - b.at);
}
