import { emptySnapshot, type SessionSnapshot } from "../../core/context/session-context.ts";
import { RULES_VERSION } from "../../core/redact/rules-version.ts";
import { rememberCleanDeep, safeJson } from "../../core/redact/secrets.ts";
import { leftOpen } from "../../core/session/status.ts";
import { unknownSpeakersText } from "../../core/state/messages.ts";
import { MAX_VALUE_BYTES, readFromStore, type SafeDatabase, writeToStore } from "../database.ts";
import { sha256 } from "../gate.ts";
import type { Session } from "../session-handle.ts";
import { touchSession } from "./cycles.ts";

/** Why nothing is known of a session that was used. */
export const NO_TRANSCRIPT =
	"Claude Code keeps no transcript of this session (--no-session-persistence, CLAUDE_CODE_SKIP_PROMPT_HISTORY), or it was deleted: ccg gives nothing back after a compaction";

/** A session's record, and `revision`, which rises with each write; 0 before the first. */
interface StoredRecord {
	record: SessionSnapshot;
	revision: number;
	/** The record's text in the store; `""` before the first write. */
	text: string;
}

/** A session's record; `null` where the store has none, an empty one where it is damaged. Throws why the store can't be read. */
export function readRecord(session: Session): StoredRecord | null {
	const sql = `SELECT number, iif(length(value) <= ${MAX_VALUE_BYTES}, value, ''), about FROM records WHERE session = ?`;
	const [[number, value, about] = []] =
		readFromStore(session, (database) => database.query(sql).values(session.id)) ?? [];
	if (number === undefined) return null;
	const text = String(value);
	const record: SessionSnapshot | null = String(about).includes(sha256(text)) ? JSON.parse(text) : null;
	const empty = emptySnapshot(session.id, record?.created_at ?? 0);
	// damaged, or of an older ccg: the transcript is read anew
	if (record?.state?.version !== empty.state.version) return { record: empty, revision: number as number, text: "" };
	return { record, revision: number as number, text };
}

/** Saves time at the next write: texts that today's rules have redacted are not redacted again. Call it before the record is changed. */
export function rememberRecord(record: SessionSnapshot): void {
	if (record.redacted_by === RULES_VERSION) rememberCleanDeep(record);
}

/** A session's record, an empty one where the store has none. Throws why the store can't be read. */
export const readRecordOrEmpty = (session: Session, now: Date): StoredRecord =>
	readRecord(session) ?? { record: emptySnapshot(session.id, Math.floor(now.getTime() / 1000)), revision: 0, text: "" };

/** Writes a record that was read with `revision`; gives `false`, and writes nothing, where another process has written it since. */
export function writeRecord(session: Session, { record, revision, text }: StoredRecord, waitMs?: number): boolean {
	if (text) rememberRecord(JSON.parse(text));
	record.redacted_by = RULES_VERSION;
	const value = safeJson(record, { cursor: record.cursor });
	const { ended, state, cursor } = record;
	const seal = sha256(value);
	const about = safeJson(
		{ ended, unclear: unknownSpeakersText(state), isRead: cursor.transcript_path !== "", seal, left: leftOpen(state) },
		{ seal },
	);
	const write = (database: SafeDatabase): boolean => {
		const [[stored = 0] = []] = database.query("SELECT number FROM records WHERE session = ?").values(session.id);
		if (stored !== revision) return false;
		database.query(WRITE_RECORD).run(session.id, revision + 1, about, value);
		touchSession(database, session);
		return true;
	};
	return writeToStore(session, write, waitMs);
}

const DAY_MS = 86_400_000;

/** What the last other session of a project (`Project.key`) left open, in the last seven days; `null` where nothing, or it may still run. */
export function readLeftOpen({ id, ...store }: Session, project: string, now: Date) {
	const sql = `SELECT session, cycles.at, about FROM cycles JOIN records USING(session)
		WHERE project = ? AND session <> ? AND cycles.at > ? ORDER BY cycles.at DESC LIMIT 1`;
	const since = now.getTime() - 7 * DAY_MS;
	const [[session, at = 0, about] = []] =
		readFromStore(store, (database) => database.query(sql).values(project, id, since)) ?? [];
	const { left, ended } = about ? JSON.parse(String(about)) : {};
	const mayRun = !ended && now.getTime() - Number(at) < DAY_MS / 24;
	if (!left || mayRun) return null;
	return {
		session: String(session),
		at: new Date(Number(at)).toISOString(),
		left: left as NonNullable<ReturnType<typeof leftOpen>>,
	};
}

const WRITE_RECORD =
	"INSERT INTO records VALUES(?1, ?2, ?3, ?4) ON CONFLICT(session) DO UPDATE SET number = ?2, about = ?3, value = ?4";
