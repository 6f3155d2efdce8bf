import type { Content } from "../json-schema.ts";
import { sessionPaths } from "../paths.ts";
import { usageRecord } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

export type UsageRecord = Content<typeof stored.usageRecord>;

/** Of one moment: the next measurement brings it again. */
const USAGE = kindOf("measurement", usageRecord, { maxBytes: 64 * 1024, passing: true });

export const readUsage = (root: string, sid: string): UsageRecord | null =>
	readGood(sessionPaths(root, sid).usage, USAGE);

/** Not fsynced: the next measurement brings it again. */
export function writeUsage(root: string, sid: string, record: UsageRecord): void {
	writeVersioned(sessionPaths(root, sid).usage, USAGE, { version: 1, ...record }, { sync: false });
}
