import {
	closeSync,
	constants,
	fstatSync,
	lstatSync,
	openSync,
	readlinkSync,
	readSync,
	realpathSync,
	type Stats,
} from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { readBounded } from "./bounded-read.ts";

export interface InsideOptions {
	maxBytes: number;
	/** `inside`: a link is followed when it stays in the folder and out of its `.git`. Without it no link is. */
	links?: "inside";
	/** A file with a second name somewhere is refused (it may be anybody's file). Without it: only another user's. */
	single?: boolean;
	/** Of a larger file its end is given. */
	tail?: boolean;
	/** Of a larger file its beginning is given. */
	head?: boolean;
}

/**
 * A regular file below a folder, read without being led out of it: no part of `path` (relative to the folder) is a link, the
 * file is opened without following one and without waiting (a FIFO, a device), and it is the file that was looked at. `null`
 * for everything else, and for what is missing or larger than `maxBytes`. Never throws. The folder itself may be reached by links.
 */
export function readInside(folder: string, path: string, options: InsideOptions): Buffer | null {
	return openInside(folder, path, options)?.bytes ?? null;
}

export const textInside = (folder: string, path: string, options: InsideOptions): string | null =>
	readInside(folder, path, options)?.toString("utf8") ?? null;

/** A larger file in part: its first bytes as text, with `tail` the whole lines of its last ones; `left` bytes were not read. */
export function partInside(
	folder: string,
	path: string,
	{ maxBytes, tail }: Pick<InsideOptions, "maxBytes" | "tail">,
): { text: string; left: number } | null {
	const found = openInside(folder, path, { maxBytes, single: true, ...(tail ? { tail } : { head: true }) });
	if (!found) return null;
	const { bytes, stat } = found;
	const left = Math.max(0, stat.size - bytes.length);
	if (!tail || left === 0) return { text: bytes.toString("utf8"), left };
	// the line that was cut into is left out
	const feed = bytes.indexOf(10);
	return feed < 0 ? { text: "", left: stat.size } : { text: bytes.toString("utf8", feed + 1), left: left + feed + 1 };
}

/** The same with what the file system tells of the file, as it was when it was opened. */
export function openInside(
	folder: string,
	path: string,
	{ maxBytes, links, single, tail, head }: InsideOptions,
): { bytes: Buffer; stat: Stats } | null {
	let fd: number | undefined;
	try {
		const place = placeInside(folder, path, links === "inside");
		if (!place?.stat.isFile()) return null;
		fd = openSync(place.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		const stat = fstatSync(fd);
		if (!stat.isFile() || stat.ino !== place.stat.ino || stat.dev !== place.stat.dev) return null;
		if (stat.nlink > 1 && (single || stat.uid !== process.geteuid?.())) return null;
		const isPart = stat.size > maxBytes && (tail || head);
		const bytes = isPart ? partOf(fd, tail ? stat.size - maxBytes : 0, maxBytes) : readBounded(fd, stat, maxBytes);
		return bytes && { bytes, stat };
	} catch {
		return null;
	} finally {
		if (fd !== undefined) close(fd);
	}
}

function partOf(fd: number, from: number, maxBytes: number): Buffer {
	const buffer = Buffer.alloc(maxBytes);
	return buffer.subarray(0, readSync(fd, buffer, 0, maxBytes, from));
}

/** What stands at a path below a folder, reached without a link; `null` when it is not there or only reached by one. Never throws. */
export function statInside(folder: string, path: string): Stats | null {
	try {
		return placeInside(folder, path, false)?.stat ?? null;
	} catch {
		return null;
	}
}

function placeInside(folder: string, path: string, follow: boolean): { path: string; stat: Stats } | null {
	const parts = path.split("/");
	if (isAbsolute(path) || parts.some((part) => part === "" || part === "." || part === "..")) return null;
	let at = folder;
	for (const [i, part] of parts.entries()) {
		at = join(at, part);
		const stat = lstatSync(at, { throwIfNoEntry: false });
		if (!stat) return null;
		if (stat.isSymbolicLink()) return follow ? behindLink(folder, join(folder, ...parts)) : null;
		if (i === parts.length - 1) return { path: at, stat };
		if (!stat.isDirectory()) return null;
	}
	return null;
}

/** Where the links end: in the folder, and not among git's own files, which hold the addresses and keys of remotes. */
function behindLink(folder: string, path: string): { path: string; stat: Stats } | null {
	const real = realpathSync.native(path);
	const parts = relative(realpathSync.native(folder), real).split("/");
	if (parts[0] === ".." || parts[0] === "" || parts.some((part) => part.toLowerCase() === ".git")) return null;
	const stat = lstatSync(real, { throwIfNoEntry: false });
	return stat ? { path: real, stat } : null;
}

/** Where a link points, as it is written; `null` when it is none. */
export function linkText(path: string): string | null {
	try {
		return readlinkSync(path);
	} catch {
		return null;
	}
}

function close(fd: number): void {
	try {
		closeSync(fd);
	} catch {
		// nothing to do about it
	}
}
