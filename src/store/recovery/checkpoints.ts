import { rmSync } from "node:fs";
import { join } from "node:path";
import type { LossReport } from "../../core/audit/audit.ts";
import type { Checkpoint, CheckpointContent, LoggedCheckpoint, Whose } from "../../core/checkpoint/checkpoint.ts";
import { checkpointKey } from "../../core/checkpoint/checkpoint-key.ts";
import type { CheckpointFile } from "../../core/checkpoint/fit.ts";
import { exact, safeJson } from "../../core/redact/secrets.ts";
import type { Cycle } from "../../core/session/cycle.ts";
import { STATE_VERSION } from "../../core/state/session-state.ts";
import { parseObject } from "../../files/json-file.ts";
import { quietly } from "../../files/quietly.ts";
import { fromStore, inStore, MAX_VALUE, type Rows } from "../database.ts";
import { checkSeal, sealedText } from "../gate.ts";
import { isSessionId } from "../paths.ts";
import { changeCycle, touchSession } from "../session/cycles.ts";
import type { Session, Store } from "../session-handle.ts";

/** Path of a checkpoint's readable form, as it is from `writeReadable` on. */
export const checkpointPath = (session: Session, key: string): string =>
	join(session.paths.folder, "checkpoints", `${key}.md`);

/** Redacts, seals and describes a checkpoint, so that only the write is left for the transaction. */
export function readyCheckpoint({ sha256: _, ...checkpoint }: Checkpoint) {
	const { trigger, type = "precompact", reason, state, projectDir, transcriptPath } = checkpoint;
	const value = sealedText(checkpoint, { projectDir, transcriptPath });
	const about = {
		...{ type, trigger, tokens: state.tokens, bytes: value.length },
		...(reason !== undefined && { reason }),
	};
	return { checkpoint, about: safeJson(about), value };
}

type Ready = ReturnType<typeof readyCheckpoint>;

/**
 * Saves a checkpoint, and lets `also` change the cycle in the same transaction. Checkpoints of one second get different keys. `null` where
 * `may` says no: it is asked in the transaction, since another process may have saved meanwhile. Throws why the store can't be written.
 */
export function addCheckpoint(
	session: Session,
	now: Date,
	content: CheckpointContent,
	how: { also?: ((cycle: Cycle, checkpoint: Checkpoint) => void) | undefined; may?(): boolean; waitMs?: number } = {},
): Checkpoint | null {
	const head = { version: 1, at: now.toISOString(), session: session.id } as const;
	for (let n = 1; ; n++) {
		const ready = readyCheckpoint({ ...content, ...head, key: checkpointKey(now, n, content.type) });
		const { checkpoint } = ready;
		const save = (cycle: Cycle): Checkpoint | null | undefined => {
			if (how.may?.() === false) return null;
			// its key is taken
			if (!inStore(session, (database) => put(database, session, ready, "NOTHING"))) return undefined;
			how.also?.(cycle, checkpoint);
			return checkpoint;
		};
		const saved = changeCycle(session, save, how.waitMs);
		if (saved !== undefined) return saved;
	}
}

/** Overwrites a compaction's checkpoint under its key with the session as it stands when the recovery block is given to the model. */
export const overwriteCheckpoint = (session: Session, ready: Ready): void =>
	void inStore(session, (database) =>
		put(database, session, ready, "UPDATE SET at = ?3, project = ?4, about = ?5, value = ?6"),
	);

/** Inserts a checkpoint's row, or does `ifKeyTaken` (SQL) where the key has one; gives whether a row was written. */
function put(database: Rows, session: Session, { checkpoint, about, value }: Ready, ifKeyTaken: string): boolean {
	const { key, at, project = "" } = checkpoint;
	const { changes } = database
		.query(
			`INSERT INTO checkpoints(session, key, at, project, about, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT(session, key) DO ${ifKeyTaken}`,
		)
		.run(session.id, exact(key), exact(at), exact(project), about, value);
	if (changes > 0) touchSession(database, session);
	return changes > 0;
}

/** The JSON text of a stored checkpoint, unchecked; `null` where there is none of that key. */
export function checkpointJson(session: Session, key: string): string | null {
	const sql = `SELECT value FROM checkpoints WHERE session = ? AND key = ? AND length(value) <= ${MAX_VALUE}`;
	const [row] = fromStore(session, (database) => database.query(sql).values(session.id, key)) ?? [];
	return (row?.[0] as string | undefined) ?? null;
}

