import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { quietly } from "./quietly.ts";

const CHUNK = 64 * 1024;

/**
 * Opens a regular file and gives what `read` makes of it; `null` for a folder, a device or a FIFO, which is not waited for. Without
 * `follow` no symbolic link is followed. Throws what the file system says.
 */
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
 * the kernel that tells no size, is read up to the bound and no further. Throws what the file system says.
 */
export function readBounded(fd: number, { size }: Pick<Stats, "size">, maxBytes: number): Buffer | null {
	if (size > maxBytes) return null;
	// one byte more than it should hold tells whether that is all
	let buffer = Buffer.allocUnsafe(Math.min(maxBytes, size || CHUNK) + 1);
	let used = 0;
	for (;;) {
		if (used === buffer.length) {
			if (used > maxBytes) return null;
			const larger = Buffer.allocUnsafe(Math.min(maxBytes + 1, used * 2));
			buffer.copy(larger, 0, 0, used);
			buffer = larger;
		}
		const count = readSync(fd, buffer, used, buffer.length - used, null);
		if (count === 0) return buffer.subarray(0, used);
		used += count;
	}
}

/** Reads the first `maxBytes` of an open file, or with `end` its last ones. By position, so that a file of any size costs the same. */
export function readPiece(fd: number, { size }: Pick<Stats, "size">, maxBytes: number, end: boolean): Buffer {
	const from = end ? Math.max(0, size - maxBytes) : 0;
	const bytes = Buffer.allocUnsafe(Math.min(maxBytes, size));
	let length = 0;
	for (let count = -1; count !== 0 && length < bytes.length; length += count)
		count = readSync(fd, bytes, length, bytes.length - length, from + length);
	return bytes.subarray(0, length);
}

/**
 * Reads the first `maxBytes` of a regular file as text, or with `end` the whole lines in its last `maxBytes`. `left`: how many bytes
 * of the file are not in the text. `null` when it can't be read. Never throws.
 */
export function readPart(path: string, maxBytes: number, { end = false } = {}): { text: string; left: number } | null {
	const read = (fd: number, stat: Stats) => {
		const bytes = readPiece(fd, stat, maxBytes, end);
		const left = Math.max(0, stat.size - bytes.length);
		if (!end || left === 0) return { text: bytes.toString("utf8"), left };
		// the line that was cut into is left out
		const feed = bytes.indexOf(10);
		return feed < 0 ? { text: "", left: stat.size } : { text: bytes.toString("utf8", feed + 1), left: left + feed + 1 };
	};
	return quietly(() => withFile(path, true, read)) ?? null;
}
