import type { Item, Section } from "./item.ts";
import { makePart, type Part } from "./print.ts";

/** The most characters that a heading and its note on left-out items cost beside the heading's text; the most share kept for later ones. */
const MAX_HEADING_EXTRA = 36;
const MAX_RESERVED_SHARE = 0.3;

/**
 * Chooses the items that fit into a budget of characters: section by section, item by item, whole items only, within each section's limit.
 * Characters reserved by later sections are not taken, up to a share of a small budget. Gives the parts in order of printing.
 */
export function packSections(sections: readonly Section[], budget: number): Part[] {
	let charsLeft = budget;
	const countedHeadings = new Set<string>();
	const parts = sections.map((section, index) => {
		const { heading, maxChars = Infinity, separator = "\n" } = section;
		const later = sections.slice(index + 1).filter(({ items }) => items.length > 0);
		const reserved = later.reduce((sum, { reservedChars = 0 }) => sum + reservedChars, 0);
		let sectionCharsLeft = Math.min(maxChars, charsLeft - Math.min(reserved, budget * MAX_RESERVED_SHARE));
		const chosen = new Set<Item>();
		const items = section.remakeItems?.(sectionCharsLeft - heading.length - MAX_HEADING_EXTRA) ?? section.items;
		for (const item of items) {
			const isHeadingCounted = heading === "" || countedHeadings.has(heading);
			const headingCost = isHeadingCounted ? 0 : heading.length + MAX_HEADING_EXTRA;
			const cost = item.text.length + separator.length + headingCost;
			if (cost > sectionCharsLeft) continue;
			chosen.add(item);
			countedHeadings.add(heading);
			sectionCharsLeft -= cost;
			charsLeft -= cost;
		}
		return makePart({ ...section, items }, chosen);
	});
	return parts.filter(({ items }) => items.length > 0).sort((a, b) => a.position - b.position);
}
