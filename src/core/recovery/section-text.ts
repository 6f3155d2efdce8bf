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
