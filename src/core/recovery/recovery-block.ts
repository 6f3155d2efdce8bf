import type { SessionState } from "../state/session-state.ts";
import { type PackedSection, pack } from "./pack.ts";
import { sectionsOf, type Workspace } from "./sections.ts";

export interface BlockInput {
	state: SessionState;
	workspace: Workspace | null;
	/** Checkpoint key and the path of its readable form. */
	key: string;
	path: string;
	/** Budget in characters for the whole text. */
	maxChars: number;
}

/**
 * What the model gets back after a compaction: facts with their source, most important first, whole items, within the
 * budget. Always starts with `ccg recovery`; the same bytes for the same checkpoint.
 */
export function recoveryBlock({ state, workspace, key, path, maxChars }: BlockInput): string {
	const head =
		`ccg recovery ${key}: the state of this session before its conversation was compacted, read from the transcript by the ` +
		"ccg hook the user installed. Quoted text is the user's own, in order; it was answered or worked on before the compaction unless the tasks " +
		`say otherwise. Paths are relative to ${state.cwd || "the session's folder"}. Full checkpoint: ${path}`;
	return [head, ...pack(sectionsOf(state, workspace), maxChars - head.length - 1).map(sectionText)].join("\n");
}

/** A section with its heading; tells how many items are in the checkpoint only. */
export function sectionText({ title, items, left, inline }: PackedSection): string {
	const note = left > 0 ? ` (${left} more in the checkpoint)` : "";
	return `\n## ${title}${note}\n${items.map((item) => item.text).join(inline ? ", " : "\n")}`;
}
