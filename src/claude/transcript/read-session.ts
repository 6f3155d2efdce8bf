import { fold, readsResultOf } from "../../core/state/fold.ts";
import { emptyState, type SessionState } from "../../core/state/session-state.ts";
import type { TranscriptNode } from "../../core/transcript/active-branch.ts";
import { decode } from "../../core/transcript/decode.ts";
import type { TranscriptEvent } from "../../core/transcript/event.ts";
import { activeLines } from "./active-lines.ts";
import { BOUNDARY, boundaryEvent } from "./compactions.ts";
import { ANSWERS, MAX_WORDS, PICTURE, parseLine, RESULT } from "./parse-line.ts";
import { queueSignature } from "./signed-queue.ts";
import {
	findLineBackwards,
	forEachLine,
	isLineStart,
	lastLineStart,
	lineStart,
	openTranscript,
	type TranscriptFile,
} from "./transcript-file.ts";

const MB = 1024 * 1024;
/** Without a boundary in it, this much of the end is folded whole. */
const FULL = 6 * MB;
/** Before a boundary, when there is no ledger: this much is folded too. */
const OLDER = 2 * MB;
/** Before that: only what the user said and decided. */
const WORDS = 14 * MB;

/** The state of a session and how far in the transcript it reaches. */
export interface Ledger {
	offset: number;
	state: SessionState;
	/** The last lines of the active branch, on which what is new hangs. */
	last: TranscriptNode[];
}

export interface SessionRead extends Ledger {
	/** Automatic compactions met on the way. */
	boundaries: { uuid: string; preTokens: number }[];
	/** The last results, whole: for `foldLastResults`, which is no part of the ledger. */
	lookedAt: string[];
	bytesRead: number;
	/** The time was spent before everything was read: no ledger to go on from. */
	isCut: boolean;
}

export type Pace = () => "all" | "words" | "none";
/** Lines between two looks at the time. */
const LOOK = 32;

/**
 * Folds a transcript into the session's state, from where the ledger ends. What is too long for that, or has no ledger, is
 * folded whole only at its end (from before the last boundary on), and before that for what the user said and decided.
 * What the user rewound is left out; where that was read already, everything is read anew.
 * `until` ends the reading at a byte, as for the state before an earlier compaction. `pace` is asked now and then: "words"
 * takes only what the user said from there on, "none" ends the reading; then `isCut` is set. Bounded in time and memory whatever the
 * file's size. Throws when the file can't be opened.
 */
export function readSession(
	path: string,
	ledger: Ledger | null,
	until?: number,
	pace: Pace = () => "all",
): SessionRead {
	const file = openTranscript(path);
	try {
		const last = Math.min(until ?? file.size, file.size);
		// a half line of any length takes no other's place
		const end = isLineStart(file, last) ? last : lastLineStart(file, last, LONGEST);
		const known = ledger && ledger.offset <= end && isLineStart(file, ledger.offset) ? ledger : null;
		const lowest = known?.offset ?? 0;
		const full = known && end - lowest <= FULL ? lowest : Math.max(lowest, fullStart(file, end));
		const words = Math.max(lowest, full - WORDS);
		const active = activeLines(file, words, end, words === known?.offset ? known.last : undefined);
		// the user went back behind what was read
		if (!active) return readSession(path, null, until, pace);
		const state = known ? known.state : emptyState();
		const boundaries: SessionRead["boundaries"] = [];
		const signsQueue = queueSignature(file);
		const take = (event: TranscriptEvent): void => {
			if (event.kind === "boundary" && event.trigger === "auto" && event.preTokens)
				boundaries.push({ uuid: event.uuid, preTokens: event.preTokens });
			fold(state, event);
		};
		if (words > lowest) state.partial = true;
		let count = 0;
		let now: ReturnType<Pace> = "all";
		const paced = (): ReturnType<Pace> => {
			if (count++ % LOOK === 0) now = pace();
			return now;
		};
		if (words < full)
			forEachLine(
				file,
				words,
				full,
				(line) => {
					if (paced() === "none") return false;
					if (isUserWord(line) && active.isActive(line)) takeLine(line, take, signsQueue);
					else if (line.length > MAX_WORDS && isTyped(line)) state.partial = true;
					return true;
				},
				SHORTEST,
			);
		const results = lastResults();
		let left = end - full;
		let reached = full;
		forEachLine(
			file,
			full,
			end,
			(line, start) => {
				left = end - start - line.length;
				if (!isTelling(line) || !active.isActive(line)) return true;
				const rest = paced();
				if (rest === "none") return false;
				reached = start + line.length;
				if (rest === "words") {
					if (isUserWord(line) && active.isActive(line)) takeLine(line, take, signsQueue);
					return true;
				}
				if (left < LAST_BYTES) results.see(line);
				if (!passOver(line, state)) takeLine(line, take, signsQueue);
				return true;
			},
			SHORTEST,
		);
		// the last words are what is asked: they are read whatever else was left out
		if ((now as ReturnType<Pace>) === "none")
			takeLastWords(file, Math.max(reached, end - LAST_WORDS), end, (line) => {
				if (active.isActive(line)) takeLine(line, take, signsQueue);
			});
		const isCut = (now as ReturnType<Pace>) !== "all";
		if (isCut) state.partial = true;
		const lookedAt = isCut ? [] : results.texts();
		return { state, offset: end, last: active.last, boundaries, lookedAt, bytesRead: file.bytesRead, isCut };
	} finally {
		file.close();
	}
}

