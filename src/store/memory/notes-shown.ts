import { basename, dirname } from "node:path";
import type { Store } from "../session-handle.ts";
import type { MemoryFile } from "./memory.ts";
import { keepUse, noteId } from "./note-facts.ts";
import { notesIn } from "./notes.ts";

/** More than anybody reads at once: these notes were not looked at one by one. */
const MOST_SHOWN = 500;
const MOST_CHARACTERS = 1024 * 1024;

/** A MEMORY.md whose notes ccg keeps facts of: not a log, not Claude Code's own. */
export const isOwnMemory = ({ scope, path }: Pick<MemoryFile, "scope" | "path">): boolean =>
	scope !== "claude" && basename(path) === "MEMORY.md";

/** Keeps that a MEMORY.md of ccg's was shown: its `text` from the character `from` on. Never throws. */
export function keepShown(
	store: Store,
	file: Pick<MemoryFile, "scope" | "path">,
	{ text, from = 0 }: { text: string; from?: number },
	now: Date,
): void {
	if (!isOwnMemory(file) || text.length > MOST_CHARACTERS) return;
	// the line that is cut is not shown whole
	const line = from === 0 ? 0 : text.slice(0, from - 1).split("\n").length;
	const notes = notesIn(text).filter(({ at }) => at >= line);
	if (notes.length > MOST_SHOWN) return;
	keepUse(store, new Map([[dirname(file.path), notes.map(({ lines }) => noteId(lines.join("\n")))]]), "shown", now);
}
