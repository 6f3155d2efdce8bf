import { closeSync, constants, fstatSync, openSync, type Stats, writeSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { tryLstat, tryOrUndefined } from "./quietly.ts";
import { readBounded, readHeadOrTail, withFile } from "./read-file.ts";

interface InsideOptions {
	maxBytes: number;
	/** Refuses a file with a second name (hard link), which may be anybody's. Without it, only another user's is refused. */
	noHardLinks?: boolean;
	/** Which end of a file larger than `maxBytes` is read; without it, `null` is given for such a file. */
	part?: "head" | "tail";
}

/** Reads a file below a folder as text, by the rules of `readFileInside`; `null` where they do not allow it. */
export const readTextInside = (folder: string, path: string, options: InsideOptions): string | null =>
	readFileInside(folder, path, options)?.bytes.toString("utf8") ?? null;

/**
 * Reads a regular file below a folder, never one outside of it: `null` where a part of `path` (relative to the folder) is a link, for a FIFO
 * or a device, and for a file that is missing or larger than `maxBytes`. The folder itself may be reached by links. Never throws.
 */
export function readFileInside(
	folder: string,
	path: string,
	{ maxBytes, noHardLinks, part }: InsideOptions,
): { bytes: Buffer; stat: Stats } | null {
	const checked = resolveInside(folder, path);
	// never opens a device: that alone can have an effect
	if (!checked?.stat.isFile()) return null;
	const read = (fd: number, stat: Stats) => {
		// replaced by another file since it was checked
		if (stat.ino !== checked.stat.ino || stat.dev !== checked.stat.dev) return null;
		if (stat.nlink > 1 && (noHardLinks || stat.uid !== process.geteuid?.())) return null;
		const isPart = stat.size > maxBytes && part;
		const bytes = isPart ? readHeadOrTail(fd, stat, maxBytes, part === "tail") : readBounded(fd, stat, maxBytes);
		return bytes && { bytes, stat };
	};
	return tryOrUndefined(() => withFile(checked.path, false, read)) ?? null;
}

/** The `stat` of a path below a folder; `null` when it is missing or only reached by a link. Never throws. */
export const statInside = (folder: string, path: string): Stats | null => resolveInside(folder, path)?.stat ?? null;

/** The full path and `stat` of `path` below the folder; `null` where a part of it is missing, a link or `..`. */
function resolveInside(folder: string, path: string): { path: string; stat: Stats } | null {
	const parts = path.split("/");
	if (isAbsolute(path) || parts.some((part) => part === "" || part === "." || part === "..")) return null;
	let full = folder;
	let stat: Stats | undefined;
	for (const part of parts) {
		if (stat && !stat.isDirectory()) return null;
		full = join(full, part);
		stat = tryLstat(full);
		if (!stat || stat.isSymbolicLink()) return null;
	}
	return stat ? { path: full, stat } : null;
}

/**
 * Adds text to the end of a file below a folder in one write, and makes the file when it is missing. Only where no part of the path
 * (relative to the folder) is a link and the file is the user's own, a regular one under one name, of at most `maxBytes`; throws
 * otherwise, and says why.
 */
export function appendInside(folder: string, path: string, text: string, maxBytes: number): void {
	const full = join(folder, path);
	if (!statInside(folder, dirname(path))?.isDirectory()) throw new Error(`${dirname(full)} is no plain folder`);
	const before = statInside(folder, path);
	if (before && !before.isFile()) throw new Error(`${full} is no regular file`);
	const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
	const fd = openSync(full, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile()) throw new Error(`${full} is no regular file`);
		if (before && (stat.ino !== before.ino || stat.dev !== before.dev)) throw new Error(`${full} was replaced`);
		if (stat.nlink !== 1) throw new Error(`${full} has another name elsewhere`);
		if (stat.uid !== process.geteuid?.()) throw new Error(`${full} belongs to another user`);
		if (stat.size + text.length > maxBytes) throw new Error(`${full} is larger than ${maxBytes} bytes`);
		writeSync(fd, text);
	} finally {
		closeSync(fd);
	}
}
