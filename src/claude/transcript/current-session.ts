import type { SessionSnapshot } from "../../core/context/session-context.ts";
import { endUnlisted } from "../../core/state/background-account.ts";
import { heardIn } from "../../store/session/heard-prompts.ts";
import { readSnapshot, withLate } from "../../store/session/session-snapshot.ts";
import type { Session } from "../../store/session-handle.ts";
import { tellOf } from "../../store/versioned-file.ts";
import { type KnownSession, readSession, type SessionRead } from "./read-session.ts";
import type { ReadOptions } from "./read-transcript.ts";

/**
 * The session as of now: what its last update knew of this transcript, and what was written since. The lock is not taken and
 * nothing is saved: a checkpoint neither waits nor is lost, and the update that runs beside it does both. Throws when the
 * transcript can't be opened.
 */
export function currentSession(session: Session, path: string, now: Date, options: ReadOptions = {}): SessionRead {
	const known = knownSession(session, path, now);
	const read = readSession(path, known, { heard: heardIn(session), ...options });
	const { state } = read;
	if (known?.account) endUnlisted(state, known.account);
	return read;
}

function knownSession(session: Session, path: string, now: Date): (KnownSession & SessionSnapshot) | null {
	// without one the event log tells nothing of use, and may be long
	const read = readSnapshot(session, now);
	tellOf(read, session.tell);
	if (read.found !== "good") return null;
	const snapshot = withLate(session, read.value);
	const { transcript_path: last, transcript_offset: offset, transcript_last } = snapshot.cursor;
	return last === path ? { ...snapshot, offset, last: transcript_last } : null;
}
