import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { constants, copyFileSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { oncePerProcess } from "../core/redact/one-process.ts";
import { type Exact, exact, type Safe } from "../core/redact/secrets.ts";
import { isoDigits } from "../core/text/text.ts";
import { tryLstat, tryOrUndefined } from "../files/quietly.ts";
import { codedError, errorCode } from "../files/system-failure.ts";
import { explainSqliteError, findErrorReason, isBusy, isDamaged } from "./database-errors.ts";
import { hasDatabase, makeEmptyDatabase, readContentStamp, readInode } from "./database-file.ts";
import { withLock } from "./lock.ts";
import { databasePath } from "./paths.ts";
import type { Store } from "./session-handle.ts";

/** Raised when the tables or their content change: a database of another version is moved aside and made anew. */
const SCHEMA_VERSION = 6;

/**
 * Values are JSON. `cycles`: each session's project, when anything of it was written last, and its cycle. `records`: with a number that
 * rises with each write. `checkpoints`: `value` is sealed, `report` what its compaction left of the user's words, `about` what lists show.
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
PRAGMA user_version = ${SCHEMA_VERSION};
`;
const STORE_SCHEMA = { version: SCHEMA_VERSION, sql: TABLES };

/** How long a hook waits for other writers. */
const HOOK_WAIT_MS = 6_000;
/** A process that waited so long and got no turn does not wait again for NO_WAIT_MS: a hook opens the store several times. */
const LONG_WAIT_MS = 1_000;
const NO_WAIT_MS = 20_000;
const lastWait = oncePerProcess("waited", { failedAt: -Infinity });

/** A larger value is not read: ccg writes none. */
export const MAX_VALUE_BYTES = 6 * 1024 * 1024;

/** Reads the JSON in the column `value` of one row, selected as in `cycles WHERE session = ?`; `null` where it is missing, damaged or too large. */
export function readJsonValue<T>(store: Store, row: string, name: string, waitMs?: number): T | null {
	const sql = `SELECT value FROM ${row} AND length(value) <= ${MAX_VALUE_BYTES}`;
	const [value] = readFromStore(store, (database) => database.query(sql).values(name), waitMs)?.flat() ?? [];
	return tryOrUndefined(() => JSON.parse(value as string)) ?? null;
}

/** A database whose type lets only redacted or exact text into a row. */
export type SafeDatabase = Omit<Database, "query" | "run"> & {
	run(sql: string): void;
	query<Row, Given extends SQLQueryBindings[]>(
		sql: string,
	): Omit<Statement<Row, Given>, "run"> & {
		run(...values: (Safe | Exact | Uint8Array | number | bigint | null)[]): ReturnType<Statement["run"]>;
	};
};
/** Gives a database the type `SafeDatabase`. */
export const asSafeDatabase = (database: Database): SafeDatabase => database as unknown as SafeDatabase;

/** The database that this process keeps open for its next calls, as long as the file at the path is the same. */
const cache = oncePerProcess("open", { opened: null as OpenedDatabase | null });
type OpenedDatabase = { path: string; inode: number | null; database: Database };

/**
 * Runs `act` as one transaction: all that it writes is on the disk when this returns, or nothing. Inside another transaction it is a part of
 * that one. Waits up to `waitMs` for another writer, then throws. Throws what `act` throws, and why the store can't be written.
 */
export function writeToStore<T>(store: Store, act: (database: SafeDatabase) => T, waitMs = HOOK_WAIT_MS): T {
	return withDatabase(store, { waitMs, create: true }, (database, waitLeftMs) => {
		if (database.inTransaction) return act(asSafeDatabase(database));
		beginTransaction(database, waitLeftMs);
		try {
			const result = act(asSafeDatabase(database));
			database.run("COMMIT");
			return result;
		} catch (error) {
			tryOrUndefined(() => database.run("ROLLBACK"));
			throw error;
		}
	})!;
}

/** Begins a write transaction; tries again after short random sleeps. With SQLite's own, longer ones some of thirty processes never get a turn. */
function beginTransaction(database: Database, waitMs: number): void {
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
	// COMMIT waits for readers
	database.run(`PRAGMA busy_timeout = ${waitMs}`);
}

/** Gives what `act` reads from the database; `null` where there is no store yet. Throws what SQLite says, with the path. */
export function readFromStore<T>(store: Store, act: (database: SafeDatabase) => T, waitMs = HOOK_WAIT_MS): T | null {
	return withDatabase(store, { waitMs, create: false }, (database) => act(asSafeDatabase(database)));
}

/** The store's content stamp; `null` while this process has the database open: closing the file once more would free its locks. */
export function databaseStamp(root: string): string | null {
	if (cache.opened?.path === databasePath(root)) return null;
	return readContentStamp(databasePath(root));
}

/** Runs `act` with the store's database, opened before or now; `null` where there is none. A damaged one is replaced by its copy, and `act` runs again. */
function withDatabase<T>(store: Store, opening: Opening, act: (database: Database, waitMs: number) => T): T | null {
	const path = databasePath(store.root);
	if (cache.opened?.path === path && cache.opened.database.inTransaction) return act(cache.opened.database, 0);
	const waitMs = performance.now() - lastWait.failedAt < NO_WAIT_MS ? 0 : opening.waitMs;
	for (let tries = 1; ; tries++) {
		const { ino: inode = null, size = 0 } = tryLstat(path) ?? {};
		/** Replaces the file by its copy, under a lock, unless another process has just done that. */
		const replace = (damage?: unknown): void => {
			const replaceSame = () => readInode(path) === inode && replaceByCopy(store, path, damage);
			withLock(join(store.root, "run", "store.lock"), replaceSame, waitMs);
		};
		try {
			// SQLite takes a file of one byte for a new one
			const isNew = size < 2;
			if (isNew || cache.opened?.path !== path || cache.opened.inode !== inode) {
				closeDatabase();
				if (isNew && readInode(`${path}.copy`) !== null) replace();
				const database = openChecked(path, STORE_SCHEMA, { create: opening.create, waitMs });
				if (!database) return null;
				cache.opened = { path, inode: readInode(path), database };
			}
			cache.opened.database.run(`PRAGMA busy_timeout = ${waitMs}; PRAGMA synchronous = NORMAL`);
			return act(cache.opened.database, waitMs);
		} catch (error) {
			if (isBusy(error) && waitMs >= LONG_WAIT_MS) lastWait.failedAt = performance.now();
			closeDatabase();
			const isReplaced = inode !== null && readInode(path) !== inode;
			if (tries > 2 || !(isReplaced || isDamaged(error))) throw explainSqliteError(error, "the store", path);
			replace(error);
		}
	}
}

/** Closes the database that this process keeps open. */
function closeDatabase(): void {
	tryOrUndefined(() => cache.opened?.database.close());
	cache.opened = null;
}

interface Opening {
	waitMs: number;
	create: boolean;
}

/** How a table begins that SQLite or its full-text search makes beside ccg's. */
const SQLITE_TABLE = /^CREATE TABLE '?(?:words|sqlite)_\w+'?\((?:[\w ,]|\([\w ,]+\))*\)(?: WITHOUT ROWID)?$/;

/**
 * Opens a database, and checks that its tables are those of `sql`; makes it with `create`, else gives `null` where there is none. `isWal`:
 * readers do not wait for writers; not on network homes. Throws what SQLite says, and with a code: `ELOOP` where the file is a link, `ENEWER`
 * for a later version, `EFOREIGN` for an earlier one, and for anything ccg did not make: views and triggers run by themselves.
 */
export function openChecked(
	path: string,
	{ version, sql, isWal = false }: { version: number; sql: string; isWal?: boolean },
	{ create, waitMs }: Opening,
): Database | null {
	if (create) makeEmptyDatabase(path);
	else if (!hasDatabase(path)) return null;
	const database = openFile(path, { create, waitMs });
	try {
		const found = readSchemaVersion(database);
		const advice = "begin a new session, or update this one";
		if (found > version) throw codedError("ENEWER", `${path} was written by a newer ccg (${found}); ${advice}`);
		if (found !== version && found !== 0)
			throw codedError("EFOREIGN", `${path} is of version ${found}, and this ccg reads ${version}`);
		const schema = database.query("SELECT sql FROM sqlite_schema").values() as [string | null][];
		if (schema.some(([statement]) => statement && !sql.includes(`${statement};`) && !isSqliteTable(statement)))
			throw codedError("EFOREIGN", `${path} holds what ccg did not put there`);
		if (found === 0 && isWal && create) database.run("PRAGMA journal_mode = WAL");
		if (found === 0 && create)
			database.transaction(() => readSchemaVersion(database) === 0 && database.run(sql)).immediate();
		if (found !== 0 || create) return database;
		database.close();
		return null;
	} catch (error) {
		database.close();
		throw error;
	}
}

/** Whether a statement of the schema makes a table of SQLite's own, without computed columns or checks. */
const isSqliteTable = (sql: string): boolean => SQLITE_TABLE.test(sql) && !/\bAS\b|\bCHECK\b/i.test(sql);

/** Opens a database file; one that can't be written only for reading. */
function openFile(path: string, { create, waitMs }: Opening): Database {
	// loaded here: most processes open no database
	const { Database, constants: flags } = require("bun:sqlite") as typeof import("bun:sqlite");
	try {
		const database = new Database(path, { create: false, readwrite: true, strict: true });
		database.run(`PRAGMA busy_timeout = ${waitMs}`);
		// only a statement shows whether the file may be written
		database.query("SELECT count(*) FROM sqlite_schema").get();
		return database;
	} catch (error) {
		// opened as immutable, a database lacks the changes in the log beside it
		const hasLog = !!lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size;
		if (create || !findErrorReason(error) || isBusy(error) || hasLog) throw error;
		const uri = `file:${path.replace(/[%?#]/g, encodeURIComponent)}?immutable=1`;
		const database = new Database(uri, flags.SQLITE_OPEN_READONLY | flags.SQLITE_OPEN_URI);
		database.run("PRAGMA temp_store = MEMORY");
		return database;
	}
}

/** The version that the database's tables were made with; 0 for a new one. */
const readSchemaVersion = (database: Database): number =>
	(database.query("PRAGMA user_version").get() as { user_version: number }).user_version;

/** Moves a damaged database to another name, so that its bytes are not lost, and reports it. */
function moveDamagedAside({ onProblem }: Store, path: string, damage: unknown): void {
	const aside = `${path}.damaged-${isoDigits(new Date())}`;
	// the journal first: SQLite would play it back into the next database
	tryOrUndefined(() => renameSync(`${path}-journal`, `${aside}-journal`));
	// copied, not renamed: a process that has it open would use the next database's journal
	copyFileSync(path, aside, constants.COPYFILE_EXCL);
	rmSync(path);
	const what = errorCode(damage) === "EFOREIGN" ? (damage as Error).message : `${path} was damaged`;
	onProblem(`the store ${what}; kept as ${aside}`);
}

/** Puts the last copy in the database's place, unless the copy is damaged too; moves the database aside where `damage` is given. */
function replaceByCopy(store: Store, path: string, damage: unknown): void {
	if (damage) moveDamagedAside(store, path, damage);
	const copy = `${path}.copy`;
	try {
		const database = openChecked(copy, STORE_SCHEMA, { create: false, waitMs: 0 });
		if (!database) return;
		checkIntegrity(asSafeDatabase(database));
		database.close();
		// SQLite would apply it to the copy
		rmSync(`${path}-journal`, { force: true });
		const draft = draftPath(path);
		copyFileSync(copy, draft);
		renameSync(draft, path);
		store.onProblem(`the store ${path} is made of its copy of the last day`);
	} catch (error) {
		if (!isDamaged(error)) throw error;
		moveDamagedAside(store, copy, error);
	}
}

/** The temp path at which a file is written before it is renamed to `path`. */
const draftPath = (path: string): string => `${path}.${process.pid}.${Date.now().toString(36)}.tmp`;

/** Throws where any part of a database is damaged (21 ms for 50 MB). */
function checkIntegrity(database: SafeDatabase): void {
	const [[verdict]] = database.query("PRAGMA integrity_check(1)").values() as [[string]];
	if (verdict !== "ok") throw codedError("SQLITE_CORRUPT", String(verdict));
}

/** Copies the store's database to `<path>.copy`, unless it is damaged. Throws what SQLite says. */
export function copyStore(store: Store): void {
	const path = databasePath(store.root);
	const draft = draftPath(`${path}.copy`);
	readFromStore(store, (database) => {
		checkIntegrity(database);
		makeEmptyDatabase(draft);
		database.query("VACUUM INTO ?").run(exact(draft));
	});
	tryOrUndefined(() => renameSync(draft, `${path}.copy`));
}
