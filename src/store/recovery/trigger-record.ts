import { join } from "node:path";
import type { Content } from "../json-schema.ts";
import { withLock } from "../kernel-lock.ts";
import type { Session } from "../session-handle.ts";
import { checkpointTriggers } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

/** How far a session was looked at for what makes a checkpoint, and its waves of subagents. */
export type TriggerRecord = Content<typeof stored.checkpointTriggers>;

/** What it holds the next turn's end looks for anew. */
const RECORD = kindOf("checkpoint triggers", checkpointTriggers, { maxBytes: 1024 * 1024, passing: true });

const pathOf = ({ paths }: Session): string => join(paths.folder, "checkpoint-triggers.json");

export function readTriggerRecord(session: Session): TriggerRecord {
	const record = readGood(pathOf(session), RECORD, session.tell);
	return record
		? { seen: record.seen, agents: record.agents, waves: record.waves }
		: { seen: null, agents: [], waves: [] };
}

export const writeTriggerRecord = (session: Session, record: TriggerRecord): void =>
	writeVersioned(pathOf(session), RECORD, { version: 1, ...record }, { sync: false });

/** What takes a checkpoint by itself does so alone in its session. Throws `ELOCKED` when another is still at it. */
export const aloneWithCheckpoints = <T>(session: Session, act: () => T, waitMs: number): T =>
	withLock(join(session.paths.folder, "checkpoint.lock"), act, { waitMs });
