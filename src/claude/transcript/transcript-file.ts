import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { withoutSpaces } from "./spaced-line.ts";

const CHUNK = 1024 * 1024;
/** A longer line (an image, a huge result) is passed over. */
const MAX_LINE = 8 * 1024 * 1024;
const LF = 10;

/** An open transcript: a regular file, read by position only. Close it. */
export interface TranscriptFile {
	fd: number;
	size: number;
	/** Bytes read so far, for benchmarks and tests. */
	bytesRead: number;
	close(): void;
}

/** Opens a transcript. Throws when it is missing or no regular file (a FIFO would hang). */
export function openTranscript(path: string): TranscriptFile {
	const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	const stat = fstatSync(fd);
	if (!stat.isFile()) {
		closeSync(fd);
		throw new Error(`transcript ${path} is not a regular file`);
	}
	return { fd, size: stat.size, bytesRead: 0, close: () => closeSync(fd) };
}

/**
 * Calls `take` with each whole line from byte `from` to byte `to` and where it begins, in order, in bounded memory, until it
 * gives `false`. A half line at the end is left out, and so are lines of fewer than `least` bytes. Of a line with spaces between
 * its parts `take` gets the form without.
 */
export function forEachLine(
	file: TranscriptFile,
	from: number,
	to: number,
	take: (line: Buffer, start: number) => unknown,
	least = 1,
): void {
	const chunk = Buffer.allocUnsafe(CHUNK);
	let rest: Buffer[] = [];
	let restLength = 0;
	for (let position = from; position < to; ) {
		const length = read(file, chunk, position, Math.min(CHUNK, to - position));
		if (length === 0) break;
		const chunkStart = position;
		position += length;
		let start = 0;
		for (;;) {
			// short lines by the million are passed over byte by byte: a search for each costs a hundred times more
			if (restLength === 0) start = longLine(chunk, start, length, least);
			const end = chunk.indexOf(LF, start);
			if (end < 0 || end >= length) break;
			let goesOn: unknown;
			if (restLength > 0) {
				const lineStart = chunkStart - restLength;
				if (restLength + end - start <= MAX_LINE)
					goesOn = take(withoutSpaces(Buffer.concat([...rest, chunk.subarray(start, end)])), lineStart);
				rest = [];
				restLength = 0;
			} else if (end > start) goesOn = take(withoutSpaces(chunk.subarray(start, end)), chunkStart + start);
			if (goesOn === false) return;
			start = end + 1;
		}
		if (start < length) {
			restLength += length - start;
			if (restLength <= MAX_LINE) rest.push(Buffer.from(chunk.subarray(start, length)));
			else rest = [];
		}
	}
}

/** Where the next line of `least` bytes or more begins, or one that has no end within `length`. */
function longLine(chunk: Buffer, from: number, length: number, least: number): number {
	let start = from;
	for (let at = from; at < length && at - start < least; at++) if (chunk[at] === LF) start = at + 1;
	return start;
}

/** Byte at which line `n` (from 1) begins, empty lines counted; `null` when the file has fewer lines. */
export function lineStart(file: TranscriptFile, n: number): number | null {
	const chunk = Buffer.allocUnsafe(CHUNK);
	let line = 1;
	for (let position = 0; line < n; ) {
		const length = read(file, chunk, position, CHUNK);
		if (length === 0) return null;
		for (let at = 0; line < n; at++) {
			at = chunk.subarray(0, length).indexOf(LF, at);
			if (at < 0) break;
			if (++line === n) return position + at + 1;
		}
		position += length;
	}
	return 0;
}

/** Larger, and a line's number is not worth the reading. */
const MAX_COUNTED = 64 * CHUNK;

/** The number (from 1) of the line that begins at byte `pos`; `null` where the file is gone, shorter, or `pos` lies far inside. */
export function lineNumber(path: string, pos: number): number | null {
	if (pos > MAX_COUNTED) return null;
	let file: TranscriptFile;
	try {
		file = openTranscript(path);
	} catch {
		return null;
	}
	try {
		if (pos >= file.size || !isLineStart(file, pos)) return null;
		const bytes = Buffer.allocUnsafe(pos);
		let line = 1;
		const whole = bytes.subarray(0, read(file, bytes, 0, pos));
		for (let at = whole.indexOf(LF); at >= 0; at = whole.indexOf(LF, at + 1)) line++;
		return line;
	} finally {
		file.close();
	}
}

/**
 * Of the last whole lines of the file within `maxBytes` those that hold one of `needles`, oldest first; 20,000 of them at most,
 * the newest.
 */
export function tailLines(file: TranscriptFile, maxBytes: number, needles: readonly string[]): string[] {
	const from = Math.max(0, file.size - maxBytes);
	const buffer = Buffer.allocUnsafe(file.size - from);
	const bytes = buffer.subarray(0, read(file, buffer, from, buffer.length));
	const feed = from > 0 ? bytes.indexOf(LF) : -1;
	if (from > 0 && feed < 0) return [];
	const lowest = feed + 1;
	const lines: string[] = [];
	// of each needle the last place before what has been read
	const next = needles.map((needle) => bytes.lastIndexOf(needle));
	while (lines.length < MAX_TAIL_LINES) {
		const hit = Math.max(...next);
		if (hit < lowest) break;
		const start = bytes.lastIndexOf(LF, hit) + 1;
		const end = bytes.indexOf(LF, hit);
		lines.push(bytes.toString("utf8", start, end < 0 ? bytes.length : end));
		for (const [i, at] of next.entries())
			if (at >= start) next[i] = start > 0 ? bytes.lastIndexOf(needles[i]!, start - 1) : -1;
	}
	return lines.reverse();
}

