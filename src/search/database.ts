import { lstatSync, rmdirSync, rmSync } from "node:fs";
import { errorCode } from "../files/system-failure.ts";
import { filesOf, inodeOf, inWords, isDamaged, openTables, type Rows, rowsOf } from "../store/database.ts";
import { indexPath } from "../store/paths.ts";

/** Raised when the tables or what stands in them change: an index of an older version is made anew. */
const VERSION = 3;

const TABLES = `
CREATE TABLE sources(
	id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, project TEXT NOT NULL, session TEXT NOT NULL,
	reached INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT '');
CREATE TABLE passages(
	id INTEGER PRIMARY KEY AUTOINCREMENT, source INTEGER NOT NULL, pos INTEGER NOT NULL, part INTEGER NOT NULL, at INTEGER NOT NULL,
	kind TEXT NOT NULL, tool TEXT NOT NULL, path TEXT NOT NULL, gone INTEGER NOT NULL DEFAULT 0, text BLOB NOT NULL);
CREATE UNIQUE INDEX passage_place ON passages(source, pos, part);
CREATE VIRTUAL TABLE words USING fts5(text, project, content='', contentless_delete=1, tokenize='porter unicode61');
CREATE TABLE vectors(passage INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL);
PRAGMA user_version = ${VERSION};
`;

/**
 * Opens the search index, `<root>/index.sqlite`: a derived file, made of transcripts, notes and checkpoints. Made when it is missing
 * (`create`), else `null`. Throws what SQLite says (`SQLITE_BUSY`, `SQLITE_FULL`), and an error that `isUnusable` knows.
 */
export function openDatabase(root: string, how: { create: boolean; waitMs: number }): Rows | null {
	const made = openTables(indexPath(root), { version: VERSION, sql: TABLES, isWal: true }, how);
	made?.database.run("PRAGMA synchronous = NORMAL");
	return made && rowsOf(made.database);
}

/** What stands in the index is not ours. */
export const unusable = (message: string): Error => Object.assign(new Error(message), { code: "EFOREIGN" });

/** An index to be made anew: damaged, not ours, of an older version, no regular file. */
export const isUnusable = (error: unknown): boolean => isDamaged(error) || errorCode(error) === "ELOOP";

/** What SQLite says, in words and with the path; an error of another kind as it is. */
export const indexFailure = (error: unknown, root: string): unknown =>
	inWords(error, "the search index", indexPath(root));

/** Tells an index from the one that is made after it. */
export const indexIdentity = (root: string): number | null => inodeOf(indexPath(root));

/**
 * Deletes an index that can't be used, with what belongs to it; the next opening makes a new one, and whoever has it open keeps it.
 * Left alone where another than `identity` is there by now. Throws where a folder that is not empty stands in its place.
 */
export function deleteIndex(root: string, identity: number | null): void {
	// itself last: until then nobody makes a new one
	for (const path of filesOf(indexPath(root))) {
		if (indexIdentity(root) !== identity) return;
		const stat = lstatSync(path, { throwIfNoEntry: false });
		if (stat?.isDirectory()) rmdirSync(path);
		else if (stat) rmSync(path, { force: true });
	}
}

/** The project as a word of the index: what is not asked for is never ranked. */
export const projectWord = (key: string): string =>
	`p${new Bun.CryptoHasher("sha256").update(key).digest("hex").slice(0, 16)}x`;

/** Texts are packed one by one, so that each is read without the others. (As small as with zlib's level 4, in two thirds of the time.) */
export const packed = (text: string): Uint8Array =>
	Bun.deflateSync(Buffer.from(text), { level: 1, library: "libdeflate" });

/** None of ours comes near; packed to as much, others hold 67 MB at most. */
const MAX_BYTES = 65_536;

export function unpacked(bytes: unknown): string {
	try {
		if (bytes instanceof Uint8Array && bytes.length <= MAX_BYTES) {
			const text = Bun.inflateSync(bytes as Uint8Array<ArrayBuffer>);
			if (text.length <= MAX_BYTES) return Buffer.from(text).toString("utf8");
		}
	} catch {
		// told below
	}
	throw unusable("a passage can't be unpacked");
}