function takeLastWords(file: TranscriptFile, from: number, end: number, takeOne: (line: Buffer) => void): void {
	const lines: Buffer[] = [];
	forEachLine(
		file,
		from,
		end,
		(line) => {
			if (!isUserWord(line)) return;
			lines.push(Buffer.from(line));
			if (lines.length > LAST_LINES) lines.shift();
		},
		SHORTEST,
	);
	for (const line of lines) takeOne(line);
}

/** Byte at which line `n` (from 1) begins; the file's size when it has fewer lines. Throws when the file can't be opened. */
export function nthLineStart(path: string, n: number): number {
	const file = openTranscript(path);
	try {
		return lineStart(file, n) ?? file.size;
	} finally {
		file.close();
	}
}

function fullStart(file: TranscriptFile, end: number): number {
	const boundary = findLineBackwards(file, BOUNDARY, end, FULL, (line) => boundaryEvent(line) !== null);
	return Math.max(0, boundary === null ? end - FULL : boundary - OLDER);
}

/** A line that surprises costs itself, not the checkpoint. */
function takeLine(line: Buffer, take: (event: TranscriptEvent) => void, signsQueue = () => true): void {
	try {
		for (const event of decode(parseLine(line), signsQueue)) take(event);
	} catch {
		// foreign shapes inside a known line
	}
}

/** Less is no line of a transcript. */
const SHORTEST = 32;
/** Further back no half line begins. */
const LONGEST = 256 * MB;
/** Read when the time is spent, so many lines of it. */
const LAST_WORDS = MB / 2;
const LAST_LINES = 2_000;

/** A cheap look before the parse: most bytes of a transcript are progress, snapshots and requests as sent. */
const isTelling = (line: Buffer): boolean => TELLING.some((word) => line.includes(word));

/** Results whose names count although the fold passes over most of their text. */
const LAST_RESULTS = 16;
const LAST_BYTES = MB;

/** Keeps the last lines that hold a result, and gives the results' text. */
function lastResults(): { see(line: Buffer): void; texts(): string[] } {
	const lines: Buffer[] = [];
	return {
		see(line) {
			if (line.length > MAX_WORDS || !line.includes(RESULT) || line.includes(AGENT_PROGRESS)) return;
			// the chunk it lies in is read over
			lines.push(Buffer.from(line));
			if (lines.length > LAST_RESULTS) lines.shift();
		},
		texts: () =>
			lines.flatMap((line) => {
				const events: TranscriptEvent[] = [];
				takeLine(line, (event) => events.push(event));
				return events.flatMap((event) => (event.kind === "result" ? [event.text] : []));
			}),
	};
}

const bytes = (text: string): Buffer => Buffer.from(text);
const USER = bytes('"type":"user"');
const QUEUED = [bytes('"queued_command"'), bytes('"queue-operation"')];
const ASSISTANT = bytes('"type":"assistant"');
const TELLING = [USER, ASSISTANT, bytes(BOUNDARY), ...QUEUED];
/** Calls that ask the user, and results in which the user answered. */
const DIALOGS = ['"name":"AskUserQuestion"', '"name":"ExitPlanMode"'].map(bytes);
const AGENT_PROGRESS = bytes('"data":{"type":"agent_progress"');
const FAILED = bytes('"is_error":true');
const RESULT_ID = bytes('"tool_use_id":"');
/** Shorter lines are not worth the look. */
const LARGE = 2_048;
const QUOTE = 34;

function isUserWord(line: Buffer): boolean {
	if (line.length > MAX_WORDS) return line.includes(PICTURE) && isTyped(line);
	if (line.includes(RESULT)) return ANSWERS.some((mark) => line.includes(mark));
	if (line.includes(ASSISTANT)) return DIALOGS.some((mark) => line.includes(mark));
	return line.includes(USER) || QUEUED.some((mark) => line.includes(mark));
}

const isTyped = (line: Buffer): boolean => line.includes(USER) && !line.includes(RESULT);

/**
 * Spares the parse of a large line that tells nothing but that a call succeeded: half of a transcript's bytes are results
 * of which the state keeps no word.
 */
function passOver(line: Buffer, state: SessionState): boolean {
	if (line.length < LARGE) return false;
	if (line.includes(AGENT_PROGRESS)) return true;
	if (!line.includes(RESULT) || line.includes(FAILED)) return false;
	const at = line.indexOf(RESULT_ID);
	if (at < 0) return false;
	const from = at + RESULT_ID.length;
	const id = line.toString("latin1", from, line.indexOf(QUOTE, from));
	const call = state.open[id];
	if (call && readsResultOf(call.tool)) return false;
	if (call) fold(state, { kind: "result", at: "", id, failed: false, text: "", detail: null });
	return true;
}
