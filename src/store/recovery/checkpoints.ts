import { rmSync } from "node:fs";
import { join } from "node:path";
import type { LossReport } from "../../core/audit/audit.ts";
import type {
	Checkpoint,
	CheckpointContent,
	CheckpointFilter,
	LoggedCheckpoint,
} from "../../core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../core/checkpoint/checkpoint-key.ts";
import type { CheckpointFile } from "../../core/checkpoint/fit.ts";
import { exact, safeJson } from "../../core/redact/secrets.ts";
import type { Cycle } from "../../core/session/cycle.ts";
import { STATE_VERSION } from "../../core/state/session-state.ts";
import { parseObject } from "../../files/json-file.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { MAX_VALUE_BYTES, readFromStore, type SafeDatabase, writeToStore } from "../database.ts";
import { checkSeal, sealedText } from "../gate.ts";
import { isSessionId } from "../paths.ts";
import { changeCycle, touchSession } from "../session/cycles.ts";
import type { Session, Store } from "../session-handle.ts";

/** The path of a checkpoint as Markdown, for people (`writeReadableCheckpoint`). */
export const checkpointPath = (session: Session, key: string): string =>
	join(session.paths.folder, "checkpoints", `${key}.md`);

/** A checkpoint with the texts of its row, redacted and sealed before the transaction: `value`, and `about` for lists. */
export function prepareCheckpoint({ sha256: _, ...checkpoint }: Checkpoint) {
	const { trigger, type = "precompact", reason, state, projectDir, transcriptPath } = checkpoint;
	const value = sealedText(checkpoint, { projectDir, transcriptPath });
	const about = {
		...{ type, trigger, tokens: state.tokens, bytes: value.length },
		...(reason !== undefined && { reason }),
	};
	return { checkpoint, about: safeJson(about), value };
}

type PreparedCheckpoint = ReturnType<typeof prepareCheckpoint>;

/**
 * Saves a checkpoint, and lets `editCycle` change the cycle in the same transaction. `null` where `isStillNeeded`, asked in the transaction,
 * says no: another process has saved one meanwhile. Throws why the store can't be written.
 */
export function addCheckpoint(
	session: Session,
	now: Date,
	content: CheckpointContent,
	options: {
		editCycle?: ((cycle: Cycle, checkpoint: Checkpoint) => void) | undefined;
		isStillNeeded?(): boolean;
		waitMs?: number;
	} = {},
): Checkpoint | null {
	const identity = { version: 1, at: now.toISOString(), session: session.id } as const;
	for (let attempt = 1; ; attempt++) {
		const prepared = prepareCheckpoint({ ...content, ...identity, key: checkpointKey(now, attempt, content.type) });
		const { checkpoint } = prepared;
		const save = (cycle: Cycle): Checkpoint | null | undefined => {
			if (options.isStillNeeded?.() === false) return null;
			// `undefined`: another checkpoint of this second has that key
			if (!writeToStore(session, (database) => insertCheckpoint(database, session, prepared, "NOTHING")))
				return undefined;
			options.editCycle?.(cycle, checkpoint);
			return checkpoint;
		};
		const saved = changeCycle(session, save, options.waitMs, true);
		if (saved !== undefined) return saved;
	}
}

/** Replaces a compaction's checkpoint: what came after it was saved is in the recovery block too. */
export const overwriteCheckpoint = (session: Session, prepared: PreparedCheckpoint): void =>
	void writeToStore(session, (database) =>
		insertCheckpoint(database, session, prepared, "UPDATE SET at = ?3, project = ?4, about = ?5, value = ?6"),
	);

/** Inserts a checkpoint's row; where its key has one, does `onConflict` (SQL). Gives whether a row was written. */
function insertCheckpoint(
	database: SafeDatabase,
	session: Session,
	{ checkpoint, about, value }: PreparedCheckpoint,
	onConflict: string,
): boolean {
	const { key, at, project = "" } = checkpoint;
	const { changes } = database
		.query(
			`INSERT INTO checkpoints(session, key, at, project, about, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT(session, key) DO ${onConflict}`,
		)
		.run(session.id, exact(key), exact(at), exact(project), about, value);
	if (changes > 0) touchSession(database, session);
	return changes > 0;
}

/** The JSON text of a stored checkpoint, unchecked; `null` where that key has none. */
export function readCheckpointJson(session: Session, key: string): string | null {
	const sql = `SELECT value FROM checkpoints WHERE session = ? AND key = ? AND length(value) <= ${MAX_VALUE_BYTES}`;
	const [row] = readFromStore(session, (database) => database.query(sql).values(session.id, key)) ?? [];
	return (row?.[0] as string | undefined) ?? null;
}

