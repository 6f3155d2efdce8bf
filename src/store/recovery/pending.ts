import { renameSync, unlinkSync } from "node:fs";
import { quietly } from "../atomic-write.ts";
import type { Content } from "../json-schema.ts";
import type { Session } from "../session-handle.ts";
import { pending as pendingShape } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

/** A compaction that PreCompact prepared for. Pending until SessionStart, PostCompact or a boundary proves it. */
export type Pending = Content<typeof stored.pending>;

/** Where the cycle stands: of one moment, and an earlier one would be another compaction's. */
const PENDING = kindOf("pending compaction", pendingShape, { maxBytes: 64 * 1024, passing: true });

export const setPending = (session: Session, pending: Pending): void =>
	writeVersioned(session.paths.pending, PENDING, { version: 1, ...pending }, { durable: true });

export const readPending = (session: Session): Pending | null =>
	asPending(readGood(session.paths.pending, PENDING, session.tell));
export const readCommitted = (session: Session): Pending | null =>
	asPending(readGood(committedPath(session), PENDING, session.tell));

/** Pending becomes committed: by rename, so that of two events that see it at once one succeeds. */
export function commitPending(session: Session, now: Date): boolean {
	try {
		renameSync(session.paths.pending, committedPath(session));
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return false;
		throw error;
	}
	const pending = readCommitted(session);
	if (pending) setCommitted(session, { ...pending, committedAt: now.toISOString() });
	return true;
}

/** A compaction that took place, also one that no PreCompact prepared for: what was pending is over. */
export function setCommitted(session: Session, pending: Pending): void {
	writeVersioned(committedPath(session), PENDING, { version: 1, ...pending });
	quietly(() => unlinkSync(session.paths.pending));
}

/** When the last compaction took place; ISO time, `""` before the first. A summary may be written long before. */
export function compactedAt(session: Session): string {
	const committed = readCommitted(session);
	return committed?.committedAt ?? committed?.at ?? "";
}

const committedPath = (session: Session): string => session.paths.committed;

function asPending(file: (Pending & { version: 1 }) | null): Pending | null {
	if (!file) return null;
	const { version: _, ...pending } = file;
	return pending;
}
