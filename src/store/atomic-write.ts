import {
	closeSync,
	fchmodSync,
	fsyncSync,
	linkSync,
	mkdirSync,
	openSync,
	renameSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

export interface WriteOptions {
	durable?: boolean;
	sync?: boolean;
	exclusive?: boolean;
}

/**
 * Writes a whole file: temp file beside the target created exclusively, written, fsynced, renamed, folder fsynced when
 * `durable`; `sync: false` spares the fsync where a lost write costs nothing. A reader sees the old bytes or the new ones.
 * `exclusive`: throws `EEXIST` when the name is taken, also by a link. Throws what the file system says; the target is
 * untouched then.
 *
 * `writeFileSync` on a descriptor loops over short writes (measured; `writeSync` and streams publish short files).
 */
export function writeFileAtomic(
	path: string,
	content: string | Uint8Array,
	{ mode = 0o600, durable = false, sync = true, exclusive = false }: WriteOptions & { mode?: number } = {},
): void {
	const folder = dirname(path);
	const temp = join(folder, `.${basename(path)}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`);
	const fd = openInFolder(temp, folder, mode);
	try {
		writeFileSync(fd, content);
		// the umask took nothing from 0600
		if (mode !== 0o600) fchmodSync(fd, mode);
		if (sync) fsyncSync(fd);
		closeSync(fd);
		if (exclusive) linkSync(temp, path);
		else renameSync(temp, path);
	} catch (error) {
		quietly(() => closeSync(fd));
		quietly(() => unlinkSync(temp));
		throw error;
	}
	if (exclusive) quietly(() => unlinkSync(temp));
	if (durable) syncFolder(folder);
}

/** The folder is made only when it is missing: one call less for every other write. */
function openInFolder(path: string, folder: string, mode: number): number {
	try {
		return openSync(path, "wx", mode);
	} catch (error) {
		if ((error as { code?: string }).code !== "ENOENT") throw error;
		makeFolder(folder);
		return openSync(path, "wx", mode);
	}
}

/** A folder of the store: private to the user. */
export function makeFolder(path: string): void {
	mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Makes a rename in the folder last. */
export function syncFolder(path: string): void {
	quietly(() => {
		const fd = openSync(path, "r");
		fsyncSync(fd);
		closeSync(fd);
	});
}

/** Deletes a file; of several that try at once, one gets `true`. */
export function removeOnce(path: string): boolean {
	try {
		unlinkSync(path);
		return true;
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return false;
		throw error;
	}
}

/** For clean-up whose failure changes nothing. */
export function quietly(act: () => void): void {
	try {
		act();
	} catch {
		// nothing to do about it
	}
}
