import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { quietly } from "./atomic-write.ts";

/** A file's beginning or end as text, and how many bytes of it were not read. */
export interface PartOfFile {
	text: string;
	left: number;
}

/**
 * The first `maxBytes` of a regular file, or with `end` the whole lines of its last ones. Read by position, so that a file of
 * any size costs the same. `null` when there is none or it can't be read. Never throws, never hangs on a FIFO.
 */
export function readPart(path: string, maxBytes: number, { end = false, follow = true } = {}): PartOfFile | null {
	let fd: number | undefined;
	try {
		fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW));
		const stat = fstatSync(fd);
		if (!stat.isFile()) return null;
		const from = end ? Math.max(0, stat.size - maxBytes) : 0;
		const bytes = Buffer.allocUnsafe(Math.min(maxBytes, stat.size));
		let length = 0;
		for (let count = -1; count !== 0 && length < bytes.length; length += count)
			count = readSync(fd, bytes, length, bytes.length - length, from + length);
		if (!end) return { text: bytes.toString("utf8", 0, length), left: Math.max(0, stat.size - length) };
		// the line that was cut into is left out
		const feed = from > 0 ? bytes.subarray(0, length).indexOf(10) : -1;
		if (from > 0 && feed < 0) return { text: "", left: stat.size };
		return { text: bytes.toString("utf8", feed + 1, length), left: from > 0 ? from + feed + 1 : 0 };
	} catch {
		return null;
	} finally {
		if (fd !== undefined) quietly(() => closeSync(fd!));
	}
}
