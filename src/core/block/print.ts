import type { Item, Section } from "./item.ts";

/** A section as it will be printed: whole items in reading order, and how many items are left out (`left`). */
export interface Part extends Section {
	left: number;
}

/** A part's heading and what stands below it. */
interface Printed {
	kind: string;
	heading: string;
	text: string;
}

/** A section with the chosen ones of its items, in reading order, and how many were not chosen. */
export const partFrom = (section: Section, chosen: Iterable<Item>): Part => {
	const items = [...chosen].sort((a, b) => a.order - b.order);
	return { ...section, items, left: section.items.length - items.length };
};

/** The sections of a view that are not empty, in the order of printing: each with its best items, as many as it shows. */
export const wholeParts = (sections: readonly Section[]): Part[] =>
	sections
		.filter(({ items, none }) => items.length > 0 || none)
		.map((section) => partFrom(section, section.items.slice(0, section.most)))
		.sort((a, b) => a.at - b.at);

/** A text for the model from its head and parts; a part's heading says how many more items the checkpoint holds. */
export const printBlock = (head: string, parts: readonly Part[]): string =>
	[
		head,
		...printParts(parts, "heading").map(
			(one) => `\n${[one.heading && `## ${one.heading}`, one.text].filter(Boolean).join("\n")}`,
		),
	].join("\n");

/** Markdown for people from a head and parts. No text of others can look like a heading: it stands on one line, or behind a mark. */
export const printMarkdown = (head: string, parts: readonly Printed[]): string =>
	`${[head, ...parts.map(({ heading, text }) => `${heading && `## ${heading}\n\n`}${text}`)].filter(Boolean).join("\n\n")}\n`;

/** Joins parts of one heading and each part's items to one text; `more`: whether the heading or a last line says how many are left out. */
export function printParts(parts: readonly Part[], more: "heading" | "line" = "line"): Printed[] {
	return oneByHeading(parts).map(({ kind, heading, items, left, between = "\n", none = "" }) => {
		const texts = items.map(({ text }) => text);
		if (left > 0 && more === "line") texts.push(`- and ${left} more`);
		return {
			kind,
			heading: heading + (left > 0 && more === "heading" ? ` (${left} more in the checkpoint)` : ""),
			text: items.length === 0 ? none : texts.join(between),
		};
	});
}

/** The parts, with those of one heading joined at the place of the first. */
function oneByHeading(parts: readonly Part[]): Part[] {
	const merged: Part[] = [];
	for (const part of parts) {
		const at = merged.findIndex(({ heading }) => heading && heading === part.heading);
		const before = merged[at];
		if (!before) merged.push(part);
		else merged[at] = { ...before, items: [...before.items, ...part.items], left: before.left + part.left };
	}
	return merged;
}
