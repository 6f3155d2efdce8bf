import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { checkpointKey, isCheckpointKey } from "../../core/recovery/checkpoint-key.ts";
import { checkpointMarkdown } from "../../core/recovery/checkpoint-markdown.ts";
import { appendJson, writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import type { Session } from "../session-handle.ts";
import { checkpoint as checkpointShape } from "../shapes.generated.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

/** Written once under a name of its own: there is no version before it to keep. */
const CHECKPOINT = kindOf("checkpoint", checkpointShape);

/** Path of a checkpoint's readable form. */
export const checkpointPath = (session: Session, key: string): string => join(session.paths.checkpoints, `${key}.md`);

/** Writes JSON and Markdown, then the latest pointer and the log line; the pointer never names a half-written checkpoint. */
export function saveCheckpoint(
	session: Session,
	now: Date,
	content: Omit<Checkpoint, "key" | "version" | "at" | "session">,
): Checkpoint {
	const paths = session.paths;
	const checkpoint = saveUnderFreeKey(paths.checkpoints, now, {
		at: now.toISOString(),
		session: session.id,
		...content,
	});
	const { key } = checkpoint;
	writeText(checkpointPath(session, key), readable(checkpoint), { sync: false });
	writeText(paths.latest, `${key}\n`, { sync: false });
	const { at, trigger } = checkpoint;
	appendJson(paths.checkpointLog, [{ key, type: "precompact", at, trigger, tokens: content.state.tokens }]);
	return checkpoint;
}

/** The readable form must not cost the checkpoint: a text too large for it is named instead. */
function readable(checkpoint: Checkpoint): string {
	try {
		return checkpointMarkdown(checkpoint);
	} catch (error) {
		return `# Context checkpoint ${checkpoint.key}\n\nIt could not be written out (${error instanceof Error ? error.message : String(error)}); the JSON beside it holds it.\n`;
	}
}

/** Of several in one second each gets a key of its own. */
function saveUnderFreeKey(folder: string, now: Date, content: Omit<Checkpoint, "key" | "version">): Checkpoint {
	for (let n = 1; ; n++) {
		const checkpoint: Checkpoint = { version: 1, key: checkpointKey(now, n), ...content };
		const path = join(folder, `${checkpoint.key}.json`);
		if (existsSync(path)) continue;
		try {
			writeVersioned(path, CHECKPOINT, checkpoint, { durable: true, exclusive: true });
			return checkpoint;
		} catch (error) {
			if ((error as { code?: string }).code !== "EEXIST") throw error;
		}
	}
}

/** A saved checkpoint, or `null` when it is missing, torn or not ours. */
export function loadCheckpoint(session: Session, key: string): Checkpoint | null {
	if (!isCheckpointKey(key)) return null;
	const checkpoint = readGood(join(session.paths.checkpoints, `${key}.json`), CHECKPOINT);
	return checkpoint?.key === key ? checkpoint : null;
}

export function latestKey(session: Session): string | null {
	const key = readText(session.paths.latest)?.trim();
	return key && isCheckpointKey(key) ? key : null;
}
