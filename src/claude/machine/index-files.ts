import type { Stats } from "node:fs";
import { basename, join } from "node:path";
import { listFolder } from "../../files/quietly.ts";
import { readFileInside, statInside } from "../../files/read-inside.ts";
import { noteText, parseNotes } from "../../memory/notes.ts";
import { parseSharedNote, SHARED_FILE } from "../../memory/shared.ts";
import type { Passage, PassageKind } from "../../search/passage.ts";
import { textPassages } from "../../search/passages.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { findProject } from "../../store/project.ts";
import { type MemoryPlace, memoryPlaces, notePlaces } from "./memory-inventory.ts";

/** A larger file is no notes. */
const MAX_BYTES = 1024 * 1024;

/** Brings a project's memory up to date in the index: ccg's notes and daily logs, Claude Code's memory, CLAUDE.md, `.serena/memories`. */
export function indexProjectMemory(
	index: SearchIndex,
	{ root, claudeRoot, folder }: { root: string; claudeRoot: string | null; folder: string },
): void {
	indexChangedFiles(index, memoryPlaces(root, claudeRoot, folder), findProject(folder).key);
}

/** Brings ccg's notes and daily logs up to date in the index: the global ones, and those of the project `key`, without it of all projects. */
export function indexNotes(index: SearchIndex, root: string, key?: string): void {
	const keys = key === undefined ? listFolder(join(root, "projects")).filter((name) => !name.startsWith(".")) : [key];
	indexChangedFiles(index, notePlaces(root, ""), "");
	for (const project of keys) indexChangedFiles(index, notePlaces(root, join("projects", project)), project);
}

/** Indexes the files that changed since the last call, and removes deleted ones from the index. `project`: its key. */
function indexChangedFiles(index: SearchIndex, places: readonly MemoryPlace[], project: string): void {
	for (const place of places) {
		const { folder, path, isGlobal } = place;
		const source = { path: join(folder, path), project: isGlobal ? "" : project, session: "" };
		const indexed = index.reachedOf(source.path);
		const stat = statInside(folder, path);
		// (one with a second hard link may be somebody else's file, and is not read)
		if (stat?.nlink === 1 && indexed?.state === contentState(stat)) continue;
		const file = readFileInside(folder, path, { maxBytes: MAX_BYTES, noHardLinks: true });
		if (!file) {
			if (indexed) index.drop("path", source.path);
			continue;
		}
		const facts = { kind: memoryKind(place), at: Math.floor(file.stat.mtimeMs / 1000) };
		const text = file.bytes.toString("utf8");
		const passages = basename(path) === SHARED_FILE ? sharedPassages(text, facts) : textPassages(text, facts);
		index.add(source, passages, { reached: { offset: file.stat.size, state: contentState(file.stat) }, others: "go" });
	}
}

/** The passages of other machines' notes, note by note, each with the machine that wrote it and its time. */
function sharedPassages(text: string, { kind, at: fileTime }: Pick<Passage, "kind" | "at">): Passage[] {
	let searchFrom = 0;
	return parseNotes(text).flatMap((note) => {
		const writer = parseSharedNote(note);
		const pos = Math.max(searchFrom, text.indexOf(noteText(note), searchFrom));
		const at = Date.parse(writer?.at ?? "") / 1000 || fileTime;
		const passages = textPassages(noteText(note), { kind, at });
		searchFrom = pos + (passages.at(-1)?.pos ?? 0) + 1;
		// of these passages `path` is the writer, named in the heading of a passage that is found
		return passages.map((passage) => ({ ...passage, pos: pos + passage.pos, path: writer?.by ?? "" }));
	});
}

/** A text that changes when a file's content does. */
const contentState = ({ ino, mtimeMs, size }: Stats): string => `${ino}:${mtimeMs}:${size}`;

/** The kind of passage that a memory becomes. */
const memoryKind = ({ category, key }: MemoryPlace): PassageKind =>
	category !== "ccg" ? "file" : key.includes("log/") ? "log" : "note";
