import { Database, constants as sqlite } from "bun:sqlite";
import { closeSync, constants, lstatSync, openSync, readdirSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeFolder, quietly } from "../atomic-write.ts";
import { withLock } from "../kernel-lock.ts";
import { indexLock, indexPath } from "../paths.ts";

/** Raised when the tables or what stands in them change: an index of another version is set aside and made anew. */
const VERSION = 1;

const TABLES = `
CREATE TABLE sources(
	id INTEGER PRIMARY KEY, tag TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE, project TEXT NOT NULL, session TEXT NOT NULL,
	reached INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT '', rules TEXT NOT NULL DEFAULT '');
CREATE TABLE passages(
	id INTEGER PRIMARY KEY, source INTEGER NOT NULL, pos INTEGER NOT NULL, part INTEGER NOT NULL, at INTEGER NOT NULL,
	kind TEXT NOT NULL, tool TEXT NOT NULL, path TEXT NOT NULL, gone INTEGER NOT NULL DEFAULT 0, text BLOB NOT NULL);
CREATE UNIQUE INDEX passage_place ON passages(source, pos, part);
CREATE VIRTUAL TABLE words USING fts5(text, scope, content='', contentless_delete=1, tokenize='porter unicode61');
CREATE TABLE common(word TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA user_version = ${VERSION};
`;

/** In an index with vectors: a source that loses passages loses them too. */
export const PASSAGE_GONE = `CREATE TRIGGER passage_gone AFTER DELETE ON passages BEGIN
	DELETE FROM vectors WHERE source = old.source;
END`;

/** What runs by itself when a table is read or written, and may go on without end. */
const MADE = "SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('view', 'trigger') AND sql <> ? LIMIT 1";

/** What SQLite says of a file that is no database, or one that is damaged. */
const DAMAGED = new Set([
	"SQLITE_CORRUPT",
	"SQLITE_NOTADB",
	"SQLITE_CORRUPT_VTAB",
	"SQLITE_CORRUPT_INDEX",
	"SQLITE_FORMAT",
]);

/** An index that can't be used: damaged, of another version, or no regular file. */
export class UnusableIndex extends Error {
	constructor(
		message: string,
		/** Made by a newer ccg. */
		readonly isNewer = false,
	) {
		super(message);
	}
}

/**
 * Opens the search index, `<root>/index.sqlite`: a derived file, made of transcripts, notes and checkpoints. The one place that
 * opens a database. Made when it is missing (`create`), else `null`. Throws `UnusableIndex`, or what SQLite says
 * (`SQLITE_BUSY`, `SQLITE_FULL`).
 */
export function openDatabase(root: string, { create, waitMs }: { create: boolean; waitMs: number }): Database | null {
	const path = indexPath(root);
	const foreign = foreignFile(path);
	if (foreign) throw new UnusableIndex(`${foreign} is no regular file of its own`);
	const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	if (!isThere && !create) return null;
	if (!isThere) makeEmpty(root, path);
	let database: Database | undefined;
	try {
		database = new Database(path, { create: false, readwrite: true, strict: true });
		database.run(`PRAGMA busy_timeout = ${waitMs}`);
		const version = versionOf(database);
		if (version !== VERSION && version !== 0)
			throw new UnusableIndex(`${path} is of version ${version}, not ${VERSION}`, version > VERSION);
		if (version === 0) makeTables(database);
		const [made] = database.query(MADE).values(PASSAGE_GONE) as [string][];
		if (made) throw new UnusableIndex(`${path} holds ${made[0]}, which ccg did not put there`);
		database.run("PRAGMA synchronous = NORMAL");
		return database;
	} catch (error) {
		database?.close();
		if (!create && isRefused(error) && isComplete(path)) return openUnchanging(path);
		throw isDamaged(error) ? new UnusableIndex(`${path} is damaged: ${(error as Error).message}`) : error;
	}
}

const ENDS = ["", "-wal", "-shm", "-journal"];

/** Of the database's files the first that is none to be opened: SQLite waits for a FIFO, and writes into what has another name elsewhere. */
const foreignFile = (path: string): string | undefined =>
	ENDS.map((end) => path + end).find((file) => {
		const stat = lstatSync(file, { throwIfNoEntry: false });
		return stat && (!stat.isFile() || stat.nlink > 1);
	});

/** The disk is full, or the store can't be written: SQLite makes files beside the database also for who only reads. */
const isRefused = (error: unknown): boolean =>
	/^SQLITE_(?:IOERR|FULL|CANTOPEN|READONLY)/.test((error as { code?: string }).code ?? "");

/** Nothing lies beside the database that has still to be taken in. */
const isComplete = (path: string): boolean => !lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size;

