import type { Stats } from "node:fs";
import { join } from "node:path";
import { safeText } from "../../core/text/text.ts";
import { listFolder } from "../../files/quietly.ts";
import { statInside } from "../../files/read-inside.ts";
import { SHARED_FILE } from "../../memory/shared.ts";
import { findProject, nativeMemoryFolder } from "../../store/project.ts";

/** The place of a memory: `path` below `folder`, reached by no link. The file may be missing. */
export interface MemoryPlace {
	/** Who keeps it. */
	category: "claude" | "serena" | "ccg" | "claude_md";
	key: string;
	folder: string;
	path: string;
	/** Whether it is for all projects. */
	isGlobal: boolean;
}

/** So many files of one folder are listed: the last by name. */
const MAX_FILES = 200;
const DAY = /^\d{4}-\d\d-\d\d\.md$/;

/** The places of all memories for a session in `folder`: Claude Code's, Serena's, ccg's notes and daily logs, CLAUDE.md. Some may be missing. */
export function memoryPlaces(root: string, claudeRoot: string | null, folder: string): MemoryPlace[] {
	return [
		...(claudeRoot ? markdownPlaces("claude", nativeMemoryFolder(claudeRoot, folder), "") : []),
		...markdownPlaces("serena", folder, ".serena/memories"),
		...notePlaces(root, join("projects", findProject(folder).key)),
		...notePlaces(root, ""),
		...["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"].map((path) => ({
			...CLAUDE_MD,
			key: path,
			folder,
			path,
		})),
		...(claudeRoot
			? [{ ...CLAUDE_MD, key: "user's CLAUDE.md", folder: claudeRoot, path: "CLAUDE.md", isGlobal: true }]
			: []),
	];
}

const CLAUDE_MD = { category: "claude_md", isGlobal: false } as const;

/** The places of ccg's notes, other machines' notes and daily logs below folder `below` of the store: a project's, or with `""` the global ones. */
export function notePlaces(root: string, below: string): MemoryPlace[] {
	const isGlobal = below === "";
	const placeOf = (path: string): MemoryPlace => {
		const key = `${isGlobal ? "global/" : ""}${path.slice(0, -3)}`;
		return { category: "ccg", key, folder: root, path: join(below, path), isGlobal };
	};
	const logs = lastFileNames(join(root, below, "log"), DAY).map((name) => placeOf(`log/${name}`));
	return [placeOf("MEMORY.md"), placeOf(SHARED_FILE), ...logs];
}

/** The places of the Markdown files directly in a folder. */
const markdownPlaces = (category: MemoryPlace["category"], folder: string, below: string): MemoryPlace[] =>
	lastFileNames(join(folder, below), /^[^.].*\.md$/).map((name) => {
		return { category, key: name.slice(0, -3), folder, path: join(below, name), isGlobal: false };
	});

/** The names in a folder that match, in order, the last `MAX_FILES` of them. */
const lastFileNames = (folder: string, pattern: RegExp): string[] => {
	const names = listFolder(folder).filter((name) => pattern.test(name));
	return names.slice(-MAX_FILES);
};

/** The stat of a memory's file; `null` where it is missing, or a note of ccg's with a second hard link (somebody else's file). Never throws. */
export function memoryStat({ category, folder, path }: MemoryPlace): Stats | null {
	const stat = statInside(folder, path);
	return stat?.isFile() && (category !== "ccg" || stat.nlink === 1) ? stat : null;
}

/** The memories that exist, with size and date; their text is not read. Never throws. */
export const memoryInventory = (root: string, claudeRoot: string | null, base: string) =>
	memoryPlaces(root, claudeRoot, base).flatMap((place) => {
		const stat = memoryStat(place);
		if (!stat) return [];
		const { category, key, folder, path } = place;
		const facts = { bytes: stat.size, modifiedAt: stat.mtime.toISOString() };
		return [{ category, key: safeText(key), path: join(folder, path), ...facts }];
	});
