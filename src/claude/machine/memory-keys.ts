import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { safeText } from "../../core/text/text.ts";
import { statInside } from "../../files/read-inside.ts";
import { nativeMemoryFolder, projectFolder } from "../../store/project.ts";
import type { MemoryCategory } from "./memory-inventory.ts";

/** A memory by its key, as the file system tells it: nothing of it is read. */
export interface MemoryFact {
	category: MemoryCategory;
	key: string;
	bytes: number;
	/** ISO 8601, UTC. */
	modifiedAt: string;
}

const MAX_FILES = 200;
/** Of the daily logs, the newest. */
const MAX_LOGS = 30;

/**
 * The keys of `memoryInventory` with size and time alone, for a checkpoint: a look into four folders. Regular files, none by a
 * link. Never throws.
 */
export function memoryKeys(root: string, claudeRoot: string | null, folder: string): MemoryFact[] {
	const native = claudeRoot && nativeMemoryFolder(claudeRoot, folder);
	const own = projectFolder(root, folder);
	return [
		...(native ? factsIn("claude", native, ".") : []),
		...factsIn("serena", folder, ".serena/memories"),
		...fact("ccg", "MEMORY", own, "MEMORY.md"),
		...factsIn("ccg", own, "log", "log/").slice(-MAX_LOGS),
		...fact("ccg", "global/MEMORY", root, "MEMORY.md"),
		...["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"].flatMap((name) => fact("claude_md", name, folder, name)),
		...(claudeRoot ? fact("claude_md", "user's CLAUDE.md", claudeRoot, "CLAUDE.md") : []),
	];
}

function factsIn(category: MemoryCategory, folder: string, below: string, prefix = ""): MemoryFact[] {
	const [base, path] = below === "." ? [dirname(folder), basename(folder)] : [folder, below];
	let names: string[] = [];
	try {
		// (a linked folder is seen as none by the look at each file)
		names = readdirSync(join(base, path)).filter((name) => /^[^.].*\.md$/.test(name));
	} catch {
		// none
	}
	return names
		.sort()
		.slice(-MAX_FILES)
		.flatMap((name) => fact(category, `${prefix}${name.slice(0, -3)}`, base, `${path}/${name}`));
}

function fact(category: MemoryCategory, key: string, folder: string, path: string): MemoryFact[] {
	const stat = statInside(folder, path);
	if (!stat?.isFile()) return [];
	return [{ category, key: safeText(key), bytes: stat.size, modifiedAt: stat.mtime.toISOString() }];
}
