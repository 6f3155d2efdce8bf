import type { Session } from "../session-handle.ts";
import { batch as batchShape } from "../shapes.generated.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

/** Of one moment. */
const BATCH = kindOf("last batch", batchShape, { passing: true });

/** The ids of the calls that ended within the last `withinMs`; none when there is no such batch. */
export function recentBatch(session: Session, now: Date, withinMs: number): string[] {
	const batch = readGood(session.paths.batch, BATCH, session.tell);
	return batch && Math.abs(now.getTime() - batch.atMs) <= withinMs ? batch.ids : [];
}

export function writeBatch(session: Session, now: Date, ids: string[]): void {
	writeVersioned(session.paths.batch, BATCH, { version: 1, atMs: now.getTime(), ids }, { sync: false });
}
