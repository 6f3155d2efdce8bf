import type { Content } from "../json-schema.ts";
import type { Session } from "../session-handle.ts";
import { usageRecord } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

export type UsageRecord = Content<typeof stored.usageRecord>;

/** Of one moment: the next measurement brings it again. */
const USAGE = kindOf("measurement", usageRecord, { maxBytes: 64 * 1024, passing: true });

export const readUsage = (session: Session): UsageRecord | null => readGood(session.paths.usage, USAGE, session.tell);

/** Not fsynced: the next measurement brings it again. */
export function writeUsage(session: Session, record: UsageRecord): void {
	writeVersioned(session.paths.usage, USAGE, { version: 1, ...record }, { sync: false });
}