/** A saved checkpoint; `null` where there is none of that key, or it is damaged or of an older ccg. */
export function loadCheckpoint(session: Session, key: string): Checkpoint | null {
	const text = checkpointJson(session, key);
	if (text === null) return null;
	const saved: Checkpoint | null = quietly(() => JSON.parse(text)) ?? null;
	if (saved?.state?.version === STATE_VERSION) return saved;
	session.tell(`checkpoint ${key} of session ${session.id} is damaged, or of an older ccg`);
	return null;
}

/**
 * Lists the checkpoints of a store, the newest first, at most `most`: key, time and `about`, without their content. `taken`: only those
 * that the session took itself, not those of another machine.
 */
export function storedCheckpoints(
	store: Store,
	whose: Whose = {},
	{ most = -1, taken = false } = {},
): LoggedCheckpoint[] {
	const columns = { session: whose.sid, project: whose.project, "about ->> '$.type'": whose.type };
	const named = Object.entries(columns).filter((one): one is [string, string] => one[1] !== undefined);
	const where = ["json_valid(about)", ...named.map(([column]) => `${column} = ?`)];
	if (taken) where.push("about ->> '$.reason' IS NOT 'imported'");
	const sql = `SELECT session AS sid, key, at, project, about FROM checkpoints WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ?`;
	const values = [...named.map(([, value]) => value), most];
	const rows = fromStore(store, (database) =>
		database.query<{ sid: string; project: string; about: string }, (string | number)[]>(sql).all(...values),
	);
	return (rows ?? [])
		.filter(({ sid }) => isSessionId(sid))
		.map(({ about, project, ...row }) => ({ ...row, ...JSON.parse(about), ...(project && { project }) }));
}

/** The newest checkpoint that the session took itself. */
export const latestCheckpoint = (session: Session): LoggedCheckpoint | null =>
	storedCheckpoints(session, { sid: session.id }, { most: 1, taken: true })[0] ?? null;

/** Deletes a checkpoint with its report and its readable form. Gives whether it was there. */
export function deleteCheckpoint(session: Session, key: string): boolean {
	const sql = "DELETE FROM checkpoints WHERE session = ? AND key = ?";
	const { changes } = inStore(session, (database) => database.query(sql).run(session.id, exact(key)));
	rmSync(checkpointPath(session, key), { force: true });
	return changes > 0;
}

/** Saves the report of a compaction beside its checkpoint; gives whether it is the first. A report that saw no summary replaces no other. */
export function saveReport(session: Session, report: LossReport): boolean {
	return inStore(session, (database) => {
		const [old] = readReports(session, report.key);
		const sql = "UPDATE checkpoints SET report = ? WHERE session = ? AND key = ?";
		if (!old || report.summaryChars !== null) database.query(sql).run(safeJson(report), session.id, exact(report.key));
		return !old;
	});
}

/** A session's reports, oldest first; with `key` the one of a compaction. */
export function readReports(session: Session, key: string | null = null): LossReport[] {
	const sql =
		"SELECT report FROM checkpoints WHERE session = ? AND key = coalesce(?, key) AND report IS NOT NULL ORDER BY id";
	const rows = fromStore(session, (database) => database.query(sql).values(session.id, key)) ?? [];
	// reports of an older ccg have other fields
	return rows.map(([report]) => JSON.parse(report as string)).filter(({ version }) => version === 2);
}

/** A stored checkpoint, parsed and checked; `problem` says what is wrong with it. */
export function readCheckpointFile(session: Session, key: string): CheckpointFile {
	const text = checkpointJson(session, key);
	const found = text === null ? unusable("there is no such checkpoint") : parseCheckpoint(text);
	return { key, session: session.id, ...found };
}

/** Parses a checkpoint's text, from the store or any file, and checks it by its schema and its seal. Never throws. */
export function parseCheckpoint(text: string): Pick<CheckpointFile, "checkpoint" | "problem" | "seal"> {
	const value = parseObject(text, 3);
	if (!value) return unusable(text.trim() ? "not a JSON object, or one of too many parts" : "empty");
	// loaded here: lists ask for none
	const shapes: typeof import("../../core/checkpoint/checkpoint-shape.ts") = require("../../core/checkpoint/checkpoint-shape.ts");
	const checkpoint = shapes.checkShape(value);
	return typeof checkpoint === "string" ? unusable(checkpoint) : { checkpoint, seal: checkSeal(value) };
}

const unusable = (problem: string) => ({ checkpoint: null, problem, seal: "none" }) as const;
