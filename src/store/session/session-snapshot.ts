import { readdirSync } from "node:fs";
import { join } from "node:path";
import { applyLate } from "../../core/context/apply.ts";
import { sessionContext } from "../../core/context/project.ts";
import { emptySnapshot, type SessionContext, type SessionSnapshot } from "../../core/context/session-context.ts";
import { RULES_VERSION } from "../../core/redact/rules-version.ts";
import { rememberRedacted } from "../../core/redact/secrets.ts";
import { HOOK_WAIT_MS, withLock } from "../kernel-lock.ts";
import { isSessionId } from "../paths.ts";
import type { Session } from "../session-handle.ts";
import { sessionSnapshot } from "../shapes.generated.ts";
import { kindOf, type Read, readVersioned, tellOf, writeVersioned } from "../versioned-file.ts";
import { readLate } from "./event-log.ts";

const SNAPSHOT = kindOf("session snapshot", sessionSnapshot, { keepLast: true });

/** What the disk holds of a session: absent, good, or left alone with a problem. Never throws. */
export function readSnapshot(session: Session, now: Date): Read<SessionSnapshot> {
	const path = session.paths.state;
	const read = readVersioned(path, SNAPSHOT, now);
	// a file of another session, copied here by hand, says nothing about this one
	if (read.found === "good" && read.value.session_id !== session.id)
		return {
			found: "unreadable",
			problem: `session snapshot ${path}: it is of session ${read.value.session_id}; left as it is`,
		};
	if (read.found === "good" && read.value.redacted_by === RULES_VERSION) rememberRedacted(read.value);
	return read;
}

/** What the disk holds, as `ccg sessions` shows it. */
export function readContext(session: Session, now: Date): Read<SessionContext> {
	const read = readSnapshot(session, now);
	return read.found === "good" ? { ...read, value: sessionContext(read.value) } : read;
}

/**
 * The snapshot of a session, an empty one when there is none; what was written to the event log without its lock is in it.
 * Throws with code `EUNUSABLE` when the file must be left alone.
 */
export function loadSnapshot(session: Session, now: Date): SessionSnapshot {
	const read = readSnapshot(session, now);
	if (read.found === "newer" || read.found === "unreadable")
		throw Object.assign(new Error(read.problem), { code: "EUNUSABLE" });
	tellOf(read, session.tell);
	const snapshot = read.found === "good" ? read.value : emptySnapshot(session.id, Math.floor(now.getTime() / 1000));
	return withLate(session, snapshot);
}

/** With what was written to the event log since by somebody who could not have the lock. */
export function withLate(session: Session, snapshot: SessionSnapshot): SessionSnapshot {
	const late = readLate(session, snapshot.cursor.event_log_offset);
	applyLate(snapshot, late.records);
	snapshot.cursor.event_log_offset = late.end;
	return snapshot;
}

/** Writes a snapshot, whole and atomically; the version before it stays beside it. For the holder of the lock. */
export function saveSnapshot(session: Session, snapshot: SessionSnapshot): void {
	snapshot.redacted_by = RULES_VERSION;
	writeVersioned(session.paths.state, SNAPSHOT, snapshot, { tell: session.tell });
}

/**
 * Loads, changes and saves a session's snapshot as its only writer. `change` works in place and gives `false` to leave it.
 * Holds the lock for as long as `change` takes; waits `waitMs` for it. Throws `ELOCKED` when another holds it, `EUNUSABLE` when
 * the file on disk must be left alone, and what the file system says.
 */
export function updateSnapshot(
	session: Session,
	now: Date,
	change: (snapshot: SessionSnapshot) => unknown,
	{ waitMs = HOOK_WAIT_MS }: { waitMs?: number } = {},
): void {
	withLock(
		session.paths.contextLock,
		() => {
			const snapshot = loadSnapshot(session, now);
			if (change(snapshot) !== false) saveSnapshot(session, snapshot);
		},
		{ waitMs },
	);
}

/** The ids of all sessions the store knows, with or without a context. */
export function listSessions(root: string): string[] {
	try {
		return readdirSync(join(root, "sessions")).filter(isSessionId).sort();
	} catch {
		return [];
	}
}
