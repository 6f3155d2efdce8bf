import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { indexPath } from "../../src/store/paths.ts";

/** The search index's files: their bytes are SQLite's own affair. */
export const INDEX_FILE = /\/index\.sqlite(?:-wal|-shm|-journal)?$/;

/**
 * What is wrong with the search index as it was left: `null` where SQLite, that takes in what a killed process wrote beside it, finds
 * every page and every word of it whole. A copy is looked at.
 */
export function indexFault(store: string): string | null {
	const path = indexPath(store);
	if (!existsSync(path)) return null;
	const folder = mkdtempSync(join(tmpdir(), "ccg-index-"));
	try {
		for (const end of ["", "-wal", "-shm"])
			if (existsSync(path + end)) copyFileSync(path + end, join(folder, basename(path) + end));
		const database = new Database(join(folder, basename(path)), { create: false, readwrite: true });
		try {
			const pages = database.query("PRAGMA integrity_check").values() as [string][];
			if (pages[0]?.[0] !== "ok") return `the search index is damaged: ${pages[0]?.[0]}`;
			if (!database.query("SELECT 1 FROM sqlite_schema WHERE name = 'words'").get()) return null;
			database.run("INSERT INTO words(words) VALUES ('integrity-check')");
			const row = database
				.query("SELECT (SELECT sum(many) FROM blocks) AS passages, (SELECT count(*) FROM words_docsize) AS words")
				.get() as { passages: number; words: number };
			return row.passages === row.words ? null : `${row.passages} passages in the index, and the words of ${row.words}`;
		} finally {
			database.close();
		}
	} catch (error) {
		return `the search index: ${error instanceof Error ? error.message : String(error)}`;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
