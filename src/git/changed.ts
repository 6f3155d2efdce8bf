import type { Stats } from "node:fs";
import { join } from "node:path";
import { quietLstat } from "../files/quiet-stat.ts";
import { linkText, readInside } from "../files/read-inside.ts";
import type { WorkBudget } from "./budget.ts";
import { FILE, FOLDER, GITLINK, type IndexEntry, kindOf, LINK } from "./index-file.ts";

/** How the working tree is compared with what the index remembers. */
export interface Comparison {
	top: string;
	/** When the index was written, in milliseconds: a file as young as it may have changed without its times telling. */
	indexMs: number;
	hash: "sha1" | "sha256";
	/** Whether the right to execute counts (`core.fileMode`). */
	fileMode: boolean;
	/** Whether the file's CRLF are LF in git, and whether its bytes can be compared at all. */
	conversion(path: string): { text: boolean; comparable: boolean };
	/** Whether a submodule's folder differs from the commit the index names; `null` when that can't be told. */
	submodule(path: string, commit: string): boolean | null;
	budget: WorkBudget;
}

const MAX_FILE = 8 * 1024 * 1024;

/**
 * What became of each entry in the working tree, by its path: `M`, `D`, `T` (another kind of thing), as `git status` names them.
 * A file whose times and size are those the index remembers is taken as unchanged; else its content decides. `unseen` counts
 * what was not looked at because the budget was spent, or because it can't be compared.
 */
export function changedFiles(
	entries: readonly IndexEntry[],
	comparison: Comparison,
): { changes: Map<string, string>; unseen: number } {
	const changes = new Map<string, string>();
	let unseen = 0;
	const folders = folderLooks(comparison.top);
	for (let i = 0; i < entries.length; i++) {
		const entry = entries[i]!;
		if (entry.stage !== 0 || entry.unwatched || kindOf(entry.mode) === FOLDER) continue;
		if (!comparison.budget.look()) {
			unseen += entries.length - i;
			break;
		}
		const change = entry.isNamed ? changeOf(entry, folders(entry.path), comparison) : null;
		if (change === null) unseen++;
		else if (change) changes.set(entry.path, change);
	}
	return { changes, unseen };
}

/** Whether the folders a path lies in are there and no links; the entries come sorted, so most ask for the same one again. */
function folderLooks(top: string): (path: string) => boolean {
	const known = new Map<string, boolean>();
	let last = "";
	let lastAnswer = true;
	const isFolder = (folder: string): boolean => {
		if (folder === "") return true;
		const before = known.get(folder);
		if (before !== undefined) return before;
		const answer =
			isFolder(folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) &&
			(quietLstat(join(top, folder))?.isDirectory() ?? false);
		known.set(folder, answer);
		return answer;
	};
	return (path) => {
		const slash = path.lastIndexOf("/");
		if (slash !== last.length || !path.startsWith(last)) {
			last = path.slice(0, Math.max(0, slash));
			lastAnswer = isFolder(last);
		}
		return lastAnswer;
	};
}

/** `""` unchanged, `null` not known. */
function changeOf(entry: IndexEntry, isReachable: boolean, comparison: Comparison): string | null {
	const { mode } = entry;
	const kind = kindOf(mode);
	const stat = isReachable ? quietLstat(`${comparison.top}/${entry.path}`) : undefined;
	if (!stat) return "D";
	if (kind === GITLINK) {
		if (!stat.isDirectory()) return "T";
		const differs = comparison.submodule(entry.path, entry.id);
		return differs === null ? null : differs ? "M" : "";
	}
	// a folder in the place of a file: the file is gone
	if (stat.isDirectory()) return "D";
	if (entry.intended) return "A";
	if (kind === LINK ? !stat.isSymbolicLink() : !stat.isFile()) return "T";
	if (kind === FILE && comparison.fileMode && ((mode ^ stat.mode) & 0o100) !== 0) return "M";
	const isSame = entry.isLike(stat);
	if (isSame && !isYoung(entry, comparison.indexMs)) return "";
	if (entry.size !== 0 && entry.size !== stat.size % 2 ** 32) return "M";
	return contentDiffers(entry, stat, isSame, comparison);
}

/** Written in the same moment as the index, by a clock that ticks every few milliseconds, or every second or two. */
function isYoung({ mtimeMs }: IndexEntry, indexMs: number): boolean {
	return mtimeMs >= indexMs - (mtimeMs % 1000 === 0 ? 2_000 : 10);
}

function contentDiffers(entry: IndexEntry, stat: Stats, isSame: boolean, comparison: Comparison): string | null {
	const { top, budget, hash } = comparison;
	if (kindOf(entry.mode) === LINK) {
		const link = linkText(`${top}/${entry.path}`);
		return link !== null && idOf(Buffer.from(link), hash) === entry.id ? "" : "M";
	}
	const { text, comparable } = comparison.conversion(entry.path);
	if (!comparable) return isSame ? "" : "M";
	if (stat.size > MAX_FILE || !budget.bytes(stat.size)) return null;
	const bytes = readInside(top, entry.path, { maxBytes: MAX_FILE });
	if (!bytes) return null;
	if (idOf(bytes, hash) === entry.id) return "";
	const lines =
		text && bytes.includes("\r\n") ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1") : null;
	return lines && idOf(lines, hash) === entry.id ? "" : "M";
}

function idOf(bytes: Buffer, hash: Comparison["hash"]): string {
	return new Bun.CryptoHasher(hash).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
