import { closeSync, constants, fstatSync, mkdirSync, openSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { quietly } from "./atomic-write.ts";
import { tryLock } from "./kernel-lock.ts";

/** A holder shows every 5 s that it lives; where the kernel's lock does not reach, one that has not for 30 s is taken over. */
const UPDATE_MS = 5_000;
const STALE_MS = 30_000;

interface ColdLockOptions {
	waitMs?: number;
	/** Go on without it where the lock can't be made (a store that can't be written). */
	ifPossible?: boolean;
	onLost?(reason: Error): void;
}

/**
 * Runs long asynchronous work of the command line (installing, `ccg gc`) while holding `<lockFile>.lock`. Waits up to
 * `waitMs`, then throws with code `ELOCKED`.
 *
 * Two locks, because neither does alone. proper-lockfile's (`held` in that folder, kept fresh) also counts where the
 * kernel's does not reach, but: a killed holder blocks the next one for 30 s; a holder that blocks its event loop, or is
 * stopped, that long is taken over while it still works, and so is a live one when the clock jumps; of two that take over
 * one stale lock at once both can win (moxystudio/node-proper-lockfile#121). So the kernel's lock on the folder comes
 * first: it is free at once when its holder dies, and who has it knows that a `held` left there is a dead one's. The work
 * must be safe without either all the same: settings are compared and swapped, `gc` renames before it deletes. A lock lost
 * meanwhile is told to `onLost`, not thrown from a timer. No hook uses this.
 */
export async function withColdLock<T>(
	lockFile: string,
	act: () => Promise<T> | T,
	{ waitMs = 10_000, ifPossible = false, onLost = () => {} }: ColdLockOptions = {},
): Promise<T> {
	let release = async (): Promise<void> => {};
	try {
		release = await acquire(lockFile, waitMs, onLost);
	} catch (error) {
		if (!ifPossible || (error as { code?: string }).code === "ELOCKED") throw error;
	}
	try {
		return await act();
	} finally {
		await release();
	}
}

/** Gives how to release it. */
async function acquire(
	lockFile: string,
	waitMs: number,
	onLost: (reason: Error) => void,
): Promise<() => Promise<void>> {
	// 15 ms that only these commands pay
	const { lock } = await import("proper-lockfile");
	const folder = `${lockFile}.lock`;
	const options = { realpath: false, stale: STALE_MS, update: UPDATE_MS, onCompromised: onLost };
	const deadline = performance.now() + waitMs;
	for (;;) {
		const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
		const gate = enter(folder);
		if (gate) {
			// whoever left it is dead, or the gate would be shut
			rmSync(join(folder, "held"), { recursive: true, force: true });
			const release = await lock(lockFile, { ...options, lockfilePath: join(folder, "held") });
			return async () => {
				await release().catch(() => {});
				removeEmpty(folder, made);
				gate();
			};
		}
		if (performance.now() >= deadline) throw lockedError(folder);
		await Bun.sleep(50 + Math.random() * 100);
	}
}

/** The kernel's lock on the folder; `null` while somebody alive has it, or when the folder was removed meanwhile. */
function enter(folder: string): (() => void) | null {
	const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
	if (tryLock(fd) && statSync(folder, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino) return () => closeSync(fd);
	closeSync(fd);
	return null;
}

/** Work that wrote nothing leaves no folders behind that were made for its lock alone. */
function removeEmpty(folder: string, made: string | undefined): void {
	quietly(() => {
		for (let at = folder; made && at.startsWith(made); at = dirname(at)) rmdirSync(at);
	});
}

/** What Claude Code takes for a lock whose holder is dead (measured on 2.1.330). */
const FOREIGN_STALE_MS = 10_000;

/**
 * Runs `act` while holding the lock that another program puts beside a file it writes: proper-lockfile's folder `<path>.lock`, which
 * Claude Code makes for each write of `.claude.json` and waits for. Waits for it up to `waitMs`, then throws with code `ELOCKED`.
 */
export async function withFileLock<T>(path: string, act: () => Promise<T>, { waitMs = 15_000 } = {}): Promise<T> {
	const { lock } = await import("proper-lockfile");
	const release = await lock(path, {
		realpath: false,
		stale: FOREIGN_STALE_MS,
		update: FOREIGN_STALE_MS / 5,
		retries: { retries: Math.ceil(waitMs / 150), minTimeout: 50, maxTimeout: 150, factor: 1.2 },
		// the file is compared and swapped all the same
		onCompromised: () => {},
	}).catch((error) => {
		if ((error as { code?: string }).code !== "ELOCKED") throw error;
		const message = `${path} is being written by another program (it holds ${path}.lock); run the command again`;
		throw Object.assign(new Error(message), { code: "ELOCKED" });
	});
	try {
		return await act();
	} finally {
		await release().catch(() => {});
	}
}

function lockedError(folder: string): Error {
	const message = `another ccg is at work (it holds ${folder}); run the command again when it is done`;
	return Object.assign(new Error(message), { code: "ELOCKED" });
}
