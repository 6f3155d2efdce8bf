import { Database } from "bun:sqlite";
import type { OnProblem, Store } from "../../src/store/session-handle.ts";

/** A store at a root. What its files are like is told to nobody, unless a test listens. */
export const storeAt = (root: string, onProblem: OnProblem = () => {}): Store => ({ root, onProblem });

/** Puts all that stands in a database's log into the file itself. */
export function writeBack(path: string): void {
	using database = new Database(path, { create: false, readwrite: true });
	database.query("PRAGMA wal_checkpoint(TRUNCATE)").values();
}
