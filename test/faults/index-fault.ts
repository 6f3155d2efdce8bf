import { Database } from "bun:sqlite";
import { copyFileSync, existsSync } from "node:fs";
import { basename, join } from "node:path";
import { indexPath } from "../../src/store/paths.ts";
import { scratch } from "../scratch-home.ts";

/**
 * What is wrong with the search index as it was left: `null` where SQLite, that takes in what a killed process wrote beside it, finds
 * every page and every word of it whole. A copy is looked at.
 */
export function indexFault(store: string): string | null {
	const path = indexPath(store);
	const copy = join(scratch("index-copy"), basename(path));
	for (const end of ["", "-wal", "-shm"]) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
	using database = new Database(copy, { create: false, readwrite: true });
	const [[pages]] = database.query("PRAGMA integrity_check").values() as [[string]];
	if (pages !== "ok") return `the search index is damaged: ${pages}`;
	database.run("INSERT INTO words(words) VALUES ('integrity-check')");
	const counts = "SELECT (SELECT sum(many) FROM blocks), (SELECT count(*) FROM words_docsize)";
	const [[passages, words]] = database.query(counts).values() as [[number, number]];
	return passages === words ? null : `${passages} passages in the index, and the words of ${words}`;
}
