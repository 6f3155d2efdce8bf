import { closeSync, constants, fstatSync, openSync, type Stats, writeSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { quietLstat, quietly } from "./quietly.ts";
import { readBounded, readPiece, withFile } from "./read-file.ts";

interface InsideOptions {
	maxBytes: number;
	/** A file with a second name somewhere is refused (it may be anybody's file). Without it: only another user's. */
	single?: boolean;
	/** The part that is given of a larger file; without it, none is. */
	part?: "head" | "tail";
}

export const textInside = (folder: string, path: string, options: InsideOptions): string | null =>
	openInside(folder, path, options)?.bytes.toString("utf8") ?? null;

/**
 * Reads a regular file below a folder without being led out of it: no part of `path` (relative to the folder) is a link, the file is opened
 * without following one and without waiting (a FIFO, a device), and it is the file that was looked at. `null` for everything else, and for a
 * file that is missing or larger than `maxBytes`. Never throws. The folder itself may be reached by links. `stat`: as at the opening.
 */
export function openInside(
	folder: string,
	path: string,
	{ maxBytes, single, part }: InsideOptions,
): { bytes: Buffer; stat: Stats } | null {
	const place = placeInside(folder, path);
	// opening a device can do something already
	if (!place?.stat.isFile()) return null;
	const read = (fd: number, stat: Stats) => {
		if (stat.ino !== place.stat.ino || stat.dev !== place.stat.dev) return null;
		if (stat.nlink > 1 && (single || stat.uid !== process.geteuid?.())) return null;
		const isPart = stat.size > maxBytes && part;
		const bytes = isPart ? readPiece(fd, stat, maxBytes, part === "tail") : readBounded(fd, stat, maxBytes);
		return bytes && { bytes, stat };
	};
	return quietly(() => withFile(place.path, false, read)) ?? null;
}

/** The facts of what stands at a path below a folder; `null` when it is missing or only reached by a link. Never throws. */
export const statInside = (folder: string, path: string): Stats | null => placeInside(folder, path)?.stat ?? null;

/** Follows `path` part by part below the folder, to its full path and facts; `null` where a part is missing, a link or `..`. */
function placeInside(folder: string, path: string): { path: string; stat: Stats } | null {
	const parts = path.split("/");
	if (isAbsolute(path) || parts.some((part) => part === "" || part === "." || part === "..")) return null;
	let at = folder;
	let stat: Stats | undefined;
	for (const part of parts) {
		if (stat && !stat.isDirectory()) return null;
		at = join(at, part);
		stat = quietLstat(at);
		if (!stat || stat.isSymbolicLink()) return null;
	}
	return stat ? { path: at, stat } : null;
}

/**
 * Adds text to the end of a file below a folder in one write, and makes the file when it is missing. Only where no part of the path
 * (relative to the folder) is a link and the file is the user's own, a regular one under one name, of at most `maxBytes`; throws
 * with what it is otherwise, and what the file system says.
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
