import type { Stats } from "node:fs";
import { basename, join } from "node:path";
import { namesIn } from "../../files/quietly.ts";
import { openInside, statInside } from "../../files/read-inside.ts";
import { notesIn, noteText } from "../../memory/notes.ts";
import { SHARED, sharedBy } from "../../memory/shared.ts";
import type { Passage, PassageKind, Source } from "../../search/passage.ts";
import { textPassages } from "../../search/passages.ts";
import type { SearchIndex } from "../../search/search-index.ts";
import { projectOf } from "../../store/project.ts";
import { latestCheckpoint } from "../../store/recovery/checkpoints.ts";
import type { Session } from "../../store/session-handle.ts";
import { type MemoryPlace, memoryPlaces, notePlaces } from "./memory-inventory.ts";

/** A larger file is no notes. */
const MAX_BYTES = 1024 * 1024;

/** A file to index: `path` lies in `folder`, and no link leads there. */
interface IndexedFile extends Pick<MemoryPlace, "folder" | "path"> {
	kind: PassageKind;
	source: Source;
}

/**
 * Brings the notes and files of a project up to date in the index: ccg's notes and daily logs, and, only read, Claude Code's own
 * memory, CLAUDE.md and `.serena/memories`. The session's latest checkpoint and task summary only repeat what its transcript
 * tells, so they are there only where that is not. A file that did not change since costs one look. What is gone leaves the index.
 */
export function indexFiles(
	index: SearchIndex,
	{ root, claudeRoot, folder, session }: { root: string; claudeRoot: string | null; folder: string; session?: Session },
): void {
	const { key } = projectOf(folder);
	bringUpToDate(index, memoriesIn(memoryPlaces(root, claudeRoot, folder), key));
	if (session && index.transcripts(session.id).every(({ reached }) => reached === 0))
		bringUpToDate(index, ofSession(session, key));
}

/** The same for ccg's notes and daily logs alone: the global ones, and those of one project or, without its key, of all. */
export function indexNotes(index: SearchIndex, root: string, key?: string): void {
	const keys = key === undefined ? namesIn(join(root, "projects")).filter((name) => !name.startsWith(".")) : [key];
	bringUpToDate(index, memoriesIn(notePlaces(root, ""), ""));
	for (const one of keys) bringUpToDate(index, memoriesIn(notePlaces(root, join("projects", one)), one));
}

function bringUpToDate(index: SearchIndex, files: readonly IndexedFile[]): void {
	for (const { folder, path, kind, source } of files) {
		const known = index.reachedOf(source.path);
		const now = statInside(folder, path);
		if (now?.nlink === 1 && known?.state === stateOf(now)) continue;
		const found = openInside(folder, path, { maxBytes: MAX_BYTES, single: true });
		if (!found) {
			if (known) index.drop("path", source.path);
			continue;
		}
		const facts = { kind, at: Math.floor(found.stat.mtimeMs / 1000) };
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

const memoriesIn = (places: readonly MemoryPlace[], project: string): IndexedFile[] =>
	places.map(({ category, key, folder, path, isGlobal }) => ({
		folder,
		path,
		kind: category !== "ccg" || key.endsWith("-sessions") ? "file" : /(?:MEMORY|shared)$/.test(key) ? "note" : "log",
		source: { path: join(folder, path), project: isGlobal ? "" : project, session: "" },
	}));

function ofSession(of: Session, project: string): IndexedFile[] {
	const { root, id: session } = of;
	const key = latestCheckpoint(of)?.key;
	/** `name`: in the index, where a newer file takes the place of an older one. */
	const file = (kind: PassageKind, path: string, name = path): IndexedFile => ({
		folder: root,
		path: join("sessions", session, path),
		kind,
		source: { path: join(root, "sessions", session, name), project, session },
	});
	return [
		...(key ? [file("checkpoint", `checkpoints/${key}.md`, "checkpoints/latest")] : []),
		file("task", "summaries/latest-summary.md"),
	];
}
