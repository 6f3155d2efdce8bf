import { rmSync } from "node:fs";
import { exact, safeJson } from "../../core/redact/secrets.ts";
import { type Cycle, knownOf } from "../../core/session/cycle.ts";
import type { UsageRecord } from "../../core/session/status.ts";
import { quietly } from "../../files/quietly.ts";
import { forgetProfile } from "../config.ts";
import { databaseStamp, fromStore, inStore, jsonIn, type Rows } from "../database.ts";
import { isSessionId } from "../paths.ts";
import { readUsage } from "../pressure/flags.ts";
import type { Session, Store } from "../session-handle.ts";

/** Reads a session's cycle; gives an empty one where the store has none. Throws why the store can't be read. */
export const readCycle = (session: Session, waitMs?: number): Cycle =>
	fromStore(session, (database) => jsonIn<Cycle>(database, "cycles WHERE session = ?", session.id), waitMs) ?? {};

/**
 * Changes a session's cycle in one transaction and gives the result of `change`. Of several callers at once, each sees the change of the one
 * before it. `change` works in place; what else it writes to the store is part of the transaction.
 */
export function changeCycle<T>(session: Session, change: (cycle: Cycle) => T, waitMs?: number): T {
	const write = (database: Rows) => {
		const cycle = readCycle(session);
		const before = JSON.stringify(cycle);
		const result = change(cycle);
		const { place, shared } = cycle;
		const value = safeJson(cycle, { ...(place && { place }), ...(shared && { shared }) });
		if (value !== before) database.query(WRITE).run(session.id, Date.now(), value);
		return result;
	};
	return inStore(session, write, waitMs);
}

const WRITE =
	"INSERT INTO cycles(session, at, value) VALUES(?1, ?2, ?3) ON CONFLICT(session) DO UPDATE SET at = ?2, value = ?3";

/** The part of a session's cycle that measurements use, and the database's stamp when it was read. */
export type Known = Pick<UsageRecord, "cycle" | "stamp">;

/**
 * Gives the cycle that the last measurement kept, if nothing was written to the store since (same stamp); else reads it. Opening the database
 * costs more than all else that a status line does. Throws why the store can't be read.
 */
export function knownCycle(session: Session, last: Known | null = readUsage(session), waitMs?: number): Known {
	// before the row is read: a row newer than its stamp is only read once more
	const stamp = databaseStamp(session.root);
	if (last && stamp !== null && last.stamp === stamp) return last;
	return { stamp, cycle: knownOf(readCycle(session, waitMs)) };
}

/** The known cycle for a measurement, which no database may delay: where the store can't be read soon, the `last` one. */
export const cycleOrLast = (session: Session, last: Known | null = readUsage(session)): Known =>
	quietly(() => knownCycle(session, last, MEASURE_WAIT_MS)) ?? { stamp: null, cycle: last?.cycle ?? knownOf({}) };
const MEASURE_WAIT_MS = 100;

/** Notes that something of a session was written now; makes its row in `cycles` where it has none. */
export const touchSession = (database: Rows, { id }: Session): void =>
	void database
		.query("INSERT INTO cycles(session, at, value) VALUES(?1, ?2, '{}') ON CONFLICT DO UPDATE SET at = ?2")
		.run(id, Date.now());

/** Ids of known sessions, last written first, `most` at most: those that begin with `begin`, of a project (its key) where one is given. */
export function listSessions(
	store: Store,
	{ begin = "", project, most = -1 }: { begin?: string; project?: string; most?: number | undefined } = {},
): string[] {
	const [isOf, key] = project === undefined ? ["", []] : ["project = ? AND", [project]];
	const sql = `SELECT session FROM cycles WHERE ${isOf} substr(session, 1, length(?)) = ? ORDER BY at DESC LIMIT ?`;
	const ids = fromStore(store, (database) => database.query(sql).values(...key, begin, begin, most))?.flat() ?? [];
	return ids.filter(isSessionId);
}

/** Makes the sessions and checkpoints of project `from` those of project `to` (`Project.key`). */
export const moveProject = (store: Store, from: string, to: string): void =>
	inStore(store, (database) => {
		for (const table of ["cycles", "checkpoints"])
			database.query(`UPDATE ${table} SET project = ?2 WHERE project = ?1`).run(exact(from), exact(to));
	});

/** Removes everything the store keeps of a session. Throws why the store can't be written. */
export function deleteSession(session: Session, waitMs?: number): void {
	const { id, root, paths } = session;
	const deleteRows = (database: Rows): void => {
		for (const table of ["cycles", "records", "checkpoints", "heard"])
			database.query(`DELETE FROM ${table} WHERE session = ?`).run(id);
		database.query("DELETE FROM restores WHERE target = ?").run(exact(`session ${id}`));
	};
	inStore(session, deleteRows, waitMs);
	forgetProfile(root, { sid: id });
	for (const path of Object.values(paths)) rmSync(path, { recursive: true, force: true });
}
