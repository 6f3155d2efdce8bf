import { emptySnapshot, type SessionSnapshot } from "../../core/context/session-context.ts";
import { RULES_VERSION } from "../../core/redact/rules-version.ts";
import { rememberRedacted, safeJson } from "../../core/redact/secrets.ts";
import { unclearText } from "../../core/state/messages.ts";
import { fromStore, inStore, MAX_VALUE, type Rows } from "../database.ts";
import { sha256 } from "../gate.ts";
import type { Session } from "../session-handle.ts";
import { touchSession } from "./cycles.ts";

/** Why nothing is known of a session that was used. */
export const NO_TRANSCRIPT =
	"Claude Code keeps no transcript of this session (--no-session-persistence, CLAUDE_CODE_SKIP_PROMPT_HISTORY), or it was deleted: ccg gives nothing back after a compaction";

/** A session's record, and `number`, which rises with each write; 0 before the first. */
interface KeptRecord {
	record: SessionSnapshot;
	number: number;
	/** The record's text in the store; `""` before the first write. */
	text: string;
}

/** The record of a session, `null` where there is none; one that can't be read begins anew. Throws why the store can't be read. */
export function readRecord(session: Session): KeptRecord | null {
	const sql = `SELECT number, iif(length(value) <= ${MAX_VALUE}, value, ''), about FROM records WHERE session = ?`;
	const [[number, value, about] = []] = fromStore(session, (database) => database.query(sql).values(session.id)) ?? [];
	if (number === undefined) return null;
	const text = String(value);
	const record: SessionSnapshot | null = String(about).includes(sha256(text)) ? JSON.parse(text) : null;
	const empty = emptySnapshot(session.id, record?.created_at ?? 0);
	// damaged, or of an older ccg: it is made again from the transcript
	if (record?.state?.version !== empty.state.version) return { record: empty, number: number as number, text: "" };
	return { record, number: number as number, text };
}

/** Remembers a record that today's rules redacted, so that no write redacts it again. Call it before the record is changed. */
export function rememberRecord(record: SessionSnapshot): void {
	if (record.redacted_by === RULES_VERSION) rememberRedacted(record);
}

/** The record of a session, an empty one where there is none. Throws why the store can't be read. */
export const loadRecord = (session: Session, now: Date): KeptRecord =>
	readRecord(session) ?? { record: emptySnapshot(session.id, Math.floor(now.getTime() / 1000)), number: 0, text: "" };

/** Writes a record that was read with `number`; gives `false`, and writes nothing, where somebody else wrote the record since. */
export function writeRecord(session: Session, { record, number, text }: KeptRecord, waitMs?: number): boolean {
	if (text) rememberRecord(JSON.parse(text));
	record.redacted_by = RULES_VERSION;
	const value = safeJson(record, { cursor: record.cursor });
	const { ended, state, cursor } = record;
	const seal = sha256(value);
	const about = safeJson({ ended, unclear: unclearText(state), isRead: cursor.transcript_path !== "", seal }, { seal });
	const write = (database: Rows): boolean => {
		const [[stored = 0] = []] = database.query("SELECT number FROM records WHERE session = ?").values(session.id);
		if (stored !== number) return false;
		database.query(WRITE).run(session.id, number + 1, about, value);
		touchSession(database, session);
		return true;
	};
	return inStore(session, write, waitMs);
}

const WRITE =
	"INSERT INTO records VALUES(?1, ?2, ?3, ?4) ON CONFLICT(session) DO UPDATE SET number = ?2, about = ?3, value = ?4";
