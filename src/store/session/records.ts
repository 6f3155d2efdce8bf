import { type SessionContext, sessionContext } from "../../core/context/project.ts";
import { emptySnapshot, type SessionSnapshot } from "../../core/context/session-context.ts";
import { RULES_VERSION } from "../../core/redact/rules-version.ts";
import { rememberRedacted, safeJson } from "../../core/redact/secrets.ts";
import { fromStore, inStore, MAX_VALUE, type Rows } from "../database.ts";
import type { Session } from "../session-handle.ts";

/** What is known of a session; `number` rises with each write, 0 before the first. */
interface KeptRecord {
	record: SessionSnapshot;
	number: number;
}

/** The record of a session, `null` where there is none. Throws why the store can't be read. */
export const readRecord = (session: Session): KeptRecord | null =>
	fromStore(session, (database) => recordIn(database, session));

/** The same, an empty one where there is none. */
export const loadRecord = (session: Session, now: Date): KeptRecord => readRecord(session) ?? anew(session, now);

const anew = ({ id }: Session, now: Date): KeptRecord => ({
	record: emptySnapshot(id, Math.floor(now.getTime() / 1000)),
	number: 0,
});

function recordIn(database: Rows, { id }: Session): KeptRecord | null {
	const row = database
		.query(`SELECT number, value FROM records WHERE session = ? AND length(value) <= ${MAX_VALUE}`)
		.get(id) as {
		number: number;
		value: string;
	} | null;
	if (!row) return null;
	try {
		const record: SessionSnapshot = JSON.parse(row.value);
		if (record.redacted_by === RULES_VERSION) rememberRedacted(record);
		return { record, number: row.number };
	} catch {
		return null;
	}
}

/** Writes a record that was read as `number`; `false` where somebody else wrote one since: nothing is written then. */
export function writeRecord(session: Session, { record, number }: KeptRecord, waitMs?: number): boolean {
	record.redacted_by = RULES_VERSION;
	const value = safeJson(record, { cursor: record.cursor });
	return inStore(
		session,
		(database) => {
			const row = database.query("SELECT number FROM records WHERE session = ?").get(session.id) as {
				number: number;
			} | null;
			if ((row?.number ?? 0) !== number) return false;
			database
				.query(
					"INSERT INTO records VALUES(?1, ?2, ?3, ?4) ON CONFLICT(session) DO UPDATE SET at = ?2, number = ?3, value = ?4",
				)
				.run(session.id, Date.now(), number + 1, value);
			return true;
		},
		waitMs,
	);
}

/** Reads, changes and writes a record as its only writer, for short work. `change` works in place and gives `false` to leave it. */
export function changeRecord(
	session: Session,
	now: Date,
	change: (record: SessionSnapshot) => unknown,
	waitMs?: number,
): void {
	inStore(
		session,
		(database) => {
			const kept = recordIn(database, session) ?? anew(session, now);
			if (change(kept.record) !== false) writeRecord(session, kept);
		},
		waitMs,
	);
}

/** The session's context as `ccg` shows it; `null` where there is none yet. */
export function readContext(session: Session): SessionContext | null {
	const kept = readRecord(session);
	return kept && sessionContext(kept.record);
}
