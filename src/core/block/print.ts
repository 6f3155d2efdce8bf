import type { Item, Section } from "./item.ts";

/** A section as it will be printed: whole items in reading order, and how many had to stay out. */
export interface Part extends Section {
	left: number;
}

/** A part's heading and what stands below it. */
interface Printed {
	kind: string;
	heading: string;
	text: string;
}

/** Chosen items of a section in reading order. */
export const partFrom = (section: Section, chosen: Iterable<Item>): Part => {
	const items = [...chosen].sort((a, b) => a.order - b.order);
	return { ...section, items, left: section.items.length - items.length };
};

/** All sections of a view that say something, in their places: each with as many items as it shows, the best. */
export const wholeParts = (sections: readonly Section[]): Part[] =>
	sections
		.filter(({ items, none }) => items.length > 0 || none)
		.map((section) => partFrom(section, section.items.slice(0, section.most)))
		.sort((a, b) => a.at - b.at);

/** For the model: how many more a checkpoint holds stands in the heading. */
export const printBlock = (head: string, parts: readonly Part[]): string =>
	[
		head,
		...printParts(parts, "heading").map(
			(one) => `\n${[one.heading && `## ${one.heading}`, one.text].filter(Boolean).join("\n")}`,
		),
	].join("\n");

/** For people, as Markdown. No text of others can begin a part: it stands on one line, or behind a mark. */
export const printMarkdown = (head: string, parts: readonly Printed[]): string =>
	`${[head, ...parts.map(({ heading, text }) => `${heading && `## ${heading}\n\n`}${text}`)].filter(Boolean).join("\n\n")}\n`;

/** Parts with their texts, those of one heading as one; `more` says where it is told that some are left out. */
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

/** Parts of one heading as one. */
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
