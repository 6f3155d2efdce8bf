import { basename } from "node:path";
import { applyLine, applyLineToState, takeAccount } from "../../core/context/apply.ts";
import { emptySnapshot, type SessionSnapshot } from "../../core/context/session-context.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import { attempt } from "../../files/quietly.ts";
import { whyOf } from "../../files/system-failure.ts";
import { heardIn } from "../../store/session/heard-prompts.ts";
import { readRecord, rememberRecord } from "../../store/session/records.ts";
import type { Session } from "../../store/session-handle.ts";
import { type ReadOptions, readTranscript, type Start, type TranscriptRead } from "./read-transcript.ts";

interface SessionRead extends TranscriptRead {
	state: SessionState;
	boundaries: Boundary[];
	/** It is another file, or was written anew: no place that was known before counts in it. */
	isAnew: boolean;
}

/** An automatic compaction met on the way. */
export interface Boundary {
	uuid: string;
	preTokens: number;
}

/**
 * Brings a record up to its transcript's end, in place, from where it is known on. Another transcript, or one that was written
 * anew, tells everything again: counted on top, all would count twice. Throws when the file can't be opened.
 */
export function bringUpToEnd(
	record: SessionSnapshot,
	path: string,
	options: ReadOptions = {},
	apply = applyLine,
): SessionRead {
	const { transcript_path: last, transcript_offset: offset, transcript_last } = record.cursor;
	// named after the session: a folder that was moved changes nothing in it
	const isSame = last === "" || basename(last) === basename(path);
	const { account } = record;
	const boundaries: Boundary[] = [];
	let isAnew = !isSame;
	const begin = (start: Start) => {
		isAnew ||= start === "anew";
		if (start !== "on" || !isSame) {
			const { session_id, created_at, cursor } = record;
			Object.assign(record, emptySnapshot(session_id, created_at), { cursor });
		}
		return (line: EventLine): void => {
			for (const event of line.events)
				if (event.kind === "boundary" && event.trigger === "auto" && event.preTokens)
					boundaries.push({ uuid: event.uuid, preTokens: event.preTokens });
			apply(record, line);
		};
	};
	const known = isSame ? { offset, last: transcript_last } : null;
	const read = readTranscript(path, known, begin, options);
	if (account && !isAnew) takeAccount(record, account);
	if (read.isPartial) record.state.partial = true;
	record.cursor = { transcript_path: path, transcript_offset: read.offset, transcript_last: read.last };
	return { ...read, state: record.state, boundaries, isAnew };
}

/**
 * The session as of now: what its record knows of this transcript, and what was written since; of no session, what the
 * transcript tells. Nothing is saved: a checkpoint is not lost to an update that runs beside it. Throws when the transcript
 * can't be opened.
 */
export function currentSession(session: Session | null, path: string, options: ReadOptions = {}): SessionRead {
	const record = (session && knownRecord(session)) ?? emptySnapshot(session?.id ?? "", 0);
	return bringUpToEnd(record, path, { ...(session && { heard: heardIn(session) }), ...options }, applyLineToState);
}

/** The transcript tells everything: a store that can't be read costs time alone. */
const knownRecord = (session: Session): SessionSnapshot | null =>
	attempt(
		(reason) => session.tell(whyOf(reason)),
		() => {
			const { record = null } = readRecord(session) ?? {};
			if (record) rememberRecord(record);
			return record;
		},
	);
