import type * as z from "zod/mini";
import type * as stored from "./stored-shapes.ts";

export type Workspace = z.infer<typeof stored.workspace>;
export type Kind = z.infer<typeof stored.kind>;

export interface Item {
	text: string;
	/** Order for reading within its section. */
	order: number;
	/** The bare words by which a summary is searched for it; `text` without its dress when absent. */
	words?: string;
	/** Says more than its words: not left out because they stand elsewhere. */
	keep?: true;
	/** Stands for `text` where that does not fit. */
	short?: string;
	/** Its sentences that stand for the work to come: it has room before all else, in its short form if need be. */
	stands?: readonly string[];
	/** What it is worth beside others of its section; 1 when absent. */
	worth?: number;
	/** What the saved checkpoint says of it where that is more than `text`. */
	long?: string;
}

/**
 * A part of the recovery block. Items stand best first; `share` is the part of the budget it may take before all others
 * are served, in the order of the list; `place` is where it stands in the text.
 */
export interface Section {
	kind: Kind;
	place: number;
	title: string;
	items: Item[];
	share: number;
	/** What its items are worth beside those of other sections, where they compete; 1 when absent. */
	worth?: number;
	/** Makes the text of several items; a line each when absent. */
	joined?: (items: readonly Item[]) => string;
	/** Items stand side by side, with this between them, instead of on lines of their own. */
	inline?: ", ";
}
