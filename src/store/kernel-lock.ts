import { closeSync, constants, fstatSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, quietly } from "./atomic-write.ts";
import { libc } from "./libc.ts";

/** No hook waits longer for a lock. */
export const HOOK_WAIT_MS = 200;

/** Between two tries, at random so that those who wait do not march in step: a lock given up is taken within 8 ms. */
const STEP_MS = { least: 2, most: 8 };
const EXCLUSIVE_NOW = 2 | 4; // LOCK_EX | LOCK_NB, the same on Linux and macOS
const UNLOCK = 8;

/**
 * Runs `act` (synchronous) while holding the kernel's lock on `lockFile`, and gives what it returns. The kernel frees the
 * lock when the holder dies, so there is no stale lock; the file stays, or goes with what it protects (`removing`:
 * while it is held, and whoever waited for it looks again, or two holders could lock two files of one name). What is
 * done under it is one read and one write of a small file: about a millisecond, with an fsync as long as the disk
 * takes. Waits 200 ms at most unless told otherwise (the command line takes 2 s) and throws with code `ELOCKED`
 * when the lock is not free by then; a hook appends what it could not write. Not re-entrant. Not for NFS.
 */
export function withLock<T>(
	lockFile: string,
	act: () => T,
	{ waitMs = HOOK_WAIT_MS, removing = false }: { waitMs?: number; removing?: boolean } = {},
): T {
	const deadline = performance.now() + waitMs;
	for (;;) {
		const fd = openLock(lockFile);
		try {
			while (!tryLock(fd)) {
				if (performance.now() >= deadline) throw lockedError(lockFile, waitMs);
				Bun.sleepSync(STEP_MS.least + Math.random() * (STEP_MS.most - STEP_MS.least));
			}
			// who had it before has removed it: others lock another file of that name by now
			if (isRemoved(fd, lockFile)) continue;
			try {
				return act();
			} finally {
				// last of all: who makes the file anew finds everything done
				if (removing) quietly(() => unlinkSync(lockFile));
				flock(fd, UNLOCK);
			}
		} finally {
			closeSync(fd);
		}
	}
}

/** One call where it is not; file systems that count no links are asked for the name's file as well. */
function isRemoved(fd: number, path: string): boolean {
	const stat = fstatSync(fd);
	if (!stat.isFile()) throw new Error(`${path} is no regular file; move it away`);
	const { nlink, ino } = stat;
	return nlink === 0 && statSync(path, { throwIfNoEntry: false })?.ino !== ino;
}

/** Takes the lock on an open file or folder if it is free; closing it gives it back. */
export const tryLock = (fd: number): boolean => flock(fd, EXCLUSIVE_NOW) === 0;

/** Without waiting: a pipe in its place would hold whoever opens it until somebody reads. */
const OPEN = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function openLock(path: string): number {
	try {
		return openSync(path, OPEN, 0o600);
	} catch (error) {
		if ((error as { code?: string }).code !== "ENOENT") throw error;
		makeFolder(dirname(path));
		return openSync(path, OPEN, 0o600);
	}
}

function lockedError(lockFile: string, waitMs: number): Error {
	const message = `${lockFile} could not be locked within ${waitMs} ms: another process holds it; try again when it is done`;
	return Object.assign(new Error(message), { code: "ELOCKED" });
}

type Flock = (fd: number, operation: number) => number;
let loaded: Flock | undefined;

function flock(fd: number, operation: number): number {
	loaded ??= libc({ flock: { args: ["i32", "i32"], returns: "i32" } }).flock;
	return loaded(fd, operation);
}
