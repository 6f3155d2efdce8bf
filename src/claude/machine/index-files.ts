import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { PassageKind } from "../../core/search/passage.ts";
import { textPassages } from "../../core/search/passages.ts";
import { openInside } from "../../files/read-inside.ts";
import { nativeMemoryFolder, projectOf } from "../../store/project.ts";
import { latestKey } from "../../store/recovery/checkpoints.ts";
import type { SearchIndex } from "../../store/search/search-index.ts";
import type { Session } from "../../store/session-handle.ts";

/** A larger file is no notes. */
const MAX_BYTES = 1024 * 1024;
/** Files of one folder that are indexed, those named last. */
const MAX_FILES = 200;
const DAY = /^\d{4}-\d\d-\d\d\.md$/;
const MARKDOWN = /^[^.].*\.md$/;

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
	const project = projectOf(folder);
	bringUpToDate(index, [
		...notes(root, "", ""),
		...notes(root, join("projects", project.key), project.key),
		...(session ? ofSession(session, project.key) : []),
		...ofClaude(claudeRoot, folder, project.key),
	]);
}

/** The same for ccg's notes and daily logs alone: the global ones, and those of one project or, without its key, of all. */
export function indexNotes(index: SearchIndex, root: string, key?: string): void {
	const keys = key === undefined ? namesIn(join(root, "projects"), /^[^.]/, Infinity) : [key];
	bringUpToDate(index, [...notes(root, "", ""), ...keys.flatMap((one) => notes(root, join("projects", one), one))]);
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
			if (known) index.drop({ path: full });
			continue;
		}
		const state = `${found.stat.ino}:${found.stat.mtimeMs}:${found.stat.size}`;
		if (known?.state === state) continue;
		const passages = textPassages(found.bytes.toString("utf8"), {
			kind: file.kind,
			at: Math.floor(found.stat.mtimeMs / 1000),
		});
		const source = { path: full, project: file.project, session: file.session ?? "" };
		index.replace(source, passages, { reached: found.stat.size, state });
	}
}

function notes(root: string, below: string, project: string): IndexedFile[] {
	const folder = root;
	return [
		{ folder, path: join(below, "MEMORY.md"), kind: "note", project },
		...namesIn(join(root, below, "log"), DAY).map((name) => ({
			folder,
			path: join(below, "log", name),
			kind: "log" as const,
			project,
		})),
	];
}

function ofSession(session: Session, project: string): IndexedFile[] {
	const { id, paths, root: folder } = session;
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
						name: join(paths.checkpoints, "latest"),
					},
				]
			: []),
		{ ...base, path: join(below, "summaries", "latest-summary.md"), kind: "task" },
	];
}

function ofClaude(claudeRoot: string | null, folder: string, project: string): IndexedFile[] {
	const own = (path: string): IndexedFile => ({ folder, path, kind: "file", project });
	const files = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"].map(own);
	for (const name of namesIn(join(folder, ".serena", "memories"), MARKDOWN))
		files.push(own(`.serena/memories/${name}`));
	if (!claudeRoot) return files;
	const native = nativeMemoryFolder(claudeRoot, folder);
	files.push({ folder: claudeRoot, path: "CLAUDE.md", kind: "file", project: "" });
	for (const name of namesIn(native, MARKDOWN)) files.push({ folder: native, path: name, kind: "file", project });
	return files;
}

function namesIn(folder: string, wanted: RegExp, most = MAX_FILES): string[] {
	try {
		return readdirSync(folder)
			.filter((name) => wanted.test(name))
			.sort()
			.slice(-most);
	} catch {
		return [];
	}
}
