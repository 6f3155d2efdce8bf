import { sessionPaths } from "../paths.ts";
import { batch as batchShape } from "../shapes.generated.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

/** Of one moment. */
const BATCH = kindOf("last batch", batchShape, { passing: true });

/** The ids of the calls that ended within the last `withinMs`; none when there is no such batch. */
export function recentBatch(root: string, sid: string, now: Date, withinMs: number): string[] {
	const batch = readGood(sessionPaths(root, sid).batch, BATCH);
	return batch && Math.abs(now.getTime() - batch.atMs) <= withinMs ? batch.ids : [];
}

export function writeBatch(root: string, sid: string, now: Date, ids: string[]): void {
	writeVersioned(sessionPaths(root, sid).batch, BATCH, { version: 1, atMs: now.getTime(), ids }, { sync: false });
}
