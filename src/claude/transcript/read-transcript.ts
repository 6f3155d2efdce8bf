import type { TranscriptNode } from "../../core/transcript/active-branch.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import type { Witness } from "../../core/transcript/provenance.ts";
import { type ActiveLines, activeLines } from "./active-lines.ts";
import { BOUNDARY, boundaryEvent } from "./compactions.ts";
import { eventLine } from "./event-line.ts";
import { isTelling, isTyped, isUserWord, passedOver } from "./line-marks.ts";
import { MAX_WORDS } from "./parse-line.ts";
import { queueSignature } from "./signed-queue.ts";
import {
	findLineBackwards,
	forEachLine,
	isLineStart,
	lastLineStart,
	openTranscript,
	type TranscriptFile,
} from "./transcript-file.ts";

const MB = 1024 * 1024;
/** Without a boundary in it, this much of the end is read whole; where nobody waits, twice as much with any. */
const FULL = 6 * MB;
const THOROUGH = 2 * FULL;
/** Before a boundary, when nothing was read before: this much is read too. */
const OLDER = 2 * MB;
/** Before that: only what the user said and decided. */
const WORDS = 14 * MB;
/** Less is no line of a transcript. */
const SHORTEST = 32;
/** Further back no half line begins. */
const LONGEST = 256 * MB;
/** Read when the time is spent, so many lines of it. */
const LAST_WORDS = MB / 2;
const LAST_LINES = 2_000;
/** Lines between two looks at the time. */
const LOOK = 32;

/** How far a transcript was read, and the last lines of the active branch, on which what is new hangs. */
export interface ReadTo {
	offset: number;
	last: TranscriptNode[];
}

/** `on`: from where the last reading ended. `anew`: another file. `rewound`: the user went back behind what was read. */
export type Start = "on" | "anew" | "rewound";

/** Takes the lines. */
export interface LineSink {
	take(line: EventLine): void;
	/** Whether a result says more than that its call succeeded; without it every result does. */
	asks?(id: string): boolean;
}

export interface TranscriptRead extends ReadTo {
	/** The part that was not read whole. */
	gap: { from: number; to: number } | null;
	/** Not everything the user said was read. */
	isPartial: boolean;
	/** The time was spent before everything was read: nothing to go on from. */
	isCut: boolean;
	/** The lines on branches that were left. */
	left: string[];
	bytesRead: number;
}

export type Pace = () => "all" | "words" | "none";

export interface ReadOptions {
	/** Ends the reading at a byte, as for the state before an earlier compaction. */
	until?: number | undefined;
	/** Asked now and then: "words" takes only what the user said from there on, "none" ends the reading. */
	pace?: Pace | undefined;
	/** Nobody waits for it: much is read, and when the time is spent the next reading goes on from there. */
	isThorough?: boolean;
	/** Whether Claude Code handed this text over as a prompt; asked of a line that does not tell who spoke. */
	heard?: ((text: string) => boolean) | undefined;
	/** With `isThorough`: everything is read whole, whatever its size, as for the search index. */
	isWhole?: boolean;
}

/**
 * Reads a transcript's active branch, from where the last reading ended: the one place where its lines are read, parsed and
 * decoded. What is too long for that, or was not read before, is read whole only at its end, and before that for what the user
 * said and decided. `begin` gives what takes the lines. What the user rewound is left out; where that was read already,
 * everything is read anew. Bounded in time and memory whatever the file's size. Throws when the file can't be opened.
 */
export function readTranscript(
	path: string,
	known: ReadTo | null,
	begin: (start: Start) => LineSink,
	options: ReadOptions = {},
): TranscriptRead {
	const file = openTranscript(path);
	try {
		const witness = { signsQueue: queueSignature(file), heard: options.heard ?? (() => false) };
		const reading = (active: ActiveLines, start: Start): Reading =>
			new Reading(file, active, begin(start), witness, options);
		const range = rangeOf(file, known, options);
		const from = range.words === range.known?.offset ? range.known.last : undefined;
		const active = activeLines(file, range.words, range.end, from);
		if (active) return reading(active, range.known || !known ? "on" : "anew").read(range);
		const whole = rangeOf(file, null, options);
		return reading(activeLines(file, whole.words, whole.end)!, "rewound").read(whole);
	} finally {
		file.close();
	}
}

/** What is read: from `words` on what the user said, from `full` on everything. */
interface ReadRange {
	known: ReadTo | null;
	lowest: number;
	words: number;
	full: number;
	end: number;
}

