import { lstatSync, rmdirSync, rmSync } from "node:fs";
import type { Exact, Safe } from "../core/redact/secrets.ts";
import { errorCode } from "../files/system-failure.ts";
import { asSafeDatabase, openChecked, type SafeDatabase } from "../store/database.ts";
import { explainSqliteError, isDamaged } from "../store/database-errors.ts";
import { databaseFiles, makeEmptyDatabase, readIdentity } from "../store/database-file.ts";
import { indexPath } from "../store/paths.ts";
import type { Passage } from "./passage.ts";

/** Raised when the tables or what stands in them change: an index of an older version is made anew. */
const VERSION = 10;

/**
 * A block holds passages of a source, packed together: in a row of its own a short message took four times its text. Its id is that of its
 * first passage, the others follow; `last` is where its last one stands, `since` and `until` are the first and last times in it, `gone` has
 * a bit for each that lies on a branch that was left. `compacted`: where the last compaction of a transcript stands.
 */
const TABLES = `
CREATE TABLE sources(
	id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, project TEXT NOT NULL, session TEXT NOT NULL,
	reached INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT '', compacted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE blocks(
	id INTEGER PRIMARY KEY AUTOINCREMENT, source INTEGER NOT NULL, last INTEGER NOT NULL, many INTEGER NOT NULL,
	since INTEGER NOT NULL, until INTEGER NOT NULL, gone INTEGER NOT NULL DEFAULT 0, passages BLOB NOT NULL);
CREATE INDEX blocks_of_source ON blocks(source, last);
CREATE INDEX blocks_by_time ON blocks(until, since);
CREATE VIRTUAL TABLE words USING fts5(text, project, content='', contentless_delete=1, tokenize='porter unicode61 categories ''L* N* M*''');
CREATE TABLE vectors(passage INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL);
PRAGMA user_version = ${VERSION};
`;

/**
 * Opens the search index, `<root>/index.sqlite`: a derived file, made of transcripts, notes and checkpoints, so never synced. Made when it is missing
 * (`create`), else `null`. Throws what SQLite says (`SQLITE_BUSY`, `SQLITE_FULL`), and an error that `isIndexUnusable` knows.
 */
export function openDatabase(root: string, how: { create: boolean; waitMs: number }): SafeDatabase | null {
	if (how.create) makeEmptyDatabase(indexPath(root));
	const made = openChecked(indexPath(root), { version: VERSION, sql: TABLES }, how);
	made?.run("PRAGMA synchronous = OFF");
	return made && asSafeDatabase(made);
}

/** The error for an index that holds what ccg did not write there. */
export const foreignIndexError = (message: string): Error => Object.assign(new Error(message), { code: "EFOREIGN" });

/** Whether an error says that the index has to be made anew: damaged, not ours, of an older version, no regular file. */
export const isIndexUnusable = (error: unknown): boolean => isDamaged(error) || errorCode(error) === "ELOOP";

/** SQLite's error in words, with the path of the index; an error of another kind as it is. */
export const indexError = (error: unknown, root: string): unknown =>
	explainSqliteError(error, "the search index", indexPath(root));

/**
 * Deletes an index that can't be used, with what belongs to it; the next opening makes a new one, and whoever has it open keeps it.
 * Does nothing where the file has another `identity` by now: it is a new index. Throws where a folder that is not empty has its name.
 */
export function deleteIndex(root: string, identity: string | null): void {
	// itself last: until then nobody makes a new one
	for (const path of databaseFiles(indexPath(root))) {
		if (readIdentity(indexPath(root)) !== identity) return;
		const stat = lstatSync(path, { throwIfNoEntry: false });
		if (stat?.isDirectory()) rmdirSync(path);
		else if (stat) rmSync(path, { force: true });
	}
}

/** A project's key as a word of the index, so that a search by words ranks passages of that project alone. */
export const projectWord = (key: string): string =>
	`p${new Bun.CryptoHasher("sha256").update(key).digest("hex").slice(0, 16)}x`;

/** Passages of one block, and the characters after which it is full: all of it is unpacked to read one. (Of more than 53 the bits of `gone` are no number.) */
export const [BLOCK_PASSAGES, BLOCK_CHARACTERS] = [48, 6_000];

/** Packs passages: each as `pos` and `at` (their distances from the one before), part, kind, tool, path and text. (As small as with zlib's level 4, in two thirds of the time.) */
export const packBlock = (
	passages: readonly (readonly [number, number, number, Exact, Safe, Safe, Safe])[],
): Uint8Array => Bun.deflateSync(Buffer.from(JSON.stringify(passages)), { level: 1, library: "libdeflate" });

/** None of ours comes near; packed to as much, others hold 67 MB at most. */
const MAX_BYTES = 65_536;

/** Unpacks the passages of a block. Throws what a damaged index throws where they are none of ours. */
export function unpackBlock(bytes: unknown): Passage[] {
	try {
		const packed = bytes as Uint8Array<ArrayBuffer>;
		const json = packed.length > MAX_BYTES ? packed : Bun.inflateSync(packed);
		if (json.length > MAX_BYTES) throw new Error("too large");
		const rows: Parameters<typeof packBlock>[0] = JSON.parse(new TextDecoder().decode(json));
		let [pos, at] = [0, 0];
		return rows.map(([posDistance, part, atDistance, kind, tool, path, text]) => {
			[pos, at] = [pos + posDistance, at + atDistance];
			const areTexts = [kind, tool, path, text].every((one) => typeof one === "string");
			if (!areTexts || !Number.isSafeInteger(pos + part + at)) throw new Error("no passage");
			return { pos, part, at, kind: kind as string as Passage["kind"], tool, path, text };
		});
	} catch {
		throw foreignIndexError("a passage can't be unpacked");
	}
}
