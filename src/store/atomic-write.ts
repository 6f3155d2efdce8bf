import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Writes a whole file: temp file beside the target created exclusively, written, fsynced, renamed, folder fsynced when
 * `durable`; `sync: false` spares the fsync where a lost write costs nothing. A reader sees the old bytes or the new ones. Throws what the file system says; the target is untouched then.
 *
 * `writeFileSync` on a descriptor loops over short writes (measured; `writeSync` and streams publish short files).
 */
export function writeFileAtomic(
	path: string,
	content: string | Uint8Array,
	{ mode = 0o600, durable = false, sync = true }: { mode?: number; durable?: boolean; sync?: boolean } = {},
): void {
	const folder = dirname(path);
	makeFolder(folder);
	const temp = join(folder, `.${basename(path)}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`);
	const fd = openSync(temp, "wx", mode);
	try {
		writeFileSync(fd, content);
		fchmodSync(fd, mode);
		if (sync) fsyncSync(fd);
		closeSync(fd);
		renameSync(temp, path);
	} catch (error) {
		quietly(() => closeSync(fd));
		quietly(() => unlinkSync(temp));
		throw error;
	}
	if (durable) syncFolder(folder);
}

/** A folder of the store: private to the user. */
export function makeFolder(path: string): void {
	mkdirSync(path, { recursive: true, mode: 0o700 });
}

function syncFolder(path: string): void {
	quietly(() => {
		const fd = openSync(path, "r");
		fsyncSync(fd);
		closeSync(fd);
	});
}

/** For clean-up whose failure changes nothing. */
export function quietly(act: () => void): void {
	try {
		act();
	} catch {
		// nothing to do about it
	}
}
