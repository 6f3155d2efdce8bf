import type { Stats } from "node:fs";
import { basename, join } from "node:path";
import { namesIn } from "../../files/quietly.ts";
import { openInside, statInside } from "../../files/read-inside.ts";
import { notesIn, noteText } from "../../memory/notes.ts";
import { SHARED, sharedBy } from "../../memory/shared.ts";
import type { Passage, PassageKind } from "../../search/passage.ts";
import { textPassages } from "../../search/passages.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { projectOf } from "../../store/project.ts";
import { type MemoryPlace, memoryPlaces, notePlaces } from "./memory-inventory.ts";

/** A larger file is no notes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Brings the notes and files of a project up to date in the index: ccg's notes and daily logs, and, only read, Claude Code's own
 * memory, CLAUDE.md and `.serena/memories`. A file that did not change since costs one look. What is gone leaves the index.
 */
export function indexFiles(
	index: SearchIndex,
	{ root, claudeRoot, folder }: { root: string; claudeRoot: string | null; folder: string },
): void {
	bringUpToDate(index, memoryPlaces(root, claudeRoot, folder), projectOf(folder).key);
}

/** The same for ccg's notes and daily logs alone: the global ones, and those of one project or, without its key, of all. */
export function indexNotes(index: SearchIndex, root: string, key?: string): void {
	const keys = key === undefined ? namesIn(join(root, "projects")).filter((name) => !name.startsWith(".")) : [key];
	bringUpToDate(index, notePlaces(root, ""), "");
	for (const one of keys) bringUpToDate(index, notePlaces(root, join("projects", one)), one);
}

function bringUpToDate(index: SearchIndex, places: readonly MemoryPlace[], project: string): void {
	for (const place of places) {
		const { folder, path, isGlobal } = place;
		const source = { path: join(folder, path), project: isGlobal ? "" : project, session: "" };
		const known = index.reachedOf(source.path);
		const now = statInside(folder, path);
		if (now?.nlink === 1 && known?.state === stateOf(now)) continue;
		const found = openInside(folder, path, { maxBytes: MAX_BYTES, single: true });
		if (!found) {
			if (known) index.drop("path", source.path);
			continue;
		}
		const facts = { kind: kindOf(place), at: Math.floor(found.stat.mtimeMs / 1000) };
		const text = found.bytes.toString("utf8");
		const isForeign = basename(path) === SHARED;
		const passages = isForeign ? sharedPassages(text, facts) : textPassages(text, facts);
		index.add(source, passages, { reached: { reached: found.stat.size, state: stateOf(found.stat) }, others: "go" });
	}
}

/** Of what others wrote each note by itself, with who wrote it and when. */
function sharedPassages(text: string, { kind, at }: Pick<Passage, "kind" | "at">): Passage[] {
	let from = 0;
	return notesIn(text).flatMap((note) => {
		const said = sharedBy(note);
		const pos = Math.max(from, text.indexOf(noteText(note), from));
		const when = Date.parse(said?.at ?? "") / 1000 || at;
		const made = textPassages(noteText(note), { kind, at: when });
		from = pos + (made.at(-1)?.pos ?? 0) + 1;
		return made.map((one) => ({ ...one, pos: pos + one.pos, path: said?.by ?? "" }));
	});
}

const stateOf = ({ ino, mtimeMs, size }: Stats): string => `${ino}:${mtimeMs}:${size}`;

const kindOf = ({ category, key }: MemoryPlace): PassageKind =>
	category !== "ccg" ? "file" : key.includes("log/") ? "log" : "note";
