import { basename } from "node:path";
import { applyLine, applyLineToState, applyTaskList } from "../../core/context/apply.ts";
import { emptySnapshot, type SessionSnapshot } from "../../core/context/session-context.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import { tryOrLog } from "../../files/quietly.ts";
import { errorText } from "../../files/system-failure.ts";
import { promptChecker } from "../../store/session/heard-prompts.ts";
import { readRecord, rememberRecord } from "../../store/session/records.ts";
import type { Session } from "../../store/session-handle.ts";
import { type ReadOptions, type ReadStart, readTranscript, type TranscriptRead } from "./read-transcript.ts";

interface SessionRead extends TranscriptRead {
	state: SessionState;
	boundaries: Boundary[];
	/** Whether it is another file, or was written anew: offsets from before mean nothing in it. */
	isAnew: boolean;
}

/** An automatic compaction met on the way. */
export interface Boundary {
	uuid: string;
	preTokens: number;
}

/**
 * Brings a session's record up to its transcript's end, in place, from where the last reading ended. Another, rewritten or rewound transcript
 * empties the record first, else all would count twice. Claude Code's last list of background tasks is applied again, unless it belonged
 * to another file. `apply` applies a line to the record. Throws when the file can't be opened.
 */
export function catchUpRecord(record: SessionSnapshot, path: string, options: ReadOptions = {}, apply = applyLine) {
	const { transcript_path: last, transcript_offset: offset, transcript_last } = record.cursor;
	// the file's name is the session's: a folder that was moved changes nothing in it
	const isSame = last === "" || basename(last) === basename(path);
	const { account } = record;
	const boundaries: Boundary[] = [];
	let isAnew = !isSame;
	/** Empties the record where it has to be made anew, and gives the function that applies each line to it. */
	const onStart = (start: ReadStart) => {
		isAnew ||= start === "anew";
		if (start !== "continued" || !isSame) {
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
	const read = readTranscript(path, known, onStart, options);
	if (account && !isAnew) applyTaskList(record, account);
	if (read.isPartial) record.state.partial = true;
	record.cursor = { transcript_path: path, transcript_offset: read.offset, transcript_last: read.last };
	return { ...read, state: record.state, boundaries, isAnew };
}

/** Gives the session as of now, from its record and the transcript. Saves nothing: an update may run beside it. Throws without a transcript. */
export function readCurrentSession(session: Session | null, path: string, options: ReadOptions = {}): SessionRead {
	const record = (session && readKnownRecord(session)) ?? emptySnapshot(session?.id ?? "", 0);
	const isPrompt = session ? promptChecker(session) : undefined;
	return catchUpRecord(record, path, { isPrompt, ...options }, applyLineToState);
}

/** The session's record in the store; `null` where there is none, or the store can't be read. */
const readKnownRecord = (session: Session): SessionSnapshot | null =>
	tryOrLog(
		(reason) => session.onProblem(errorText(reason)),
		() => {
			const { record = null } = readRecord(session) ?? {};
			if (record) rememberRecord(record);
			return record;
		},
	);
