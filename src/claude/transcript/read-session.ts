import { applyToState } from "../../core/state/apply.ts";
import { readsResultOf } from "../../core/state/results.ts";
import { emptyState, type SessionState } from "../../core/state/session-state.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import {
	type LineSink,
	type ReadOptions,
	type ReadTo,
	readTranscript,
	type TranscriptRead,
} from "./read-transcript.ts";
import { lineStart, openTranscript } from "./transcript-file.ts";

/** The state of a session and how far in the transcript it reaches. */
export interface KnownSession extends ReadTo {
	state: SessionState;
}

export interface SessionRead extends KnownSession, TranscriptRead {
	boundaries: Boundary[];
}

/** An automatic compaction met on the way. */
export interface Boundary {
	uuid: string;
	preTokens: number;
}

/**
 * The state of a session at its transcript's end, from where it is known on. What is known is changed in place. Large results
 * of which the state keeps no word are not parsed. Throws when the file can't be opened.
 */
export function readSession(path: string, known: KnownSession | null, options: ReadOptions = {}): SessionRead {
	let state = known?.state ?? emptyState();
	const boundaries: Boundary[] = [];
	const begin = (start: string): LineSink => {
		if (start !== "on") state = emptyState();
		const asks = (id: string): boolean => Object.hasOwn(state.open, id) && readsResultOf(state.open[id]!.tool);
		return { take: (line) => takeLine(state, line, boundaries), asks };
	};
	const read = readTranscript(path, known, begin, options);
	if (read.isPartial) state.partial = true;
	// not every call was read: what was done can't be told any more
	if (read.gap || read.isCut) delete state.deeds;
	return { ...read, state, boundaries };
}

function takeLine(state: SessionState, line: EventLine, boundaries: Boundary[]): void {
	boundaries.push(...boundariesIn(line));
	for (const event of line.events) applyToState(state, event);
}

/** The automatic compactions of a line. */
export const boundariesIn = ({ events }: EventLine): Boundary[] =>
	events.flatMap((event) =>
		event.kind === "boundary" && event.trigger === "auto" && event.preTokens
			? [{ uuid: event.uuid, preTokens: event.preTokens }]
			: [],
	);

/** Byte at which line `n` (from 1) begins; the file's size when it has fewer lines. Throws when the file can't be opened. */
export function nthLineStart(path: string, n: number): number {
	const file = openTranscript(path);
	try {
		return lineStart(file, n) ?? file.size;
	} finally {
		file.close();
	}
}
