import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { constants, copyFileSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ofProcess } from "../core/redact/one-process.ts";
import { type Exact, exact, type Safe } from "../core/redact/secrets.ts";
import { isoDigits } from "../core/text/text.ts";
import { quietLstat, quietly } from "../files/quietly.ts";
import { coded, errorCode } from "../files/system-failure.ts";
import { inWords, isBusy, isDamaged, whyRefused } from "./database-errors.ts";
import { inodeOf, isThere, makeEmpty, stampOf } from "./database-file.ts";
import { withLock } from "./lock.ts";
import { databasePath } from "./paths.ts";
import type { Store } from "./session-handle.ts";

/** Raised when the tables or their content change: a database of an earlier version is set aside and made anew. */
const VERSION = 6;

/**
 * Values are JSON. `cycles`: each session's row: its project, when anything of it was written last, and where its cycle stands,
 * small. `records`: what is known of a session, with a number that rises with each write. `checkpoints`: `value` is
 * sealed, `report` what its compaction left of the user's words. `about` is what lists show.
 */
const TABLES = `
CREATE TABLE cycles(session TEXT PRIMARY KEY, at INTEGER NOT NULL, value TEXT NOT NULL, project TEXT NOT NULL DEFAULT '');
CREATE INDEX cycles_by_time ON cycles(at, session);
CREATE INDEX cycles_of_project ON cycles(project, at, session);
CREATE TABLE records(session TEXT PRIMARY KEY, number INTEGER NOT NULL, about TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE checkpoints(
	id INTEGER PRIMARY KEY, session TEXT NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL, project TEXT NOT NULL,
	about TEXT NOT NULL, value TEXT NOT NULL, report TEXT, UNIQUE(session, key));
CREATE INDEX checkpoints_of_project ON checkpoints(project);
CREATE TABLE heard(session TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY(session, hash)) WITHOUT ROWID;
CREATE TABLE restores(target TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = ${VERSION};
`;
const STORE = { version: VERSION, sql: TABLES };

/** A hook waits no longer for other writers. A transaction takes three turns of the disk; 64 processes at once wait for seconds. */
const HOOK_WAIT_MS = 6_000;
/** After so long a wait in vain a process does not wait again for a while (a hook asks several times). */
const LONG_MS = 1_000;
const IN_VAIN_MS = 20_000;
const waited = ofProcess("waited", { inVainAt: -Infinity });

/** A larger value is not read: ccg writes none. */
export const MAX_VALUE = 6 * 1024 * 1024;

/** The JSON value in one row, as in `cycles WHERE session = ?`; `null` without one, and for one that is damaged or too large. */
export function jsonIn<T>(database: Rows, rows: string, name: string): T | null {
	const [row] = database.query(`SELECT value FROM ${rows} AND length(value) <= ${MAX_VALUE}`).values(name);
	return quietly(() => JSON.parse(row?.[0] as string)) ?? null;
}

/** The database with typed writes: only text that was redacted, or is exact, can go into a row. */
export type Rows = Omit<Database, "query" | "run"> & {
	run(sql: string): void;
	query<Row, Given extends SQLQueryBindings[]>(
		sql: string,
	): Omit<Statement<Row, Given>, "run"> & {
		run(...values: (Safe | Exact | Uint8Array | number | bigint | null)[]): ReturnType<Statement["run"]>;
	};
};
export const asRows = (database: Database): Rows => database as unknown as Rows;

/** The database that this process keeps open for its next calls, as long as the file at the path is the same. */
const open = ofProcess<{
	kept: { path: string; inode: number | null; database: Database } | null;
}>("open", { kept: null });

/**
 * Runs `act` as one transaction of the store's only writer: all of what it writes is on the disk when this returns, or nothing. Waits
 * for another writer, then throws `SQLITE_BUSY`; throws what `act` throws, and why the store can't be written, with the path.
 * Not for long work: others wait. In a transaction that runs already it is a part of that one.
 */
export function inStore<T>(store: Store, act: (database: Rows) => T, waitMs = HOOK_WAIT_MS): T {
	return used(store, { waitMs, create: true }, (database, left) => {
		if (database.inTransaction) return act(asRows(database));
		beginWriting(database, left);
		try {
			const result = act(asRows(database));
			database.run("COMMIT");
			return result;
		} catch (error) {
			quietly(() => database.run("ROLLBACK"));
			throw error;
		}
	})!;
}

