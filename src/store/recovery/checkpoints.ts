import { existsSync, lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { type CheckpointType, checkpointKey, isCheckpointKey } from "../../core/recovery/checkpoint-key.ts";
import { checkpointMarkdown } from "../../core/recovery/checkpoint-markdown.ts";
import { documentState } from "../../core/recovery/checkpoints/document-state.ts";
import { writeSealed, writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import type { Session } from "../session-handle.ts";
import { checkpoint as checkpointShape } from "../shapes.generated.ts";
import { kindOf, readGood } from "../versioned-file.ts";
import { appendToCheckpointLog } from "./checkpoint-log.ts";
import { pointProjectTo } from "./project-checkpoint.ts";

/** Written once under a name of its own: there is no version before it to keep. */
export const CHECKPOINT = kindOf("checkpoint", checkpointShape);

/** Path of a checkpoint's readable form, as it is from `writeReadable` on. */
export const checkpointPath = (session: Session, key: string): string => join(session.paths.checkpoints, `${key}.md`);

/** Path of what there is to read of a checkpoint: its readable form, before that is written its JSON. */
export function readablePath(session: Session, key: string): string {
	const path = checkpointPath(session, key);
	return existsSync(path) ? path : jsonPath(session, key);
}

export const jsonPath = (session: Session, key: string): string => join(session.paths.checkpoints, `${key}.json`);

export type CheckpointContent = Omit<Checkpoint, "key" | "version" | "at" | "session" | "sha256">;

/**
 * Writes the JSON, then the latest pointers of session and project, and the log line; no pointer ever names a half-written
 * checkpoint.
 */
export function saveCheckpoint(session: Session, now: Date, content: CheckpointContent): Checkpoint {
	const { checkpoint, bytes } = addCheckpoint(session, now, {
		at: now.toISOString(),
		session: session.id,
		...content,
	});
	const { key, at, trigger, type = "precompact", reason, project, state } = checkpoint;
	pointTo(session, checkpoint);
	const { coverage } = documentState(checkpoint);
	appendToCheckpointLog(session, {
		key,
		type,
		at,
		trigger,
		tokens: state.tokens,
		bytes,
		coverage,
		...(reason !== undefined && { reason }),
		...(project !== undefined && { project }),
	});
	return checkpoint;
}

function pointTo(session: Session, { key, project }: Checkpoint): void {
	writeText(session.paths.latest, `${key}\n`, { sync: false });
	if (project) pointProjectTo(session, project, key);
}

/** Writes a compaction's checkpoint anew under its key, with what the session holds when it is told; the pointers name it again. */
export function renewCheckpoint(session: Session, { sha256: _, ...checkpoint }: Checkpoint): void {
	writeSealed(jsonPath(session, checkpoint.key), checkpoint, { durable: true });
	rmSync(checkpointPath(session, checkpoint.key), { force: true });
	pointTo(session, checkpoint);
}

/**
 * Writes a checkpoint's readable form beside its JSON, unless it is there. It costs a fifth of PreCompact, and nobody
 * reads it before the compaction is over: SessionStart writes it, which names it.
 */
export function writeReadable(session: Session, checkpoint: Checkpoint): void {
	const path = checkpointPath(session, checkpoint.key);
	if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) return;
	writeText(path, readable(checkpoint), { sync: false });
}

/** The readable form must not cost the checkpoint: a text too large for it is named instead. */
function readable(checkpoint: Checkpoint): string {
	try {
		return checkpointMarkdown(checkpoint);
	} catch (error) {
		return `# Context checkpoint ${checkpoint.key}\n\nIt could not be written out (${error instanceof Error ? error.message : String(error)}); the JSON beside it holds it.\n`;
	}
}

/**
 * Writes a checkpoint's JSON alone, and no pointer. Of several in one second each gets a key of its own. Gives it with its size.
 */
export function addCheckpoint(
	session: Session,
	now: Date,
	content: Omit<Checkpoint, "key" | "version" | "sha256">,
): { checkpoint: Checkpoint; bytes: number } {
	const type: CheckpointType = content.type ?? "precompact";
	for (let n = 1; ; n++) {
		const checkpoint: Checkpoint = { version: 1, key: checkpointKey(now, n, type), ...content };
		const path = jsonPath(session, checkpoint.key);
		if (existsSync(path)) continue;
		try {
			const bytes = writeSealed(path, checkpoint, { durable: true, exclusive: true });
			return { checkpoint, bytes };
		} catch (error) {
			if ((error as { code?: string }).code !== "EEXIST") throw error;
		}
	}
}

/** A saved checkpoint, or `null` when it is missing, torn or not ours. */
export function loadCheckpoint(session: Session, key: string): Checkpoint | null {
	if (!isCheckpointKey(key)) return null;
	const checkpoint = readGood(jsonPath(session, key), CHECKPOINT, session.tell);
	return checkpoint?.key === key ? checkpoint : null;
}

export function latestKey(session: Session): string | null {
	const key = readText(session.paths.latest)?.trim();
	return key && isCheckpointKey(key) ? key : null;
}