/** A stored checkpoint; `null` where that key has none, or it is damaged or of an older ccg, which is reported. */
export function readCheckpoint(session: Session, key: string): Checkpoint | null {
	const text = readCheckpointJson(session, key);
	if (text === null) return null;
	const saved: Checkpoint | null = tryOrUndefined(() => JSON.parse(text)) ?? null;
	if (saved?.state?.version === STATE_VERSION) return saved;
	session.onProblem(`checkpoint ${key} of session ${session.id} is damaged, or of an older ccg`);
	return null;
}

/** Lists a store's checkpoints without their content, newest first, at most `most`. `ownOnly`: not those of other machines. */
export function listStoredCheckpoints(
	store: Store,
	filter: CheckpointFilter = {},
	{ most = -1, ownOnly = false } = {},
): LoggedCheckpoint[] {
	const columns = { session: filter.sid, project: filter.project, "about ->> '$.type'": filter.type };
	const conditions = Object.entries(columns).filter((entry): entry is [string, string] => entry[1] !== undefined);
	const where = ["json_valid(about)", ...conditions.map(([column]) => `${column} = ?`)];
	if (ownOnly) where.push("about ->> '$.reason' IS NOT 'imported'");
	const sql = `SELECT session AS sid, key, at, project, about FROM checkpoints WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ?`;
	const values = [...conditions.map(([, value]) => value), most];
	const rows = readFromStore(store, (database) =>
		database.query<{ sid: string; project: string; about: string }, (string | number)[]>(sql).all(...values),
	);
	return (rows ?? [])
		.filter(({ sid }) => isSessionId(sid))
		.map(({ about, project, ...row }) => ({ ...row, ...JSON.parse(about), ...(project && { project }) }));
}

/** The newest checkpoint of a session, without those that came from another machine. */
export const readLatestCheckpoint = (session: Session): LoggedCheckpoint | null =>
	listStoredCheckpoints(session, { sid: session.id }, { most: 1, ownOnly: true })[0] ?? null;

/** Deletes a checkpoint with its report and its readable form. Gives whether it was there. */
export function deleteCheckpoint(session: Session, key: string): boolean {
	const sql = "DELETE FROM checkpoints WHERE session = ? AND key = ?";
	const { changes } = writeToStore(session, (database) => database.query(sql).run(session.id, exact(key)));
	rmSync(checkpointPath(session, key), { force: true });
	return changes > 0;
}

/** Saves a compaction's report with its checkpoint; gives whether it is the first. A report without a summary does not replace another. */
export function saveReport(session: Session, report: LossReport): boolean {
	return writeToStore(session, (database) => {
		const [old] = readReports(session, report.key);
		const sql = "UPDATE checkpoints SET report = ? WHERE session = ? AND key = ?";
		if (!old || report.summaryChars !== null) database.query(sql).run(safeJson(report), session.id, exact(report.key));
		return !old;
	});
}

/** A session's reports on compactions, oldest first; with `key` only that of one checkpoint. */
export function readReports(session: Session, key: string | null = null): LossReport[] {
	const sql =
		"SELECT report FROM checkpoints WHERE session = ? AND key = coalesce(?, key) AND report IS NOT NULL ORDER BY id";
	const rows = readFromStore(session, (database) => database.query(sql).values(session.id, key)) ?? [];
	// reports of an older ccg have other fields
	return rows.map(([report]) => JSON.parse(report as string)).filter(({ version }) => version === 2);
}

/** A stored checkpoint, parsed and checked; `problem` says what is wrong. */
export function readCheckpointFile(session: Session, key: string): CheckpointFile {
	const text = readCheckpointJson(session, key);
	const found = text === null ? unusableCheckpoint("there is no such checkpoint") : parseCheckpoint(text);
	return { key, session: session.id, ...found };
}

/** Parses a checkpoint's JSON text, and checks its fields and its seal; `problem` says what is wrong. Never throws. */
export function parseCheckpoint(text: string): Pick<CheckpointFile, "checkpoint" | "problem" | "seal"> {
	const value = parseObject(text, 3);
	if (!value) return unusableCheckpoint(text.trim() ? "not a JSON object, or one of too many parts" : "empty");
	// loaded here: most callers do not need it
	const shapes: typeof import("../../core/checkpoint/checkpoint-shape.ts") = require("../../core/checkpoint/checkpoint-shape.ts");
	const checkpoint = shapes.checkShape(value);
	return typeof checkpoint === "string" ? unusableCheckpoint(checkpoint) : { checkpoint, seal: checkSeal(value) };
}

/** The result of `parseCheckpoint` for a text that is no checkpoint. */
const unusableCheckpoint = (problem: string) => ({ checkpoint: null, problem, seal: "none" }) as const;