/** Begins a write transaction; tries again after short random sleeps. SQLite's own sleeps grow: some of thirty processes would never get in. */
function beginWriting(database: Database, waitMs: number): void {
	const from = performance.now();
	database.run("PRAGMA busy_timeout = 0");
	for (;;)
		try {
			database.run("BEGIN IMMEDIATE");
			break;
		} catch (error) {
			if (!isBusy(error) || performance.now() >= from + waitMs) throw error;
			Bun.sleepSync(1 + Math.random() * 6);
		}
	// the last step waits for those who read
	database.run(`PRAGMA busy_timeout = ${waitMs}`);
}

/** Gives what `act` reads from the database; `null` where there is no store yet. Throws what SQLite says, with the path. */
export function fromStore<T>(store: Store, act: (database: Rows) => T, waitMs = HOOK_WAIT_MS): T | null {
	return used(store, { waitMs, create: false }, (database) => act(asRows(database)));
}

/** Names what the database holds (`stampOf`); `null` while this process has it open: to close a file takes away the process's locks on it. */
export function databaseStamp(root: string): string | null {
	if (open.kept?.path === databasePath(root)) return null;
	return stampOf(databasePath(root));
}

/** Runs `act` with the open database; `null` without one. A damaged one is replaced by its copy or an empty one, and `act` runs again. */
function used<T>(store: Store, how: Opening, act: (database: Database, waitMs: number) => T): T | null {
	const path = databasePath(store.root);
	if (open.kept?.path === path && open.kept.database.inTransaction) return act(open.kept.database, 0);
	const waitMs = performance.now() - waited.inVainAt < IN_VAIN_MS ? 0 : how.waitMs;
	for (let tries = 1; ; tries++) {
		const { ino: inode = null, size = 0 } = quietLstat(path) ?? {};
		/** Replaces the file by its copy, under a lock, unless another process did meanwhile: its new file must not be replaced again. */
		const replace = (why?: unknown): void => {
			const replaceSame = () => inodeOf(path) === inode && replaceByCopy(store, path, why);
			withLock(join(store.root, "run", "store.lock"), replaceSame, waitMs);
		};
		try {
			// SQLite takes a file of one byte for a new one
			const isNew = size < 2;
			if (isNew || open.kept?.path !== path || open.kept.inode !== inode) {
				close();
				if (isNew && inodeOf(`${path}.copy`) !== null) replace();
				const database = openTables(path, STORE, { create: how.create, waitMs });
				if (!database) return null;
				open.kept = { path, inode: inodeOf(path), database };
			}
			open.kept.database.run(`PRAGMA busy_timeout = ${waitMs}; PRAGMA synchronous = NORMAL`);
			return act(open.kept.database, waitMs);
		} catch (error) {
			if (isBusy(error) && waitMs >= LONG_MS) waited.inVainAt = performance.now();
			close();
			const isOther = inode !== null && inodeOf(path) !== inode;
			if (tries > 2 || !(isOther || isDamaged(error))) throw inWords(error, "the store", path);
			replace(error);
		}
	}
}

/** Closes what this process keeps open. */
function close(): void {
	quietly(() => open.kept?.database.close());
	open.kept = null;
}

interface Opening {
	waitMs: number;
	create: boolean;
}

/** Tables that SQLite and its full-text search make beside ccg's. */
const BESIDE = /^CREATE TABLE '?(?:words|sqlite)_\w+'?\((?:[\w ,]|\([\w ,]+\))*\)(?: WITHOUT ROWID)?$/;

/**
 * Opens a database of ccg's, with these tables; `null` where there is none and none is to be made. `isWal`: readers do not wait for
 * writers; not on network homes. A database that can't be written is opened for reading alone.
 * Throws what SQLite says, and with a code: `ELOOP` where it is no regular file of its own, `ENEWER`, `EFOREIGN` where it is not as ccg
 * makes it: a view, a trigger, a column that is computed run by themselves, and may go on without end.
 */
