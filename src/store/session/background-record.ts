import { sessionPaths } from "../paths.ts";
import { listOf, literal, object, or, shape, text } from "../shape.ts";
import { type FileKind, readGood, writeVersioned } from "../versioned-file.ts";

/** What ran in the background when the turn ended, by Claude Code's own account. */
export interface BackgroundRecord {
	version: 1;
	/** ISO time. */
	at: string;
	tasks: { id: string; kind: string; description: string }[];
}

/** Of one moment: the next Stop says it anew. */
const BACKGROUND: FileKind<BackgroundRecord> = {
	name: "background work",
	version: 1,
	maxBytes: 256 * 1024,
	schema: shape(
		object({
			version: literal(1),
			at: text,
			tasks: listOf(object({ id: text, kind: or(text, "task"), description: or(text, "") })),
		}),
	),
	passing: true,
};

export const saveBackground = (root: string, sid: string, record: Omit<BackgroundRecord, "version">): void =>
	writeVersioned(sessionPaths(root, sid).background, BACKGROUND, { version: 1, ...record }, { sync: false });

export const readBackground = (root: string, sid: string): BackgroundRecord | null =>
	readGood(sessionPaths(root, sid).background, BACKGROUND);