/** For reading alone, with no file beside it. */
function openUnchanging(path: string): Database {
	const database = new Database(
		`${pathToFileURL(path).href}?immutable=1`,
		sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI,
	);
	database.run("PRAGMA temp_store = MEMORY");
	return database;
}

const WHY: [RegExp, string][] = [
	[/^SQLITE_FULL/, "the disk is full"],
	[/^SQLITE_IOERR/, "the device failed, or the disk is full"],
	[/^SQLITE_(?:READONLY|CANTOPEN|PERM|AUTH)/, "it can't be written"],
	[/^SQLITE_(?:BUSY|LOCKED)/, "another process writes to it; try again when it is done"],
];

/** What SQLite says, in words and with the path; an error of another kind as it is. */
export function indexFailure(error: unknown, root: string): unknown {
	const code = (error as { code?: string }).code ?? "";
	const [, why] = WHY.find(([codes]) => codes.test(code)) ?? [];
	return why
		? Object.assign(new Error(`the search index ${indexPath(root)}: ${why}`, { cause: error }), { code })
		: error;
}

export const isDamaged = (error: unknown): boolean => DAMAGED.has((error as { code?: string }).code ?? "");

/** Another process writes, and went on doing so for as long as was waited. */
export const isBusy = (error: unknown): boolean =>
	/^SQLITE_(?:BUSY|LOCKED)/.test((error as { code?: string }).code ?? "");

const versionOf = (database: Database): number =>
	(database.query("PRAGMA user_version").get() as { user_version: number }).user_version;

/** Private from its first byte; SQLite gives its other files the same rights. Under the lock: not while an old one is put aside. */
function makeEmpty(root: string, path: string): void {
	makeFolder(dirname(indexLock(root)));
	withLock(indexLock(root), () =>
		quietly(() => closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600))),
	);
}

/** Of several that open a new index at once one makes the tables, and the others find them. */
function makeTables(database: Database): void {
	// what the words' merging leaves free goes back to the disk
	database.run("PRAGMA auto_vacuum = INCREMENTAL");
	database.run("PRAGMA journal_mode = WAL");
	database
		.transaction(() => {
			if (versionOf(database) === 0) database.run(TABLES);
		})
		.immediate();
}

/** Tells an index from the one that is made after it. */
export const indexIdentity = (root: string): number | undefined =>
	lstatSync(indexPath(root), { throwIfNoEntry: false })?.ino;

/**
 * Puts an index that can't be used out of the way, with what belongs to it; the next opening makes a new one. Whoever has it open
 * keeps it. Gives its new name; `null` where somebody else did it, and another one than `identity` is there.
 */
export function setIndexAside(root: string, identity: number | undefined, now: Date): string | null {
	const path = indexPath(root);
	const name = `${path}.damaged-${now.toISOString().replace(/\D/g, "").slice(0, 14)}`;
	return withLock(indexLock(root), () => {
		if (indexIdentity(root) !== identity) return null;
		// the one before tells nothing that this one does not
		for (const old of asideFiles(root)) quietly(() => unlinkSync(old));
		// a folder can't be unlinked, and one that bears this very name stays
		let aside = name;
		for (let n = 2; lstatSync(aside, { throwIfNoEntry: false }); n++) aside = `${name}-${n}`;
		for (const end of ENDS) quietly(() => renameSync(path + end, aside + end));
		return aside;
	});
}

/** The files of the index that was set aside last, the database first; no folder that stood in its place: it holds nothing of ours. */
function asideFiles(root: string): string[] {
	const path = indexPath(root);
	const names = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.damaged-`));
	return names
		.sort()
		.map((name) => join(dirname(path), name))
		.filter((one) => !lstatSync(one, { throwIfNoEntry: false })?.isDirectory());
}

/** Deletes it: it may hold what is to go, and reading the transcripts again loses nothing. */
export function dropIndexAside(root: string): void {
	for (const path of asideFiles(root)) unlinkSync(path);
}

/** Of each transcript that the index set aside last held, as far as it still tells, the key of its project. */
export function transcriptsAside(root: string): Map<string, string> {
	const found = new Map<string, string>();
	const [path = ""] = asideFiles(root);
	if (!path || foreignFile(path)) return found;
	let database: Database | undefined;
	quietly(() => {
		database = new Database(path, { create: false, readwrite: true });
		const rows = database.query("SELECT path, project FROM sources WHERE path LIKE '%.jsonl'").values();
		// without a name it would be every project's
		for (const [one, project] of rows)
			if (typeof one === "string" && typeof project === "string" && project !== "") found.set(one, project);
	});
	// (`using` is syntax that Node 22 and older versions of Bun refuse with the whole bundle)
	quietly(() => database?.close());
	return found;
}
