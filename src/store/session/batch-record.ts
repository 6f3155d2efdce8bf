import { sessionPaths } from "../paths.ts";
import { listOf, literal, number, object, shape, text } from "../shape.ts";
import { type FileKind, readGood, unversioned, writeVersioned } from "../versioned-file.ts";

/** The last batch of tool calls: what PreCompact has to find in the transcript, which is written behind the events. */
interface BatchRecord {
	version: 1;
	/** Milliseconds since 1970. */
	atMs: number;
	ids: string[];
}

/** Of one moment. */
const BATCH: FileKind<BatchRecord> = {
	name: "last batch",
	version: 1,
	schema: shape(object({ version: literal(1), atMs: number, ids: listOf(text) })),
	migrations: unversioned,
	passing: true,
};

/** The ids of the calls that ended within the last `withinMs`; none when there is no such batch. */
export function recentBatch(root: string, sid: string, now: Date, withinMs: number): string[] {
	const batch = readGood(sessionPaths(root, sid).batch, BATCH);
	return batch && Math.abs(now.getTime() - batch.atMs) <= withinMs ? batch.ids : [];
}

export function writeBatch(root: string, sid: string, now: Date, ids: string[]): void {
	writeVersioned(sessionPaths(root, sid).batch, BATCH, { version: 1, atMs: now.getTime(), ids }, { sync: false });
}
