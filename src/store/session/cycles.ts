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

/** Where a session's cycle stands; an empty one where nothing is known. Throws why the store can't be read. */
export const readCycle = (session: Session, waitMs?: number): Cycle =>
	fromStore(session, (database) => jsonIn<Cycle>(database, "cycles WHERE session = ?", session.id), waitMs) ?? {};

/**
 * Changes a session's cycle in one transaction and gives what `change` gives: of all who ask at once, each sees what the one before
 * it left. `change` works in place; what it writes to the store beside it is part of the transaction.
 */
export function changeCycle<T>(session: Session, change: (cycle: Cycle) => T, waitMs?: number): T {
	const write = (database: Rows) => {
		const cycle = readCycle(session);
		const before = JSON.stringify(cycle);
		const given = change(cycle);
		const { place, shared } = cycle;
		const value = safeJson(cycle, { ...(place && { place }), ...(shared && { shared }) });
		if (value !== before) database.query(WRITE).run(session.id, Date.now(), value);
		return given;
	};
	return inStore(session, write, waitMs);
}

const WRITE =
	"INSERT INTO cycles(session, at, value) VALUES(?1, ?2, ?3) ON CONFLICT(session) DO UPDATE SET at = ?2, value = ?3";

/** What has to be known of a session's cycle, and the database's stamp with which it stands so. */
export type Known = Pick<UsageRecord, "cycle" | "stamp">;

/**
 * The cycle as the last measurement kept it where nothing was written to the store since; else as it stands there. Opening the database
 * costs more than all else that a status line does. Throws why the store can't be read.
 */
export function knownCycle(session: Session, last: Known | null = readUsage(session), waitMs?: number): Known {
	// before the row: one that is newer than its stamp is read once more
	const stamp = databaseStamp(session.root);
	if (last && stamp !== null && last.stamp === stamp) return last;
	return { stamp, cycle: knownOf(readCycle(session, waitMs)) };
}

/** The same for a measurement, which no database holds up: where it can't be read, as it was known last. */
export const cycleOrLast = (session: Session, last: Known | null = readUsage(session)): Known =>
	quietly(() => knownCycle(session, last, MEASURE_WAIT_MS)) ?? { stamp: null, cycle: last?.cycle ?? knownOf({}) };
const MEASURE_WAIT_MS = 100;

/** Of a session another row was written: each session has its row here. */
export const touchSession = (database: Rows, { id }: Session): void =>
	void database
		.query("INSERT INTO cycles(session, at, value) VALUES(?1, ?2, '{}') ON CONFLICT DO UPDATE SET at = ?2")
		.run(id, Date.now());

/** The ids of the sessions the store knows, the one written to last first: those that begin so, of a project (`Project.key`), `most` of them. */
export function listSessions(
	store: Store,
	{ begin = "", project, most = -1 }: { begin?: string; project?: string; most?: number | undefined } = {},
): string[] {
	const [where, which] =
		project === undefined ? ["substr(session, 1, length(?1)) = ?1", begin] : ["project = ?1", project];
	const sql = `SELECT session FROM cycles WHERE ${where} ORDER BY at DESC LIMIT ?2`;
	const ids = fromStore(store, (database) => database.query(sql).values(which, most))?.flat() ?? [];
	return ids.filter(isSessionId);
}

/** From now on sessions and checkpoints of one project are another's (`Project.key`). */
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
