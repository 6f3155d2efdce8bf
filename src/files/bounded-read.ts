import { readSync, type Stats } from "node:fs";

const CHUNK = 64 * 1024;

/**
 * What an open file holds, or `null` when that is more than `maxBytes`. Its size is not believed: a file that grows, or one of
 * the kernel's that tells no size, is read up to the bound and no further. Throws what the file system says.
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
