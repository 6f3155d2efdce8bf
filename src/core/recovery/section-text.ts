import type { PackedSection } from "./pack.ts";

/** A section with its heading; tells how many items are in the checkpoint only. */
export function sectionText({
	title,
	items,
	left,
	separator,
	shortened,
	joined,
}: Pick<PackedSection, "title" | "items" | "left" | "separator"> & Partial<PackedSection>): string {
	const note = left > 0 && !joined ? ` (${left} more in the checkpoint)` : "";
	const texts = items.map((item) => (shortened?.has(item) ? item.short! : item.text));
	return `\n## ${title}${note}\n${joined ? joined(items) : texts.join(separator)}`;
}

/** The texts of several, those of one title as one. */
export const sectionTexts = (parts: readonly PackedSection[]): string[] => sameTitles(parts).map(sectionText);

/** Parts of one title as one, its items in order of time: the user's words, of whichever kind. */
function sameTitles(parts: readonly PackedSection[]): PackedSection[] {
	const merged: PackedSection[] = [];
	for (const part of parts) {
		const same = merged.findIndex(({ title }) => title === part.title);
		const before = merged[same];
		if (!before) {
			merged.push(part);
			continue;
		}
		merged[same] = {
			...before,
			items: [...before.items, ...part.items].sort((a, b) => a.order - b.order),
			shortened: new Set([...before.shortened, ...part.shortened]),
			left: before.left + part.left,
		};
	}
	return merged;
}
