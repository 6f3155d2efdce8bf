import { exact, safeJson } from "../core/redact/secrets.ts";
import { COMMAND_WAIT_MS, openTables, type Rows, rowsOf } from "../store/database.ts";

const VERSION = 3;

/**
 * `batches`: as they came, signed; one that was withheld has no bytes. `heads`: of each machine the last batch that was applied, its hash,
 * and the last that anybody says to have seen. `live`: the values that nothing known replaces; without a value, what was replaced before it
 * came. `base`: the same as snapshots say it, in the place of batches. `own`: what of this machine was offered, and from which value on it
 * stands here; notes in the order of their file. `projects`: which of this machine's are shared, as what. `facts`: single values.
 */
const TABLES = `
CREATE TABLE batches(
	machine TEXT NOT NULL, seq INTEGER NOT NULL, project TEXT, hash TEXT NOT NULL, bytes BLOB NOT NULL,
	PRIMARY KEY(machine, seq)) WITHOUT ROWID;
CREATE TABLE heads(machine TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, seen INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE live(
	id TEXT NOT NULL, machine TEXT NOT NULL, item TEXT NOT NULL, field TEXT NOT NULL, value TEXT, clock TEXT NOT NULL,
	project TEXT, PRIMARY KEY(id, item, field)) WITHOUT ROWID;
CREATE INDEX live_by_item ON live(item, field);
CREATE INDEX live_by_clock ON live(clock);
CREATE INDEX gone ON live(id) WHERE value IS NULL;
CREATE TABLE base(
	id TEXT NOT NULL, machine TEXT NOT NULL, item TEXT NOT NULL, field TEXT NOT NULL, value TEXT, clock TEXT NOT NULL,
	project TEXT NOT NULL, PRIMARY KEY(id, item, field)) WITHOUT ROWID;
CREATE TABLE own(
	item TEXT PRIMARY KEY, place TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL, base TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE projects(key TEXT PRIMARY KEY, id TEXT NOT NULL, folder TEXT NOT NULL, kinds TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE facts(name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
PRAGMA user_version = ${VERSION};
`;

/** What this machine knows of the space it shares; `null` where it shares none and none is to be made. */
export function openSync(path: string, create: boolean): { rows: Rows; close(): void } | null {
	const made = openTables(path, { version: VERSION, sql: TABLES }, { create, waitMs: COMMAND_WAIT_MS });
	return made && { rows: rowsOf(made.database), close: () => made.database.close() };
}

/** One step: all of it is on the disk when this returns, or nothing. In a step that runs already it is a part of that one. */
export const inStep = <T>(rows: Rows, act: () => T): T =>
	rows.inTransaction ? act() : rows.transaction(act).immediate();

/** A value kept under a name; `undefined` where there is none. */
export function factOf<T>(rows: Rows, name: string): T | undefined {
	const [row] = rows.query("SELECT value FROM facts WHERE name = ?").values(name);
	return row && JSON.parse(row[0] as string);
}

/** `isExact`: keys and ids alone, which must read as they are. */
export function keepFact(rows: Rows, name: string, value: unknown, isExact = false): void {
	const json = isExact ? JSON.stringify(value) : safeJson({ value }).slice('{"value":'.length, -1);
	rows.query("INSERT OR REPLACE INTO facts VALUES(?, ?)").run(exact(name), exact(json));
}
