import { type SessionContext, sessionContext } from "../../core/context/project.ts";
import { emptySnapshot, type SessionSnapshot } from "../../core/context/session-context.ts";
import { RULES_VERSION } from "../../core/redact/rules-version.ts";
import { rememberRedacted, safeJson } from "../../core/redact/secrets.ts";
import { quietly } from "../../files/quietly.ts";
import { COMMAND_WAIT_MS, fromStore, inStore, MAX_VALUE, type Rows } from "../database.ts";
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
	// in one statement: another may write between two
	const sql = `SELECT number, value FROM records WHERE session = ? AND length(value) <= ${MAX_VALUE}`;
	const [[number, value] = []] = database.query(sql).values(id);
	const record: SessionSnapshot | undefined = quietly(() => JSON.parse(value as string));
	if (record?.redacted_by === RULES_VERSION) rememberRedacted(record);
	return record ? { record, number: number as number } : null;
}

/** Writes a record that was read as `number`; `false` where somebody else wrote one since: nothing is written then. */
export function writeRecord(session: Session, { record, number }: KeptRecord, waitMs?: number): boolean {
	record.redacted_by = RULES_VERSION;
	const value = safeJson(record, { cursor: record.cursor });
	return inStore(
		session,
		(database) => {
			const [[before = 0] = []] = database.query("SELECT number FROM records WHERE session = ?").values(session.id);
			if (before !== number) return false;
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

/** Reads, changes and writes a record as its only writer, for short work of the command line. `change` works in place. */
export function changeRecord(session: Session, now: Date, change: (record: SessionSnapshot) => void): void {
	inStore(
		session,
		(database) => {
			const kept = recordIn(database, session) ?? anew(session, now);
			change(kept.record);
			writeRecord(session, kept);
		},
		COMMAND_WAIT_MS,
	);
}

/** The session's context as `ccg` shows it; `null` where there is none yet. */
export function readContext(session: Session): SessionContext | null {
	const kept = readRecord(session);
	return kept && sessionContext(kept.record);
}
