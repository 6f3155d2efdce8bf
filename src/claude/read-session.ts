import { fold } from "../core/state/fold.ts";
import { emptyState, type SessionState } from "../core/state/session-state.ts";
import { decode } from "../core/transcript/decode.ts";
import type { TranscriptEvent } from "../core/transcript/event.ts";
import {
	findLineBackwards,
	forEachLine,
	isLineStart,
	lastLineStart,
	openTranscript,
	type TranscriptFile,
} from "./transcript-file.ts";

/** A segment larger than this is read from its end only. */
const MAX_SEGMENT = 32 * 1024 * 1024;
/** Without a ledger, this much before the segment is searched for what the user said. */
const OLDER = 4 * 1024 * 1024;

/** The state of a session and how far in the transcript it reaches. */
export interface Ledger {
	offset: number;
	state: SessionState;
}

export interface SessionRead extends Ledger {
	/** Automatic compactions met on the way. */
	boundaries: { uuid: string; preTokens: number }[];
	bytesRead: number;
}

/**
 * Folds a transcript into the session's state: from where the ledger ends, else the last segment whole and of what came
 * before only the user's words. `until` ends the reading at a byte, as for the state before an earlier compaction. Bounded
 * in time and memory whatever the file's size. Throws when the file can't be opened.
 */
export function readSession(path: string, ledger: Ledger | null, until?: number): SessionRead {
	const file = openTranscript(path);
	try {
		const end = Math.min(until ?? file.size, file.size);
		const known = ledger && ledger.offset <= end && isLineStart(file, ledger.offset) ? ledger : null;
		const state = known ? known.state : emptyState();
		const boundaries: SessionRead["boundaries"] = [];
		const take = (event: TranscriptEvent): void => {
			if (event.kind === "boundary" && event.trigger === "auto" && event.preTokens)
				boundaries.push({ uuid: event.uuid, preTokens: event.preTokens });
			fold(state, event);
		};
		const from = known && end - known.offset <= MAX_SEGMENT ? known.offset : segmentStart(file, end);
		const olderFrom = Math.max(known?.offset ?? 0, from - OLDER);
		if (olderFrom < from) forEachLine(file, olderFrom, from, (line) => isUserWord(line) && takeLine(line, take));
		forEachLine(file, from, end, (line) => isTelling(line) && takeLine(line, take));
		return { state, offset: wholeLinesEnd(file, end), boundaries, bytesRead: file.bytesRead };
	} finally {
		file.close();
	}
}

/** Offset of the last compaction boundary of the main thread before `until`, its uuid and time; `null` without one in reach. */
export function lastBoundary(path: string, until?: number): { offset: number; uuid: string; at: string } | null {
	const file = openTranscript(path);
	try {
		let found: { uuid: string; at: string } | null = null;
		const offset = findLineBackwards(file, BOUNDARY, until ?? file.size, MAX_SEGMENT, (line) => {
			const event = boundaryEvent(line);
			if (event) found = { uuid: event.uuid, at: event.at };
			return event !== null;
		});
		return offset === null || !found ? null : { offset, ...(found as { uuid: string; at: string }) };
	} finally {
		file.close();
	}
}

/** Whether a hook's attachment behind `offset` holds `text`: what Claude Code restores on resume, the model has already. */
export function attachmentHolds(path: string, offset: number, text: string): boolean {
	const file = openTranscript(path);
	try {
		let holds = false;
		forEachLine(file, Math.max(offset, file.size - MAX_SEGMENT), file.size, (line) => {
			if (!holds && line.includes(text) && line.includes('"attachment"')) holds = isHookAttachment(line);
		});
		return holds;
	} finally {
		file.close();
	}
}

const BOUNDARY = '"compact_boundary"';

function segmentStart(file: TranscriptFile, end: number): number {
	const boundary = findLineBackwards(file, BOUNDARY, end, MAX_SEGMENT, (line) => boundaryEvent(line) !== null);
	return boundary ?? Math.max(0, end - MAX_SEGMENT);
}

function boundaryEvent(line: string): Extract<TranscriptEvent, { kind: "boundary" }> | null {
	const event = decode(parse(line))[0];
	return event?.kind === "boundary" ? event : null;
}

function takeLine(line: Buffer, take: (event: TranscriptEvent) => void): void {
	for (const event of decode(parse(line.toString("utf8")))) take(event);
}

/** A cheap look before the parse: most bytes of a transcript are progress, snapshots and requests as sent. */
function isTelling(line: Buffer): boolean {
	return TELLING.some((word) => line.includes(word));
}

const TELLING = ['"type":"user"', '"type":"assistant"', BOUNDARY, '"queued_command"', '"queue-operation"'];

function isUserWord(line: Buffer): boolean {
	if (line.includes('"queued_command"') || line.includes('"queue-operation"')) return true;
	return line.includes('"type":"user"') && !line.includes('"tool_result"');
}

function isHookAttachment(line: Buffer): boolean {
	const entry = parse(line.toString("utf8")) as { type?: string; attachment?: { type?: string } } | undefined;
	return entry?.type === "attachment" && /^hook_/.test(entry.attachment?.type ?? "");
}

function wholeLinesEnd(file: TranscriptFile, end: number): number {
	if (isLineStart(file, end)) return end;
	// the last line is half written: the next reading begins at its start
	return lastLineStart(file, end);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
