import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { tryOrUndefined } from "./quietly.ts";

const CHUNK = 64 * 1024;

/** Gives what `read` makes of a regular file; `null` for anything else. `follow`: also behind a link. Throws what the file system says. */
export function withFile<T>(path: string, follow: boolean, read: (fd: number, stat: Stats) => T): T | null {
	const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW));
	try {
		const stat = fstatSync(fd);
		return stat.isFile() ? read(fd, stat) : null;
	} finally {
		closeSync(fd);
	}
}

/**
 * Reads an open file whole; `null` when it holds more than `maxBytes`. `size` is only a first guess: a file that grows, or a file of
 * the kernel that has size 0, is read up to `maxBytes` and no further. Throws what the file system says.
 */
export function readBounded(fd: number, { size }: Pick<Stats, "size">, maxBytes: number): Buffer | null {
	if (size > maxBytes) return null;
	// room for one byte more than expected, to notice a larger file
	let buffer = Buffer.allocUnsafe(Math.min(maxBytes, size || CHUNK) + 1);
	let filled = 0;
	for (;;) {
		if (filled === buffer.length) {
			if (filled > maxBytes) return null;
			const larger = Buffer.allocUnsafe(Math.min(maxBytes + 1, filled * 2));
			buffer.copy(larger, 0, 0, filled);
			buffer = larger;
		}
		const count = readSync(fd, buffer, filled, buffer.length - filled, null);
		if (count === 0) return buffer.subarray(0, filled);
		filled += count;
	}
}

/** Reads the first `maxBytes` of an open file, or with `fromEnd` the last ones. */
export function readHeadOrTail(fd: number, { size }: Pick<Stats, "size">, maxBytes: number, fromEnd: boolean): Buffer {
	const from = fromEnd ? Math.max(0, size - maxBytes) : 0;
	const bytes = Buffer.allocUnsafe(Math.min(maxBytes, size));
	let length = 0;
	for (let count = -1; count !== 0 && length < bytes.length; length += count)
		count = readSync(fd, bytes, length, bytes.length - length, from + length);
	return bytes.subarray(0, length);
}

/**
 * Reads the first `maxBytes` of a regular file as text, or with `fromEnd` the whole lines in its last `maxBytes`. `unread`: how many
 * bytes of the file are not in the text. `null` when it can't be read. Never throws.
 */
export function readTextPart(path: string, maxBytes: number, { fromEnd = false } = {}) {
	const read = (fd: number, stat: Stats) => {
		const bytes = readHeadOrTail(fd, stat, maxBytes, fromEnd);
		const unread = Math.max(0, stat.size - bytes.length);
		if (!fromEnd || unread === 0) return { text: bytes.toString("utf8"), unread };
		// without the first line, of which only the end was read
		const lineEnd = bytes.indexOf(10);
		if (lineEnd < 0) return { text: "", unread: stat.size };
		return { text: bytes.toString("utf8", lineEnd + 1), unread: unread + lineEnd + 1 };
	};
	return tryOrUndefined(() => withFile(path, true, read)) ?? null;
}
