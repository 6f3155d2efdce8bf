import { dirname, join } from "node:path";
import type { ShownPassage } from "../../core/search/answer.ts";
import { readText } from "../json-file.ts";
import type { Store } from "../session-handle.ts";
import { keepUse, noteId } from "./note-facts.ts";
import { notesIn } from "./notes.ts";

/** So much of a note's beginning must stand in what is shown: an excerpt may end within it. */
const BEGINNING = 60;
const MAX_BYTES = 1024 * 1024;

/** Keeps which notes stand in what recall or search showed: those whose beginning can be read there. Never throws. */
export function keepFound(store: Store, shown: readonly ShownPassage[], now: Date): void {
	const texts = new Map<string, string[]>();
	for (const { passage, excerpt } of shown)
		if (passage.kind === "note" && passage.source.startsWith(join(store.root, "/")))
			texts.set(passage.source, [...(texts.get(passage.source) ?? []), excerpt]);
	const used = new Map<string, number[]>();
	for (const [path, excerpts] of texts) {
		// the file itself: a passage may end within a note
		const notes = notesIn(readText(path, MAX_BYTES) ?? "");
		const found = notes.filter(({ lines }) => {
			const beginning = lines[0]!.slice(0, BEGINNING).trimEnd();
			return excerpts.some((excerpt) => excerpt.includes(beginning));
		});
		used.set(
			dirname(path),
			found.map(({ lines }) => noteId(lines.join("\n"))),
		);
	}
	keepUse(store, used, "found", now);
}
