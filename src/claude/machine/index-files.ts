import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { openInside } from "../../files/read-inside.ts";
import type { PassageKind } from "../../search/passage.ts";
import { textPassages } from "../../search/passages.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { projectOf } from "../../store/project.ts";
import { latestKey } from "../../store/recovery/checkpoints.ts";
import type { Session } from "../../store/session-handle.ts";
import { type MemoryPlace, memoryPlaces, notePlaces } from "./memory-inventory.ts";

/** A larger file is no notes. */
const MAX_BYTES = 1024 * 1024;

/** A file to index: `path` lies in `folder`, and no link leads there. */
interface IndexedFile {
	folder: string;
	path: string;
	kind: PassageKind;
	/** Key of the project; `""` for all projects. */
	project: string;
	session?: string;
	/** The name it has in the index, where a newer file takes the place of an older one. */
	name?: string;
}

/**
 * Brings the notes and files of a project up to date in the index: ccg's notes and daily logs, the session's latest checkpoint and
 * task summary, and, only read, Claude Code's own memory, CLAUDE.md and `.serena/memories`. A file that did not change since costs
 * one look. What is gone leaves the index.
 */
export function indexFiles(
	index: SearchIndex,
	{ root, claudeRoot, folder, session }: { root: string; claudeRoot: string | null; folder: string; session?: Session },
): void {
	const { key } = projectOf(folder);
	const memories = memoryPlaces(root, claudeRoot, folder).map((place) => memory(place, key));
	bringUpToDate(index, [...memories, ...(session ? ofSession(session, key) : [])]);
}

/** The same for ccg's notes and daily logs alone: the global ones, and those of one project or, without its key, of all. */
export function indexNotes(index: SearchIndex, root: string, key?: string): void {
	const keys = key === undefined ? namesIn(join(root, "projects")).filter((name) => !name.startsWith(".")) : [key];
	const notes = (below: string, project: string): IndexedFile[] =>
		notePlaces(root, below).map((place) => memory(place, project));
	bringUpToDate(index, [...notes("", ""), ...keys.flatMap((one) => notes(join("projects", one), one))]);
}

/**
 * What `find` gives; where that is nothing (`isNone`), what it gives once a note that was saved since the last turn's end is in the
 * index. Where something is found nobody waits for that look.
 */
export function findWithNotes<T>(
	index: SearchIndex,
	{ root, project }: { root: string; project: string | undefined },
	find: () => T,
	isNone: (found: T) => boolean,
): T {
	const first = find();
	if (!isNone(first)) return first;
	indexNotes(index, root, project);
	return find();
}

function bringUpToDate(index: SearchIndex, files: readonly IndexedFile[]): void {
	for (const file of files) {
		const full = file.name ?? join(file.folder, file.path);
		const known = index.reachedOf(full);
		const found = openInside(file.folder, file.path, { maxBytes: MAX_BYTES, single: true });
		if (!found) {
			if (known) index.drop("path", full);
			continue;
		}
		const state = `${found.stat.ino}:${found.stat.mtimeMs}:${found.stat.size}`;
		if (known?.state === state) continue;
		const passages = textPassages(found.bytes.toString("utf8"), {
			kind: file.kind,
			at: Math.floor(found.stat.mtimeMs / 1000),
		});
		const source = { path: full, project: file.project, session: file.session ?? "" };
		index.add(source, passages, { reached: { reached: found.stat.size, state }, others: "go" });
	}
}

const memory = ({ category, key, folder, path, isGlobal }: MemoryPlace, project: string): IndexedFile => ({
	folder,
	path,
	kind: category !== "ccg" ? "file" : key.endsWith("MEMORY") ? "note" : "log",
	project: isGlobal ? "" : project,
});

function ofSession(session: Session, project: string): IndexedFile[] {
	const { id, root: folder } = session;
	const base = { folder, project, session: id };
	const key = latestKey(session);
	const below = join("sessions", id);
	return [
		...(key
			? [
					{
						...base,
						path: join(below, "checkpoints", `${key}.md`),
						kind: "checkpoint" as const,
						name: join(folder, below, "checkpoints", "latest"),
					},
				]
			: []),
		{ ...base, path: join(below, "summaries", "latest-summary.md"), kind: "task" },
	];
}
