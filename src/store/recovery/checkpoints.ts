import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Checkpoint, checkpointKey, isCheckpointKey } from "../../core/recovery/checkpoint.ts";
import { checkpointMarkdown } from "../../core/recovery/checkpoint-markdown.ts";
import { emptyState } from "../../core/state/session-state.ts";
import { appendJson, writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import { sessionPaths } from "../paths.ts";
import { checkpointKeyText } from "../session/key-shape.ts";
import { stateShape } from "../session/state-shape.ts";
import { type Check, like, listOf, literal, nullable, object, optional, or, shape, text } from "../shape.ts";
import { type FileKind, readGood, writeVersioned } from "../versioned-file.ts";

const words = or(text, "");

/** Of today's form from here on. Without what the user said it is no state: the transcript tells it better. */
function keptState(value: unknown): Checkpoint["state"] {
	const state = stateShape(value);
	if (!Array.isArray((value as { messages?: unknown }).messages)) throw new Error("messages must be a list");
	return { ...state, version: emptyState().version };
}

/** Written once under a name of its own: there is no version before it to keep. */
const CHECKPOINT: FileKind<Checkpoint> = {
	name: "checkpoint",
	version: 1,
	schema: shape(
		object({
			version: literal(1),
			key: checkpointKeyText,
			at: words,
			session: words,
			trigger: words,
			projectDir: words,
			transcriptPath: words,
			state: keptState,
			leftOut: optional(listOf(text)),
			workspace: or(
				nullable(
					like(
						() => ({
							branch: "",
							status: [] as string[],
							commits: [] as string[],
							planSummary: null as string | null,
							lastFailure: null as string | null,
							selfModelAge: null as string | null,
							envModelAge: null as string | null,
						}),
						{
							status: listOf(text),
							commits: listOf(text),
							planSummary: nullable(text),
							lastFailure: nullable(text),
							selfModelAge: nullable(text),
							envModelAge: nullable(text),
						},
					),
				),
				null,
			),
		}) as Check<Checkpoint>,
	),
};

/** Path of a checkpoint's readable form. */
export const checkpointPath = (root: string, sid: string, key: string): string =>
	join(sessionPaths(root, sid).checkpoints, `${key}.md`);

/** Writes JSON and Markdown, then the latest pointer and the log line; the pointer never names a half-written checkpoint. */
export function saveCheckpoint(
	root: string,
	sid: string,
	now: Date,
	content: Omit<Checkpoint, "key" | "version" | "at" | "session">,
): Checkpoint {
	const paths = sessionPaths(root, sid);
	const checkpoint = saveUnderFreeKey(paths.checkpoints, now, { at: now.toISOString(), session: sid, ...content });
	const { key } = checkpoint;
	writeText(checkpointPath(root, sid, key), readable(checkpoint), { sync: false });
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
export function loadCheckpoint(root: string, sid: string, key: string): Checkpoint | null {
	if (!isCheckpointKey(key)) return null;
	const checkpoint = readGood(join(sessionPaths(root, sid).checkpoints, `${key}.json`), CHECKPOINT);
	return checkpoint?.key === key ? checkpoint : null;
}

export function latestKey(root: string, sid: string): string | null {
	const key = readText(sessionPaths(root, sid).latest)?.trim();
	return key && isCheckpointKey(key) ? key : null;
}
