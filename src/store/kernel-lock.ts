import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "./atomic-write.ts";
import { libc } from "./libc.ts";

const STEP_MS = 5;
const EXCLUSIVE_NOW = 2 | 4; // LOCK_EX | LOCK_NB, the same on Linux and macOS
const UNLOCK = 8;

/**
 * Runs `act` (synchronous) while holding the kernel's lock on `lockFile`, and gives what it returns. The kernel frees the
 * lock when the holder dies, so there is no stale lock; the file is never unlinked, or two holders could lock two files
 * of one name. Throws with code `ELOCKED` when the lock is not free within `waitMs`. Not re-entrant.
 */
export function withLock<T>(lockFile: string, act: () => T, { waitMs = 2000 }: { waitMs?: number } = {}): T {
	makeFolder(dirname(lockFile));
	const fd = openSync(lockFile, "a", 0o600);
	try {
		const deadline = performance.now() + waitMs;
		while (flock(fd, EXCLUSIVE_NOW) !== 0) {
			if (performance.now() >= deadline) throw lockedError(lockFile, waitMs);
			Bun.sleepSync(STEP_MS);
		}
		try {
			return act();
		} finally {
			flock(fd, UNLOCK);
		}
	} finally {
		closeSync(fd);
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
