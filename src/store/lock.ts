import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { readLinkTarget, tryOrUndefined } from "../files/quietly.ts";
import { codedError, errorCode } from "../files/system-failure.ts";
import { explainSqliteError, isBusy, isDamaged } from "./database-errors.ts";
import { makeEmptyDatabase } from "./database-file.ts";

/** Runs `act` with a lock on `file`, an empty database: the kernel frees it. Throws with code `ELOCKED` after `waitMs` in vain. */
export function withLock<T>(file: string, act: () => T, waitMs: number): T {
	const release = acquireLock(file, waitMs);
	try {
		return act();
	} finally {
		release();
	}
}

/** Runs long work of a command (install, `ccg gc`) while holding the lock `<file>.lock`; waits for that without blocking the process. */
export async function withLongLock<T>(file: string, act: () => Promise<T> | T, { waitMs = 10_000 } = {}): Promise<T> {
	let release: (() => void) | undefined;
	const deadline = performance.now() + waitMs;
	// SQLite's own waiting blocks the process: no progress is shown, no signal handled
	while (!release)
		try {
			release = acquireLock(`${file}.lock`, 0);
		} catch (error) {
			if (errorCode(error) !== "ELOCKED" || performance.now() >= deadline) throw error;
			await Bun.sleep(10 + Math.random() * 30);
		}
	try {
		return await act();
	} finally {
		release();
	}
}

/** Takes the lock on `file` and gives the function that releases it. Throws with code `ELOCKED` after `waitMs`. */
function acquireLock(file: string, waitMs: number): () => void {
	if (readLinkTarget(dirname(file)) !== undefined)
		throw new Error(`${dirname(file)} is a symbolic link, and ccg follows none in its store: remove it`);
	makeEmptyDatabase(file);
	// loaded here: most processes take no lock
	const { Database } = require("bun:sqlite") as typeof import("bun:sqlite");
	const database = new Database(file, { create: false, readwrite: true });
	try {
		database.run(`PRAGMA busy_timeout = ${waitMs}`);
		database.run("BEGIN EXCLUSIVE");
	} catch (error) {
		database.close();
		if (isDamaged(error)) throw codedError("EFOREIGN", `${file} is damaged: delete it, a lock holds nothing`);
		if (!isBusy(error)) throw explainSqliteError(error, "the lock", file);
		throw codedError("ELOCKED", `another ccg is at work (it holds ${file}); try again when it is done`);
	}
	return () => tryOrUndefined(() => database.close());
}

/** After so long without a sign of life the lock's holder is dead. */
const STALE_MS = 10_000;

/**
 * Runs `act` while holding a lock that other programs respect too: proper-lockfile's folder `<path>.lock`, beside a file that is not ccg's.
 * Waits 15 s, then throws with code `ELOCKED`. Where the folder can't be made, runs `act` without the lock.
 */
export async function withFileLock<T>(path: string, act: () => Promise<T>): Promise<T> {
	if (tryOrUndefined(() => accessSync(dirname(path), constants.W_OK) ?? true) !== true) return act();
	const { lock } = await import("proper-lockfile");
	const release = await lock(path, {
		realpath: false,
		stale: STALE_MS,
		retries: { retries: 100, minTimeout: 50, maxTimeout: 150, factor: 1.2 },
		// the caller compares the file's bytes before it replaces them
		onCompromised: () => {},
	}).catch((error) => {
		if (errorCode(error) !== "ELOCKED") throw error;
		const holder = `it holds ${path}.lock`;
		throw codedError("ELOCKED", `${path} is being written by another program (${holder}); run the command again`);
	});
	try {
		return await act();
	} finally {
		await release().catch(() => {});
	}
}
