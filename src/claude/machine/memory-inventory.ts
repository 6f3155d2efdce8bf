import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { openInside } from "../../files/read-inside.ts";
import { listMemory } from "../../store/memory/memory.ts";
import { cleanText, notesIn } from "../../store/memory/notes.ts";
import { nativeMemoryFolder } from "../../store/project.ts";

/** Who keeps a memory. */
export type MemoryCategory = "claude" | "serena" | "ccg" | "claude_md";

/** One memory that can be asked for by its key. */
export interface MemoryKey {
	category: MemoryCategory;
	key: string;
	path: string;
	/** `null` where there are too many bytes to count them. */
	notes: number | null;
	bytes: number;
	/** ISO 8601, UTC. */
	modifiedAt: string;
	/** What it is divided into, at most 20. */
	headings: string[];
}

const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 500;
const MAX_HEADINGS = 20;

/**
 * The keys of all memories that reach a session in this folder: Claude Code's own, Serena's, ccg's, and the CLAUDE.md files. Only
 * regular files, none by a link. Never throws.
 */
export function memoryInventory(root: string, claudeRoot: string | null, folder: string): MemoryKey[] {
	const serena = join(folder, ".serena", "memories");
	const native = claudeRoot && nativeMemoryFolder(claudeRoot, folder);
	return [
		...(native ? markdownIn(native).flatMap((name) => keyAt("claude", withoutEnding(name), native, name)) : []),
		...markdownIn(serena).flatMap((name) => keyAt("serena", withoutEnding(name), folder, `.serena/memories/${name}`)),
		...listMemory(root, null, folder).map(({ name, path, notes, bytes, modified }) => ({
			category: "ccg" as const,
			key: withoutEnding(name),
			path,
			notes,
			bytes,
			modifiedAt: modified,
			headings: headingsOf(
				openInside(dirname(path), path.slice(dirname(path).length + 1), { maxBytes: MAX_BYTES })?.bytes,
			),
		})),
		...["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"].flatMap((name) => keyAt("claude_md", name, folder, name)),
		...(claudeRoot ? keyAt("claude_md", "user's CLAUDE.md", claudeRoot, "CLAUDE.md") : []),
	];
}

const withoutEnding = (name: string): string => name.replace(/\.md$/, "");

function markdownIn(folder: string): string[] {
	try {
		return readdirSync(folder)
			.filter((name) => /^[^.].*\.md$/.test(name))
			.sort()
			.slice(0, MAX_FILES);
	} catch {
		return [];
	}
}

function keyAt(category: MemoryCategory, key: string, folder: string, name: string): MemoryKey[] {
	const found = openInside(folder, name, { maxBytes: MAX_BYTES, head: true });
	if (!found) return [];
	const { bytes, stat } = found;
	return [
		{
			category,
			key: cleanText(key),
			path: join(folder, name),
			notes: stat.size > MAX_BYTES ? null : notesIn(bytes.toString("utf8")).length,
			bytes: stat.size,
			modifiedAt: stat.mtime.toISOString(),
			headings: headingsOf(bytes),
		},
	];
}

/** Not ccg's own first line, which says what the file is. */
function headingsOf(bytes: Buffer | undefined): string[] {
	const lines = cleanText(bytes?.toString("utf8") ?? "").split("\n");
	return lines
		.filter((line) => /^#{1,3}\s/.test(line) && !line.startsWith("# ccg "))
		.slice(0, MAX_HEADINGS)
		.map((line) =>
			line
				.replace(/^#+\s+/, "")
				.trim()
				.slice(0, 100),
		);
}
