import type { Item, Section } from "./item.ts";

/** A section as it will be printed: whole items in reading order, and how many items are left out. */
export interface Part extends Section {
	leftOut: number;
}

/** A part's heading and what stands below it. */
interface PrintedSection {
	kind: string;
	heading: string;
	text: string;
}

/** Makes a section's part of a view: the chosen ones of its items, in reading order, and how many were not chosen. */
export const makePart = (section: Section, chosen: Iterable<Item>): Part => {
	const items = [...chosen].sort((a, b) => a.order - b.order);
	return { ...section, items, leftOut: section.items.length - items.length };
};

/** The parts of a view that may be of any length, in the order of printing: each section that is not empty, with at most `maxItems` items. */
export const partsWithoutBudget = (sections: readonly Section[]): Part[] =>
	sections
		.filter(({ items, emptyText }) => items.length > 0 || emptyText)
		.map((section) => makePart(section, section.items.slice(0, section.maxItems)))
		.sort((a, b) => a.position - b.position);

/** A text for the model: its head, then the parts; a part's heading says how many more items the checkpoint holds. */
export function printBlock(head: string, parts: readonly Part[]): string {
	const sections = printParts(parts, "heading").map(({ heading, text }) => [heading && `## ${heading}`, text]);
	return [head, ...sections.map((texts) => `\n${texts.filter(Boolean).join("\n")}`)].join("\n");
}

/** Markdown for people: a head, then sections. No text of others can look like a heading: it stands on one line, or behind a mark. */
export function printMarkdown(head: string, sections: readonly PrintedSection[]): string {
	const texts = sections.map(({ heading, text }) => `${heading && `## ${heading}\n\n`}${text}`);
	return `${[head, ...texts].filter(Boolean).join("\n\n")}\n`;
}

/** Prints each part's items as one text, and parts of one heading as one section. `countIn`: where it says how many items are left out. */
export function printParts(parts: readonly Part[], countIn: "heading" | "last line" = "last line"): PrintedSection[] {
	return mergeByHeading(parts).map(({ kind, heading, items, leftOut, separator = "\n", emptyText = "" }) => {
		const texts = items.map(({ text }) => text);
		if (leftOut > 0 && countIn === "last line") texts.push(`- and ${leftOut} more`);
		return {
			kind,
			heading: leftOut > 0 && countIn === "heading" ? `${heading} (${leftOut} more in the checkpoint)` : heading,
			text: items.length === 0 ? emptyText : texts.join(separator),
		};
	});
}

/** Joins the parts of one heading to one part, at the place of the first. */
function mergeByHeading(parts: readonly Part[]): Part[] {
	const merged: Part[] = [];
	for (const part of parts) {
		const index = merged.findIndex(({ heading }) => heading && heading === part.heading);
		const first = merged[index];
		if (!first) merged.push(part);
		else merged[index] = { ...first, items: [...first.items, ...part.items], leftOut: first.leftOut + part.leftOut };
	}
	return merged;
}
