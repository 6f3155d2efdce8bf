import type { Item, Section } from "./item.ts";

/** A section as it will be printed: whole items in reading order, and how many had to stay out. */
export interface Part extends Section {
	left: number;
	/** Of these, the items that stand in their short form. */
	shortened?: ReadonlySet<Item>;
}

/** A part's heading and what stands below it. */
export interface Printed {
	kind: string;
	heading: string;
	text: string;
}

/** Chosen items of a section in reading order. */
export const partOf = (section: Section, chosen: Iterable<Item>, shortened: ReadonlySet<Item> = new Set()): Part => {
	const items = [...chosen].sort((a, b) => a.order - b.order);
	return { ...section, items, left: section.items.length - items.length, shortened };
};

/** All sections of a view that say something, in their places: each with as many items as it shows, the best. */
export const wholeParts = (sections: readonly Section[]): Part[] =>
	sections
		.filter(({ items, none }) => items.length > 0 || none)
		.map((section) => partOf(section, bestOf(section)))
		.sort((a, b) => a.at - b.at);

const bestOf = ({ items, most = Infinity }: Section): Item[] =>
	items.length <= most ? items : items.toSorted((a, b) => (b.worth ?? 1) - (a.worth ?? 1)).slice(0, most);

/** For the model: how many more a checkpoint holds stands in the heading. */
export const printBlock = (head: string, parts: readonly Part[]): string =>
	[
		head,
		...printed(parts, "heading").map(
			(one) => `\n${[one.heading && `## ${one.heading}`, one.text].filter(Boolean).join("\n")}`,
		),
	].join("\n");

/** For people, as Markdown. No text of others can begin a part: it stands on one line, or behind a mark. */
export const printMarkdown = (head: string, parts: readonly Printed[]): string =>
	`${[head, ...parts.map(({ heading, text }) => `${heading && `## ${heading}\n\n`}${text}`)].filter(Boolean).join("\n\n")}\n`;

/** Parts with their texts, those of one heading as one; `more` says where it is told that some are left out. */
export function printed(parts: readonly Part[], more: "heading" | "line" = "line"): Printed[] {
	return oneByHeading(parts).map(({ kind, heading, items, left, between = "\n", shortened, picked, none = "" }) => {
		const texts = items.map((item) => (shortened?.has(item) ? item.short! : item.text));
		const isMore = left > 0 && !(picked && more === "heading");
		if (isMore && more === "line") texts.push(`- and ${left} more`);
		return {
			kind,
			heading: heading + (isMore && more === "heading" ? ` (${left} more in the checkpoint)` : ""),
			text: items.length === 0 ? none : texts.join(between),
		};
	});
}

/** Parts of one heading as one: the user's words, of whichever kind, in order of time. */
function oneByHeading(parts: readonly Part[]): Part[] {
	const merged: Part[] = [];
	for (const part of parts) {
		const at = merged.findIndex(({ heading }) => heading && heading === part.heading);
		const before = merged[at];
		if (!before) {
			merged.push(part);
			continue;
		}
		const items = [...before.items, ...part.items];
		merged[at] = {
			...before,
			items: part.said ? items.sort((a, b) => a.order - b.order) : items,
			shortened: new Set([...(before.shortened ?? []), ...(part.shortened ?? [])]),
			left: before.left + part.left,
		};
	}
	return merged;
}
