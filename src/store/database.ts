import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { constants, copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { oncePerProcess } from "../core/redact/one-process.ts";
import { type Exact, exact, type Safe } from "../core/redact/secrets.ts";
import { isoDigits } from "../core/text/text.ts";
import { fileSize, isOnLocalDisk, tryOrUndefined } from "../files/quietly.ts";
import { codedError, errorCode } from "../files/system-failure.ts";
import { flushToDisk } from "./atomic-write.ts";
import { explainSqliteError, isBusy, isDamaged } from "./database-errors.ts";
import { hasDatabase, makeEmptyDatabase, readIdentity } from "./database-file.ts";
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
const WAIT_MS = 6_000;
/** A process that waited a second in vain does not wait again for so long: a hook opens the store several times. */
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

/** The databases that this process has open, by path, each with the identity of its file. */
const opened = oncePerProcess("databases", { all: new Map<string, { identity: string | null; database: Database }>() });

/**
 * Runs `act` as one transaction: all that it writes is kept when this returns, or nothing; if it is `durable`, also should the machine fail. Is
 * part of the transaction around it, if any. Waits up to `waitMs` for another writer. Throws what `act` throws, and why nothing was written.
 */
export function writeToStore<T>(store: Store, act: (database: SafeDatabase) => T, waitMs?: number, durable = false): T {
	return withDatabase(store, { waitMs, create: true }, (database) => {
		if (database.inTransaction) return act(asSafeDatabase(database));
		database.run("BEGIN IMMEDIATE");
		try {
			const result = act(asSafeDatabase(database));
			database.run("COMMIT");
			if (durable) flushToDisk(`${databasePath(store.root)}-wal`);
			return result;
		} catch (error) {
			tryOrUndefined(() => database.run("ROLLBACK"));
			throw error;
		}
	})!;
}

/** Gives what `act` reads from the database; `null` where there is no store yet. Throws what SQLite says, with the path. */
export function readFromStore<T>(store: Store, act: (database: SafeDatabase) => T, waitMs?: number): T | null {
	return withDatabase(store, { waitMs, create: false }, (database) => act(asSafeDatabase(database)));
}

/** Runs `act` with the store's database, opened before or now; `null` where there is none. A damaged one is replaced by its copy, and `act` runs again. */
function withDatabase<T>(store: Store, opening: Opening, act: (database: Database) => T): T | null {
	const path = databasePath(store.root);
	const known = opened.all.get(path)?.database;
	if (known?.inTransaction) return act(known);
	const waitMs = performance.now() - lastWait.failedAt < NO_WAIT_MS ? 0 : (opening.waitMs ?? WAIT_MS);
	for (let tries = 1; ; tries++) {
		const identity = readIdentity(path);
		/** Replaces the file by its copy, or makes an empty one, under a lock, unless another process has just done that. */
		const replace = (damage?: unknown): void => {
			const isSame = () => readIdentity(path) === identity && (damage || fileSize(path) < 2);
			withLock(join(store.root, "run", "store.lock"), () => isSame() && replaceByCopy(store, path, damage), waitMs);
		};
		try {
			// SQLite takes a file of one byte for a new one
			const isNew = fileSize(path) < 2;
			if (isNew) closeDatabase(path);
			if (isNew && (opening.create || readIdentity(`${path}.copy`) !== null)) replace();
			const database = openChecked(path, STORE_SCHEMA, { ...opening, waitMs });
			if (isNew && database) flushToDisk(store.root);
			// with a file but none in it another process is at it
			if (database || identity === null || tries > 2) return database && act(database);
		} catch (error) {
			if (isBusy(error) && waitMs >= 1_000) lastWait.failedAt = performance.now();
			closeDatabase(path);
			const isReplaced = identity !== null && readIdentity(path) !== identity;
			if (tries > 2 || !(isReplaced || isDamaged(error))) throw explainSqliteError(error, "the store", path);
			replace(error);
		}
	}
}

/** Closes a database where this process has it open. */
export function closeDatabase(path: string): void {
	tryOrUndefined(() => opened.all.get(path)?.database.close());
	opened.all.delete(path);
}

/** Writes a database's log back where it is long: each process that opens the database alone reads all of it. Waits for nobody. */
export function shortenLog(database: SafeDatabase, path: string): void {
	if (fileSize(`${path}-wal`) > MAX_LOG_BYTES) database.run("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
}
const MAX_LOG_BYTES = 1024 * 1024;

type Opening = { waitMs?: number | undefined; create: boolean };

/** How a table begins that SQLite or its full-text search makes beside ccg's. */
const SQLITE_TABLE = /^CREATE TABLE '?(?:words|sqlite)_\w+'?\((?:[\w ,]|\([\w ,]+\))*\)(?: WITHOUT ROWID)?$/;

/**
 * Gives the database at a path that this process has open, as long as the file is the same; else opens it, and checks that its tables are those
 * of `sql`. Makes those with `create`; gives `null` where there is no file. On a local disk it has a log (WAL): readers do not wait. Throws what
 * SQLite says, and with a code: `ELOOP` where the file is a link, `ENEWER` for a later version, `EFOREIGN` for an earlier one, and for what ccg
 * did not make: views and triggers run by themselves.
 */
export function openChecked(
	path: string,
	{ version, sql }: { version: number; sql: string },
	{ create, waitMs = WAIT_MS }: Opening,
): Database | null {
	const known = opened.all.get(path);
	if (known?.identity && known.identity === readIdentity(path)) {
		known.database.run(`PRAGMA busy_timeout = ${waitMs}`);
		return known.database;
	}
	closeDatabase(path);
	if (!hasDatabase(path)) return null;
	// loaded here: most processes open no database
	const { Database, constants: flags } = require("bun:sqlite") as typeof import("bun:sqlite");
	let identity = readIdentity(path);
	let database = new Database(path, { create: false, readwrite: true, strict: true });
	if (!process.listeners("exit").includes(keepLogs)) process.on("exit", keepLogs);
	try {
		database.run(`PRAGMA busy_timeout = ${waitMs}`);
		// without it, whoever closes a database whose file was replaced deletes the next one's log
		database.fileControl(flags.SQLITE_FCNTL_PERSIST_WAL, 1);
		if (!create && tryOrUndefined(() => readSchemaVersion(database)) === undefined) {
			// with the disk full the index of its log can't be written: it is read without, and opened again for the next call
			database.close();
			const how = fileSize(`${path}-wal`) > 0 ? "readonly_shm" : "immutable";
			const uri = `file:${path.replace(/[%?#]/g, encodeURIComponent)}?${how}=1`;
			[database, identity] = [new Database(uri, flags.SQLITE_OPEN_READONLY | flags.SQLITE_OPEN_URI), null];
		}
		opened.all.set(path, { identity, database });
		const found = readSchemaVersion(database);
		// the log was opened by its name: it would be that of another database
		if (identity && readIdentity(path) !== identity) throw codedError("EFOREIGN", `${path} was replaced just now`);
		const advice = "begin a new session, or update this one";
		if (found > version) throw codedError("ENEWER", `${path} was written by a newer ccg (${found}); ${advice}`);
		if (found !== version && found !== 0)
			throw codedError("EFOREIGN", `${path} is of version ${found}, and this ccg reads ${version}`);
		const schema = database.query("SELECT sql FROM sqlite_schema").values() as [string | null][];
		if (schema.some(([statement]) => statement && !sql.includes(`${statement};`) && !isSqliteTable(statement)))
			throw codedError("EFOREIGN", `${path} holds what ccg did not put there`);
		database.run(`PRAGMA synchronous = ${found === 0 ? "OFF" : "NORMAL"}`);
		if ((create || found !== 0) && isOnLocalDisk(path)) tryOrUndefined(() => database.run("PRAGMA journal_mode = WAL"));
		if (found === 0 && create) {
			database.transaction(() => readSchemaVersion(database) === 0 && database.run(sql)).immediate();
			// whole in the file itself, before anything is written to its log
			closeDatabase(path);
			flushToDisk(path);
			return openChecked(path, { version, sql }, { create, waitMs });
		}
		if (found !== 0 || create) return database;
		closeDatabase(path);
		return null;
	} catch (error) {
		closeDatabase(path);
		throw error;
	}
}

/** Keeps the process's end from writing the logs back: Bun does so, but not in a transaction; SQLite, where the last closes that may write. */
function keepLogs(): void {
	const { Database } = require("bun:sqlite") as typeof import("bun:sqlite");
	const hold = (database: Database) => tryOrUndefined(() => database.run("BEGIN; SELECT 1 FROM sqlite_schema"));
	for (const [path, { database }] of opened.all)
		if (hold(database)) tryOrUndefined(() => hold(new Database(path, { readonly: true })));
}

/** Whether a statement of the schema makes a table of SQLite's own, without computed columns or checks. */
const isSqliteTable = (sql: string): boolean => SQLITE_TABLE.test(sql) && !/\bAS\b|\bCHECK\b/i.test(sql);

/** The version that the database's tables were made with; 0 for a new one. */
const readSchemaVersion = (database: Database): number =>
	(database.query("PRAGMA user_version").get() as { user_version: number }).user_version;

/** Moves a damaged database to another name, so that its bytes are not lost, and reports it. */
function moveDamagedAside({ onProblem }: Store, path: string, damage: unknown): void {
	const aside = `${path}.damaged-${isoDigits(new Date())}`;
	// the logs first: SQLite would play them back into the next database
	for (const end of ["-journal", "-wal"]) tryOrUndefined(() => renameSync(path + end, aside + end));
	// copied, not renamed: a process that has it open would use the next database's journal
	copyFileSync(path, aside, constants.COPYFILE_EXCL);
	for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
	const what = errorCode(damage) === "EFOREIGN" ? (damage as Error).message : `${path} was damaged`;
	onProblem(`the store ${what}; kept as ${aside}`);
}

/** Puts the last copy in the database's place, unless the copy is damaged too; moves the database aside where `damage` is given. */
function replaceByCopy(store: Store, path: string, damage: unknown): void {
	if (damage) moveDamagedAside(store, path, damage);
	const copy = `${path}.copy`;
	try {
		const database = openChecked(copy, STORE_SCHEMA, { create: false, waitMs: 0 });
		if (!database) return makeEmptyDatabase(path);
		checkIntegrity(asSafeDatabase(database));
		closeDatabase(copy);
		// SQLite would apply them to the copy
		for (const end of ["-journal", "-wal", "-shm"]) rmSync(path + end, { force: true });
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
