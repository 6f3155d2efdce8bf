import { rmSync } from "node:fs";
import { exact, safeJson } from "../../core/redact/secrets.ts";
import { type Cycle, type KnownCycle, pickKnownCycle } from "../../core/session/cycle.ts";
import { readJson } from "../../files/json-file.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { removeProfileChoice } from "../config.ts";
import { readFromStore, readJsonValue, type SafeDatabase, writeToStore } from "../database.ts";
import { writeJson } from "../gate.ts";
import { isSessionId } from "../paths.ts";
import { dropCycleFlags } from "../pressure/flags.ts";
import type { Session, Store } from "../session-handle.ts";

/** Reads a session's cycle; gives an empty one where the store has none. Throws why the store can't be read. */
export const readCycle = (session: Session, waitMs?: number): Cycle =>
	readJsonValue(session, "cycles WHERE session = ?", session.id, waitMs) ?? {};

/**
 * Reads a session's cycle, lets `change` modify it, and writes it back, all in one transaction; gives the result of `change`. What that
 * writes to the store besides is part of the transaction.
 */
export function changeCycle<T>(session: Session, change: (cycle: Cycle) => T, waitMs?: number, durable?: boolean): T {
	const write = (database: SafeDatabase) => {
		const cycle = readCycle(session);
		const before = JSON.stringify(cycle);
		const result = change(cycle);
		const facts = Object.entries(cycle).filter(([name]) => !WITH_TEXTS.includes(name));
		const value = safeJson(cycle, Object.fromEntries(facts));
		if (value !== before) database.query(WRITE_CYCLE).run(session.id, Date.now(), value);
		keepKnownCycle(session, cycle);
		return result;
	};
	try {
		return writeToStore(session, write, waitMs, durable);
	} catch (error) {
		// it would tell of a change that was not kept
		rmSync(session.paths.cycle, { force: true });
		throw error;
	}
}

/** Fields of a cycle with texts of a transcript; the others are times, folders and ids. */
const WITH_TEXTS = ["agents", "waves", "seen"];
const WRITE_CYCLE =
	"INSERT INTO cycles(session, at, value) VALUES(?1, ?2, ?3) ON CONFLICT(session) DO UPDATE SET at = ?2, value = ?3";

/** Reads what measurements use of a session's cycle, without the database: opening it is the slowest part of a status line. Never throws. */
export const readKnownCycle = ({ paths }: Session): KnownCycle => ({
	compactedAt: "",
	...readJson<KnownCycle>(paths.cycle),
});

/** Keeps that part in its file, and drops the flags of a cycle that ended: in the transaction, so that the last of several writers is right. */
function keepKnownCycle(session: Session, cycle: Cycle): void {
	const [known, last] = [pickKnownCycle(cycle), readKnownCycle(session)];
	if (JSON.stringify(known) === JSON.stringify(last)) return;
	tryOrUndefined(() => writeJson(session.paths.cycle, known, { unredacted: known, sync: false }));
	if (known.number !== last.number) dropCycleFlags(session);
}

/** Keeps the time at which something of a session was written: now. Adds its row to `cycles` where it has none. */
export const touchSession = (database: SafeDatabase, { id }: Session): void =>
	void database
		.query("INSERT INTO cycles(session, at, value) VALUES(?1, ?2, '{}') ON CONFLICT DO UPDATE SET at = ?2")
		.run(id, Date.now());

/** Lists the ids of known sessions, last written first, at most `most`: those that begin with `begin`, of the project with key `project`. */
export function listSessions(
	store: Store,
	{ begin = "", project, most = -1 }: { begin?: string; project?: string; most?: number | undefined } = {},
): string[] {
	const [projectTest, key] = project === undefined ? ["", []] : ["project = ? AND", [project]];
	const sql = `SELECT session FROM cycles WHERE ${projectTest} substr(session, 1, length(?)) = ? ORDER BY at DESC LIMIT ?`;
	const ids = readFromStore(store, (database) => database.query(sql).values(...key, begin, begin, most))?.flat() ?? [];
	return ids.filter(isSessionId);
}

/** Makes the sessions and checkpoints of one project those of another; both are given by `Project.key`. */
export const moveProjectRows = (store: Store, from: string, to: string): void =>
	writeToStore(store, (database) => {
		for (const table of ["cycles", "checkpoints"])
			database.query(`UPDATE ${table} SET project = ?2 WHERE project = ?1`).run(exact(from), exact(to));
	});

/** Removes everything the store keeps of a session. Throws why the store can't be written. */
export function deleteSession(session: Session, waitMs?: number): void {
	const { id, root, paths } = session;
	const deleteRows = (database: SafeDatabase): void => {
		for (const table of ["cycles", "records", "checkpoints", "heard"])
			database.query(`DELETE FROM ${table} WHERE session = ?`).run(id);
		database.query("DELETE FROM restores WHERE target = ?").run(exact(`session ${id}`));
	};
	writeToStore(session, deleteRows, waitMs);
	removeProfileChoice(root, { sid: id });
	for (const path of Object.values(paths)) rmSync(path, { recursive: true, force: true });
}
