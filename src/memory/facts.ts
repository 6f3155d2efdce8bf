import { basename, dirname, join } from "node:path";
import { exact, safeJson } from "../core/redact/secrets.ts";
import { fromStore, inStore } from "../store/database.ts";
import { parseObject, readText } from "../store/json-file.ts";
import type { Store } from "../store/session-handle.ts";
import { cleanText, noteKey, notesIn, textOf } from "./notes.ts";

/** What ccg knows of one note beside its text. In the store and not in MEMORY.md, because people's files keep their bytes. */
export interface NoteFact {
	/** When ccg saved it, ISO 8601. */
	saved?: string;
	/** The branch that was checked out then. */
	branch?: string;
	/** The last day (UTC, `YYYY-MM-DD`) it was told at a session's start, found or shown. */
	used?: string;
}

/** Notes of a folder whose facts are kept, those touched last. */
const MOST = 1_000;

/** Names a note by its text: case, white space and the bullet do not count. A number, in which nothing can be redacted. */
export function noteId(text: string): number {
	const hash = new Bun.CryptoHasher("sha256").update(noteKey(cleanText(text))).digest("hex");
	return Number.parseInt(hash.slice(0, 12), 16);
}

/** What is known of the notes of a folder, by `noteId`; nothing of one whose row is damaged. Never throws. */
export function readFacts(store: Store, folder: string): Map<number, NoteFact> {
	const rows = quietly(() =>
		fromStore(store, (database) => database.query("SELECT id, value FROM notes WHERE folder = ?").values(folder)),
	) as [number, string][] | null;
	return new Map(rows?.map(([id, value]) => [id, quietly(() => parseObject(value)) ?? {}]));
}

/** Adds to what is known of notes of a folder. Never throws. */
export function keepFacts(store: Store, folder: string, ids: readonly number[], fact: NoteFact): void {
	const value = safeJson(fact);
	quietly(() =>
		inStore(store, (database) => {
			const keep = database.query(`INSERT OR REPLACE INTO notes SELECT ?1, ?2, json_patch(
				coalesce((SELECT value FROM notes WHERE folder = ?1 AND id = ?2 AND json_valid(value)), '{}'), ?3)`);
			for (const id of ids) keep.run(exact(folder), id, value);
			database
				.query(
					`DELETE FROM notes WHERE folder = ?1 AND rowid <= (
						SELECT rowid FROM notes WHERE folder = ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2)`,
				)
				.run(exact(folder), MOST);
		}),
	);
}

/** Never throws. */
export const forgetFacts = (store: Store, folder: string, id: number): void =>
	void quietly(() =>
		inStore(store, (database) =>
			database.query("DELETE FROM notes WHERE folder = ? AND id = ?").run(exact(folder), id),
		),
	);

/** The note counts, not what is known of it: a store that can't be used costs ages and uses alone. */
function quietly<T>(act: () => T): T | null {
	try {
		return act();
	} catch {
		return null;
	}
}

/**
 * Keeps that notes were used today, by the folder of their MEMORY.md: told at a session's start, found, shown. Nothing is written when
 * that is known. In UTC: to ask for the clock of the user's place costs a session's start two milliseconds. Never throws.
 */
export function keepUse(store: Store, used: ReadonlyMap<string, readonly number[]>, now: Date): void {
	const day = now.toISOString().slice(0, 10);
	for (const [folder, ids] of used) {
		const known = readFacts(store, folder);
		const fresh = ids.filter((id) => (known.get(id)?.used ?? "") < day);
		if (fresh.length > 0) keepFacts(store, folder, fresh, { used: day });
	}
}

/** So much of a note's beginning must stand in what is shown: an excerpt may end within it. */
const BEGINNING = 60;
const MAX_BYTES = 1024 * 1024;
/** Notes of a file that are looked for, the newest. */
const MOST_LOOKED = 500;

/** The same for those whose beginning can be read in what was shown of a MEMORY.md of ccg's: not a log, not Claude Code's own. */
export function keepShown(store: Store, shown: readonly { source: string; text: string }[], now: Date): void {
	for (const { source: path, text } of shown) {
		if (!path.startsWith(join(store.root, "/")) || basename(path) !== "MEMORY.md") continue;
		const notes = notesIn(readText(path, MAX_BYTES) ?? "").slice(-MOST_LOOKED);
		const read = notes.filter(({ lines }) => text.includes(lines[0]!.slice(0, BEGINNING).trimEnd()));
		keepUse(store, new Map([[dirname(path), read.map((note) => noteId(textOf(note)))]]), now);
	}
}
