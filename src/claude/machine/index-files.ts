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

/** Brings a project's notes up to date in the index: ccg's notes and daily logs, Claude Code's memory, CLAUDE.md, `.serena/memories`. */
export function indexFiles(
	index: SearchIndex,
	{ root, claudeRoot, folder }: { root: string; claudeRoot: string | null; folder: string },
): void {
	bringUpToDate(index, memoryPlaces(root, claudeRoot, folder), projectOf(folder).key);
}

/** Does so for ccg's notes and daily logs alone: the global ones, and those of the project `key`, or without it of all projects. */
export function indexNotes(index: SearchIndex, root: string, key?: string): void {
	const keys = key === undefined ? namesIn(join(root, "projects")).filter((name) => !name.startsWith(".")) : [key];
	bringUpToDate(index, notePlaces(root, ""), "");
	for (const one of keys) bringUpToDate(index, notePlaces(root, join("projects", one)), one);
}

/** Indexes the files that changed since the last call, and takes files that are gone out of the index. `project`: a key. */
function bringUpToDate(index: SearchIndex, places: readonly MemoryPlace[], project: string): void {
	for (const place of places) {
		const { folder, path, isGlobal } = place;
		const source = { path: join(folder, path), project: isGlobal ? "" : project, session: "" };
		const indexed = index.reachedOf(source.path);
		const now = statInside(folder, path);
		if (now?.nlink === 1 && indexed?.state === stateOf(now)) continue;
		const file = openInside(folder, path, { maxBytes: MAX_BYTES, single: true });
		if (!file) {
			if (indexed) index.drop("path", source.path);
			continue;
		}
		const facts = { kind: kindOf(place), at: Math.floor(file.stat.mtimeMs / 1000) };
		const text = file.bytes.toString("utf8");
		const isOfOthers = basename(path) === SHARED;
		const passages = isOfOthers ? sharedPassages(text, facts) : textPassages(text, facts);
		index.add(source, passages, { reached: { offset: file.stat.size, state: stateOf(file.stat) }, others: "go" });
	}
}

/** The passages of other machines' notes, note by note, each with its writer and its time. */
function sharedPassages(text: string, { kind, at }: Pick<Passage, "kind" | "at">): Passage[] {
	let searchFrom = 0;
	return notesIn(text).flatMap((note) => {
		const writer = sharedBy(note);
		const pos = Math.max(searchFrom, text.indexOf(noteText(note), searchFrom));
		const when = Date.parse(writer?.at ?? "") / 1000 || at;
		const passages = textPassages(noteText(note), { kind, at: when });
		searchFrom = pos + (passages.at(-1)?.pos ?? 0) + 1;
		// `path` holds the writer here: `headOf` names it before the passage
		return passages.map((one) => ({ ...one, pos: pos + one.pos, path: writer?.by ?? "" }));
	});
}

/** Names a file's content: another text, most likely, where the file changed. */
const stateOf = ({ ino, mtimeMs, size }: Stats): string => `${ino}:${mtimeMs}:${size}`;

const kindOf = ({ category, key }: MemoryPlace): PassageKind =>
	category !== "ccg" ? "file" : key.includes("log/") ? "log" : "note";