/** The first and the last bytes of the file. */
export function endsOf(file: TranscriptFile, bytes: number): Buffer {
	const head = Buffer.allocUnsafe(Math.min(bytes, file.size));
	const tail = Buffer.allocUnsafe(Math.min(bytes, file.size - head.length));
	return Buffer.concat([
		head.subarray(0, read(file, head, 0, head.length)),
		tail.subarray(0, read(file, tail, file.size - tail.length, tail.length)),
	]);
}

const MAX_TAIL_LINES = 20_000;

/**
 * Searches backwards from `to` for a line holding `needle`; gives the offset of that line's first byte, or `null`. Only
 * whole lines between `to - maxBytes` and `to` count. `accept` gets the line and says whether it is the one.
 */
export function findLineBackwards(
	file: TranscriptFile,
	needle: string,
	to: number,
	maxBytes: number,
	accept: (line: string) => boolean,
): number | null {
	const limit = Math.min(to, file.size);
	const lowest = Math.max(0, limit - maxBytes);
	const reach = Buffer.byteLength(needle) - 1;
	const chunk = Buffer.allocUnsafe(CHUNK + reach);
	let refused = 0;
	for (let end = limit; end > lowest; ) {
		const start = Math.max(lowest, end - CHUNK);
		const window = chunk.subarray(0, read(file, chunk, start, Math.min(end + reach, limit) - start));
		let before = end - start;
		while (before > 0) {
			const hit = window.lastIndexOf(needle, before - 1);
			if (hit < 0) break;
			const feed = window.lastIndexOf(LF, hit);
			const lineStart = feed < 0 ? startOfLine(file, start, lowest) : start + feed + 1;
			if (lineStart === null) return null;
			const line = lineAt(file, lineStart, start + hit, limit);
			if (line !== null && accept(line)) return lineStart;
			if (++refused > MAX_REFUSED) return null;
			before = lineStart - start;
		}
		// a line that began before this chunk is done with
		end = Math.min(start, start + before);
	}
	return null;
}

/** Lines that hold the needle and are not meant: a handful in a real transcript. */
const MAX_REFUSED = 2_000;

/** Start of the line that byte `at` lies in; `null` when it begins below `lowest`. */
function startOfLine(file: TranscriptFile, at: number, lowest: number): number | null {
	for (let end = at; end > lowest; ) {
		const start = Math.max(lowest, end - CHUNK);
		const buffer = Buffer.allocUnsafe(end - start);
		const feed = buffer.subarray(0, read(file, buffer, start, buffer.length)).lastIndexOf(LF);
		if (feed >= 0) return start + feed + 1;
		end = start;
	}
	return isLineStart(file, lowest) ? lowest : null;
}

/** The line from `start` that holds byte `inside`; `null` when it does not end before `limit` or is too long. */
function lineAt(file: TranscriptFile, start: number, inside: number, limit: number): string | null {
	for (let size = 64 * 1024; ; size *= 8) {
		const length = Math.min(limit, inside + size, start + MAX_LINE + 1) - start;
		const buffer = Buffer.allocUnsafe(Math.max(0, length));
		const end = buffer.subarray(0, read(file, buffer, start, buffer.length)).indexOf(LF);
		if (end >= 0) return buffer.toString("utf8", 0, end);
		if (inside + size >= limit || inside + size > start + MAX_LINE) return null;
	}
}

/** True when `offset` is the start of a line. */
export function isLineStart(file: TranscriptFile, offset: number): boolean {
	if (offset === 0) return true;
	if (offset > file.size) return false;
	const byte = Buffer.allocUnsafe(1);
	return read(file, byte, offset - 1, 1) === 1 && byte[0] === LF;
}

/** Start of the line that byte `end` lies in, looking back 8 MB or `reach`; `end` itself when there is none in reach. */
export function lastLineStart(file: TranscriptFile, end: number, reach = MAX_LINE): number {
	for (let at = end, seen = 0; at > 0 && seen < reach; ) {
		const start = Math.max(0, at - CHUNK);
		const buffer = Buffer.allocUnsafe(at - start);
		const length = read(file, buffer, start, buffer.length);
		const feed = buffer.subarray(0, length).lastIndexOf(LF);
		if (feed >= 0) return start + feed + 1;
		seen += length;
		at = start;
		if (start === 0) return 0;
	}
	return end;
}

function read(file: TranscriptFile, buffer: Buffer, position: number, length: number): number {
	let total = 0;
	while (total < length) {
		const count = readSync(file.fd, buffer, total, length - total, position + total);
		if (count === 0) break;
		total += count;
	}
	file.bytesRead += total;
	return total;
}
