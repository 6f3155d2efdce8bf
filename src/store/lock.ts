import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { linkText, quietly } from "../files/quietly.ts";
import { coded, errorCode } from "../files/system-failure.ts";
import { inWords, isBusy, isDamaged } from "./database-errors.ts";
import { makeEmpty } from "./database-file.ts";

/**
 * Runs `act` (synchronous) while holding a lock, and gives what it returns. The lock is `file`, an empty database that SQLite holds
 * alone: two processes never have it at once; the kernel frees it when its holder dies, so there is no stale lock. The file stays.
 * Waits `waitMs` for another holder, then throws with code `ELOCKED`. Not re-entrant.
 */
export function withLock<T>(file: string, act: () => T, waitMs: number): T {
	const free = takeLock(file, waitMs);
	try {
		return act();
	} finally {
		free();
	}
}

/** Runs long work of the command line (installing, `ccg gc`) while holding the lock `<file>.lock`; other work goes on while it waits. */
export async function withColdLock<T>(file: string, act: () => Promise<T> | T, { waitMs = 10_000 } = {}): Promise<T> {
	let free: (() => void) | undefined;
	const deadline = performance.now() + waitMs;
	// SQLite's own way of waiting stops the whole process: no progress is shown, and no signal is heard
	while (!free)
		try {
			free = takeLock(`${file}.lock`, 0);
		} catch (error) {
			if (errorCode(error) !== "ELOCKED" || performance.now() >= deadline) throw error;
			await Bun.sleep(10 + Math.random() * 30);
		}
	try {
		return await act();
	} finally {
		free();
	}
}

/** Takes the lock of `file` and gives the function that frees it. Throws with code `ELOCKED` after `waitMs`. */
function takeLock(file: string, waitMs: number): () => void {
	if (linkText(dirname(file)) !== undefined)
		throw new Error(`${dirname(file)} is a symbolic link, and ccg follows none in its store: remove it`);
	makeEmpty(file);
	// loaded here: most processes take no lock
	const { Database } = require("bun:sqlite") as typeof import("bun:sqlite");
	const database = new Database(file, { create: false, readwrite: true });
	try {
		database.run(`PRAGMA busy_timeout = ${waitMs}`);
		database.run("BEGIN EXCLUSIVE");
	} catch (error) {
		database.close();
		if (isDamaged(error)) throw coded("EFOREIGN", `${file} is damaged: delete it, a lock holds nothing`);
		if (!isBusy(error)) throw inWords(error, "the lock", file);
		throw coded("ELOCKED", `another ccg is at work (it holds ${file}); try again when it is done`);
	}
	return () => quietly(() => database.close());
}

/** After so long without a sign of life the lock's holder is dead. */
const STALE_MS = 10_000;

/**
 * Runs `act` while holding a lock that other programs know too: proper-lockfile's folder `<path>.lock`, beside a file that is not ccg's.
 * Waits for it for 15 s, then throws with code `ELOCKED`. Where the folder can't be made, `act` runs without the lock.
 */
export async function withFileLock<T>(path: string, act: () => Promise<T>): Promise<T> {
	// any failure is tried again
	if (quietly(() => accessSync(dirname(path), constants.W_OK) ?? true) !== true) return act();
	const { lock } = await import("proper-lockfile");
	const release = await lock(path, {
		realpath: false,
		stale: STALE_MS,
		retries: { retries: 100, minTimeout: 50, maxTimeout: 150, factor: 1.2 },
		// the file is compared and swapped all the same
		onCompromised: () => {},
	}).catch((error) => {
		if (errorCode(error) !== "ELOCKED") throw error;
		const holder = `it holds ${path}.lock`;
		throw coded("ELOCKED", `${path} is being written by another program (${holder}); run the command again`);
	});
	try {
		return await act();
	} finally {
		await release().catch(() => {});
	}
}