export function openTables(
	path: string,
	{ version, sql, isWal = false }: { version: number; sql: string; isWal?: boolean },
	{ create, waitMs }: Opening,
): Database | null {
	if (create) makeEmpty(path);
	else if (!isThere(path)) return null;
	const database = openFile(path, { create, waitMs });
	try {
		const found = versionOf(database);
		const newer = "was written by a newer ccg";
		if (found > version) throw coded("ENEWER", `${path} ${newer} (${found}); begin a new session, or update this one`);
		if (found !== version && found !== 0)
			throw coded("EFOREIGN", `${path} is of version ${found}, and this ccg reads ${version}`);
		const schema = database.query("SELECT sql FROM sqlite_schema").values() as [string | null][];
		if (schema.some(([own]) => own && !sql.includes(`${own};`) && !isBeside(own)))
			throw coded("EFOREIGN", `${path} holds what ccg did not put there`);
		if (found === 0 && isWal && create) database.run("PRAGMA journal_mode = WAL");
		if (found === 0 && create) database.transaction(() => versionOf(database) === 0 && database.run(sql)).immediate();
		if (found !== 0 || create) return database;
		database.close();
		return null;
	} catch (error) {
		database.close();
		throw error;
	}
}

const isBeside = (sql: string): boolean => BESIDE.test(sql) && !/\bAS\b|\bCHECK\b/i.test(sql);

/** Opens a database file; one that can't be written is opened for reading alone. */
function openFile(path: string, { create, waitMs }: Opening): Database {
	// loaded here: most processes open no database
	const { Database, constants: flags } = require("bun:sqlite") as typeof import("bun:sqlite");
	try {
		const database = new Database(path, { create: false, readwrite: true, strict: true });
		database.run(`PRAGMA busy_timeout = ${waitMs}`);
		// (a file that may not be written is told by the first statement only)
		database.query("SELECT count(*) FROM sqlite_schema").get();
		return database;
	} catch (error) {
		// opened so, the changes in a log beside it would be missing
		const isComplete = !lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size;
		if (create || !whyRefused(error) || isBusy(error) || !isComplete) throw error;
		const uri = `file:${path.replace(/[%?#]/g, encodeURIComponent)}?immutable=1`;
		const database = new Database(uri, flags.SQLITE_OPEN_READONLY | flags.SQLITE_OPEN_URI);
		database.run("PRAGMA temp_store = MEMORY");
		return database;
	}
}

const versionOf = (database: Database): number =>
	(database.query("PRAGMA user_version").get() as { user_version: number }).user_version;

/** Moves a damaged database to another name, so that its bytes stay. Transcripts are read again; the rest is as in the last copy. */
function setAside({ tell }: Store, path: string, why: unknown): void {
	const aside = `${path}.damaged-${isoDigits(new Date())}`;
	// the journal first: SQLite would play it back into the next database
	quietly(() => renameSync(`${path}-journal`, `${aside}-journal`));
	// copied, since a process that has it open would take the next database's journal for its own
	copyFileSync(path, aside, constants.COPYFILE_EXCL);
	rmSync(path);
	const what = errorCode(why) === "EFOREIGN" ? (why as Error).message : `${path} was damaged`;
	tell(`the store ${what}; kept as ${aside}`);
}

/** Sets a damaged database aside, where `why` is given, and puts the last copy in its place, unless the copy is damaged too. */
function replaceByCopy(store: Store, path: string, why: unknown): void {
	if (why) setAside(store, path, why);
	const copy = `${path}.copy`;
	try {
		const database = openTables(copy, STORE, { create: false, waitMs: 0 });
		if (!database) return;
		checkWhole(asRows(database));
		database.close();
		// SQLite would play it back into the copy
		rmSync(`${path}-journal`, { force: true });
		// (the copy stays: the next loss may come before the next one is made)
		const next = draftOf(path);
		copyFileSync(copy, next);
		renameSync(next, path);
		store.tell(`the store ${path} is made of its copy of the last day`);
	} catch (error) {
		if (!isDamaged(error)) throw error;
		setAside(store, copy, error);
	}
}

const draftOf = (path: string): string => `${path}.${process.pid}.${Date.now().toString(36)}.tmp`;

/** Checks the whole database (21 ms for 50 MB) and throws where it is damaged: else damage in unread parts would go into the copy too. */
function checkWhole(database: Rows): void {
	const [[verdict]] = database.query("PRAGMA integrity_check(1)").values() as [[string]];
	if (verdict !== "ok") throw coded("SQLITE_CORRUPT", String(verdict));
}

/** Copies the store beside itself, once a day and when a person saves a checkpoint. Throws what SQLite says. */
export function copyStore(store: Store): void {
	const path = databasePath(store.root);
	const next = draftOf(`${path}.copy`);
	fromStore(store, (database) => {
		checkWhole(database);
		makeEmpty(next);
		database.query("VACUUM INTO ?").run(exact(next));
	});
	quietly(() => renameSync(next, `${path}.copy`));
}
