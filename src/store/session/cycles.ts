import { existsSync, rmSync } from "node:fs";
import { type Exact, exact, safeJson } from "../../core/redact/secrets.ts";
import { type Cycle, type Glance, glanceOf } from "../../core/session/cycle.ts";
import { forgetProfile } from "../config/profiles.ts";
import { fromStore, inStore, type Rows, valueIn } from "../database.ts";
import { writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import { isSessionId } from "../paths.ts";
import { markersOf, type Session, type Store } from "../session-handle.ts";

/** Where a session's cycle stands; an empty one where nothing is known. Throws why the store can't be read. */
export const readCycle = (session: Session): Cycle =>
	fromStore(session, (database) => cycleIn(database, session.id)) ?? {};

const cycleIn = (database: Rows, sid: string): Cycle => valueIn(database, "cycles WHERE session = ?", sid) ?? {};

/**
 * Changes a session's cycle in one transaction and gives what `change` gives: of all who ask at once, each sees what the one before
 * it left. `change` works in place; what it writes to the store beside it is part of the transaction.
 */
export function changeCycle<T>(session: Session, change: (cycle: Cycle) => T, waitMs?: number): T {
	const { given, glance } = inStore(
		session,
		(database) => {
			const cycle = cycleIn(database, session.id);
			const before = JSON.stringify(cycle);
			const given = change(cycle);
			const value = safeJson(cycle, cycle.place ? { place: cycle.place } : {});
			if (value !== before)
				database
					.query("INSERT INTO cycles VALUES(?1, ?2, ?3) ON CONFLICT(session) DO UPDATE SET at = ?2, value = ?3")
					.run(session.id, Date.now(), value);
			return { given, glance: glanceOf(cycle) };
		},
		waitMs,
	);
	keepGlance(session, glance);
	return given;
}

/** For the status line and for measurements, which start without the database. */
function keepGlance({ paths }: Session, glance: Glance): void {
	const text = `${JSON.stringify(glance)}\n`;
	if (readText(paths.glance) !== text) writeText(paths.glance, text, { sync: false });
}

const NOTHING: Glance = { cycle: "", compactedAt: "" };

/** What the last change of the cycle left to look at. */
export function readGlance({ paths }: Session): Glance {
	const text = readText(paths.glance, MAX_GLANCE);
	if (!text) return NOTHING;
	try {
		return { ...NOTHING, ...(JSON.parse(text) as Glance) };
	} catch {
		return NOTHING;
	}
}
const MAX_GLANCE = 64 * 1024;

/** The ids of all sessions the store knows. */
export function listSessions(store: Store): string[] {
	const rows = fromStore(store, (database) =>
		database
			.query("SELECT session FROM cycles UNION SELECT session FROM records UNION SELECT session FROM checkpoints")
			.values(),
	);
	return (rows ?? [])
		.map(([sid]) => sid)
		.filter(isSessionId)
		.sort();
}

/** Removes everything the store keeps of a session. Gives whether there was anything. Throws why the store can't be written. */
export function deleteSession(session: Session, { waitMs = 2_000 }: { waitMs?: number } = {}): boolean {
	const { id, root, paths } = session;
	const isThere = existsSync(paths.folder);
	const hadRows = inStore(session, (database) => deleteRows(database, id), waitMs);
	for (const path of markersOf(session)) rmSync(path, { force: true });
	forgetProfile(root, { sid: id });
	rmSync(paths.folder, { recursive: true, force: true });
	return isThere || hadRows;
}

function deleteRows(database: Rows, sid: Exact): boolean {
	const deleted = ["cycles", "records", "checkpoints", "heard"].map(
		(table) => database.query(`DELETE FROM ${table} WHERE session = ?`).run(sid).changes,
	);
	deleted.push(database.query("DELETE FROM restores WHERE target = ?").run(exact(`session ${sid}`)).changes);
	return deleted.some((count) => count > 0);
}