function rangeOf(
	file: TranscriptFile,
	given: ReadTo | null,
	{ until = file.size, isThorough = false, isWhole = false }: ReadOptions,
): ReadRange {
	const last = Math.min(until, file.size);
	// a half line of any length takes no other's place
	const end = isLineStart(file, last) ? last : lastLineStart(file, last, LONGEST);
	const known = given && given.offset <= end && isLineStart(file, given.offset) ? given : null;
	const lowest = known?.offset ?? 0;
	const most = isWhole ? Infinity : isThorough ? THOROUGH : FULL;
	const start = (): number => (isThorough ? Math.max(0, end - most) : fullStart(file, end));
	const full = known && end - lowest <= most ? lowest : Math.max(lowest, start());
	return { known, lowest, words: Math.max(lowest, full - WORDS), full, end };
}

function fullStart(file: TranscriptFile, end: number): number {
	const boundary = findLineBackwards(file, BOUNDARY, end, FULL, (line) => boundaryEvent(line) !== null);
	return Math.max(0, boundary === null ? end - FULL : boundary - OLDER);
}

/** One reading, from its range's beginning to its end. */
class Reading {
	private lines = 0;
	private rest: ReturnType<Pace> = "all";
	private isPartial = false;
	private stopped: number | null = null;
	private readonly pace: Pace;
	private readonly isThorough: boolean;

	constructor(
		private readonly file: TranscriptFile,
		private readonly active: ActiveLines,
		private readonly sink: LineSink,
		private readonly witness: Witness,
		{ pace = () => "all", isThorough = false }: ReadOptions,
	) {
		this.pace = pace;
		this.isThorough = isThorough;
	}

	read({ lowest, words, full, end }: ReadRange): TranscriptRead {
		this.isPartial = words > lowest || this.active.beginsInside;
		this.readWords(words, full);
		if (this.stopped === null || !this.isThorough) this.readWhole(full, end);
		// the last words are what is asked: they are read whatever else was left out
		if (this.rest === "none" && !this.isThorough) this.readLastWords(end);
		const isCut = this.rest !== "all" && !this.isThorough;
		const offset = this.isThorough ? (this.stopped ?? end) : end;
		return {
			offset,
			last: this.active.lastBefore(offset),
			gap: full > lowest ? { from: lowest, to: Math.min(full, offset) } : null,
			isPartial: this.isPartial || isCut,
			isCut,
			left: [...this.active.left],
			bytesRead: this.file.bytesRead,
		};
	}

	private readWords(from: number, to: number): void {
		this.each(from, to, (line, pos) => {
			if (this.isOver(pos)) return false;
			if (isUserWord(line)) this.takeActive(line, pos);
			else if (line.length > MAX_WORDS && isTyped(line)) this.isPartial = true;
			return true;
		});
	}

	private readWhole(from: number, to: number): void {
		this.each(from, to, (line, pos) => {
			if (!isTelling(line) || !this.active.isActive(line)) return true;
			if (this.isOver(pos)) return false;
			if (this.rest === "all") this.takeWhole(line, pos);
			else if (isUserWord(line)) this.take(line, pos);
			return true;
		});
	}

	/** Whether the time is spent. Where nobody waits, the next reading goes on from there, so each reads something. */
	private isOver(pos: number): boolean {
		if (this.lines++ % LOOK === 0 && !(this.isThorough && this.lines === 1)) this.rest = this.pace();
		const isOver = this.rest === "none" || (this.isThorough && this.rest === "words");
		if (isOver) this.stopped ??= pos;
		return isOver;
	}

	private takeWhole(line: Buffer, pos: number): void {
		const over = passedOver(line, this.sink.asks);
		if (over === null) this.take(line, pos);
		else if (over) this.sink.take({ pos, uuid: "", events: [over] });
	}

	private readLastWords(to: number): void {
		const from = Math.max(this.stopped ?? 0, to - LAST_WORDS);
		const lines: { pos: number; line: Buffer }[] = [];
		this.each(from, to, (line, pos) => {
			if (!isUserWord(line)) return;
			lines.push({ pos, line: Buffer.from(line) });
			if (lines.length > LAST_LINES) lines.shift();
		});
		for (const { pos, line } of lines) this.takeActive(line, pos);
	}

	private takeActive(line: Buffer, pos: number): void {
		if (this.active.isActive(line)) this.take(line, pos);
	}

	private take(line: Buffer, pos: number): void {
		this.attempt(line, pos, (found) => this.sink.take(found));
	}

	/** A malformed line is skipped. */
	private attempt(line: Buffer, pos: number, act: (found: EventLine) => void): void {
		try {
			const found = eventLine(line, pos, this.witness);
			if (found) act(found);
		} catch {
			// foreign shapes inside a known line
		}
	}

	private each(from: number, to: number, take: (line: Buffer, pos: number) => unknown): void {
		if (from < to) forEachLine(this.file, from, to, take, SHORTEST);
	}
}
