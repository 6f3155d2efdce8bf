import type { Stats } from "node:fs";
import { join } from "node:path";
import { safeText } from "../../core/text/text.ts";
import { namesIn } from "../../files/quietly.ts";
import { statInside } from "../../files/read-inside.ts";
import { SHARED } from "../../memory/shared.ts";
import { nativeMemoryFolder, projectOf } from "../../store/project.ts";

/** Where a memory lies: `path` in `folder`, and no link leads there. */
export interface MemoryPlace {
	/** Who keeps it. */
	category: "claude" | "serena" | "ccg" | "claude_md";
	key: string;
	folder: string;
	path: string;
	/** Not of the project alone. */
	isGlobal: boolean;
}

/** Of one folder, those named last. */
const MAX_FILES = 200;
const DAY = /^\d{4}-\d\d-\d\d\.md$/;

/** What reaches a session in this folder: Claude Code's own memory, Serena's, ccg's notes and daily logs, the CLAUDE.md files. Not each is there. */
export function memoryPlaces(root: string, claudeRoot: string | null, folder: string): MemoryPlace[] {
	return [
		...(claudeRoot ? markdownIn("claude", nativeMemoryFolder(claudeRoot, folder), "") : []),
		...markdownIn("serena", folder, ".serena/memories"),
		...notePlaces(root, join("projects", projectOf(folder).key)),
		...notePlaces(root, ""),
		...["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"].map((path) => ({ ...OF_CLAUDE, key: path, folder, path })),
		...(claudeRoot
			? [{ ...OF_CLAUDE, key: "user's CLAUDE.md", folder: claudeRoot, path: "CLAUDE.md", isGlobal: true }]
			: []),
	];
}

const OF_CLAUDE = { category: "claude_md", isGlobal: false } as const;

/** ccg's notes, what other machines wrote, and daily logs below a folder of the store: of a project, or with `""` the global ones. */
export function notePlaces(root: string, below: string): MemoryPlace[] {
	const isGlobal = below === "";
	const own = (path: string): MemoryPlace => {
		const key = `${isGlobal ? "global/" : ""}${path.slice(0, -3)}`;
		return { category: "ccg", key, folder: root, path: join(below, path), isGlobal };
	};
	const logs = lastIn(join(root, below, "log"), DAY).map((name) => own(`log/${name}`));
	return [own("MEMORY.md"), own(SHARED), ...logs];
}

const markdownIn = (category: MemoryPlace["category"], folder: string, below: string): MemoryPlace[] =>
	lastIn(join(folder, below), /^[^.].*\.md$/).map((name) => {
		return { category, key: name.slice(0, -3), folder, path: join(below, name), isGlobal: false };
	});

const lastIn = (folder: string, wanted: RegExp): string[] =>
	namesIn(folder)
		.filter((name) => wanted.test(name))
		.slice(-MAX_FILES);

/** The facts of a memory that is there; `null` for a note of ccg's with a second name, which is somebody else's file too. Never throws. */
export function memoryStat({ category, folder, path }: MemoryPlace): Stats | null {
	const stat = statInside(folder, path);
	return stat?.isFile() && (category !== "ccg" || stat.nlink === 1) ? stat : null;
}

/** The memories there are: nothing of them is read. Never throws. */
export const memoryInventory = (root: string, claudeRoot: string | null, base: string) =>
	memoryPlaces(root, claudeRoot, base).flatMap((one) => {
		const stat = memoryStat(one);
		if (!stat) return [];
		const { category, key, folder, path } = one;
		const facts = { bytes: stat.size, modifiedAt: stat.mtime.toISOString() };
		return [{ category, key: safeText(key), path: join(folder, path), ...facts }];
	});
