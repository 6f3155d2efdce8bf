import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { subagentFile } from "../../core/text/paths.ts";

const CHUNK = 1024 * 1024;
/** Bytes read first in a search backwards: the wanted line stands near the end nearly always. */
const FIRST = 32 * 1024;
/** A longer line (an image, a huge result) is passed over. */
const MAX_LINE = 8 * 1024 * 1024;
/** A shorter line is none of a transcript. */
const SHORTEST = 32;
const LF = 10;

/** An open transcript: a regular file, read by position only. */
export interface TranscriptFile {
	fd: number;
	size: number;
	/** Whether it is a subagent's own transcript. */
	isSubagent: boolean;
}

/** Gives what `act` makes of an open transcript. Throws when it is missing or no regular file (a FIFO would hang). */
export function withTranscript<T>(path: string, act: (file: TranscriptFile) => T): T {
	const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile()) throw new Error(`transcript ${path} is not a regular file`);
		return act({ fd, size: stat.size, isSubagent: subagentFile(path) !== null });
	} finally {
		closeSync(fd);
	}
}

/**
 * Calls `onLine` with each whole line from byte `from` to byte `to` and its first byte, in order, in bounded memory, until it
 * gives `false`. Left out are lines that are too long or too short, and a half one at the end.
 */
export function forEachLine(
	file: TranscriptFile,
	from: number,
	to: number,
	onLine: (line: Buffer, start: number) => unknown,
): void {
	const chunk = Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK, to - from)));
	let rest: Buffer[] = [];
	let restLength = 0;
	for (let position = from; position < to; ) {
		const length = readAt(file, chunk, position, Math.min(chunk.length, to - position));
		if (length === 0) break;
		let start = 0;
		for (;;) {
			// short lines by the million are passed over byte by byte: a search for each costs a hundred times more
			if (restLength === 0) start = skipShortLines(chunk, start, length);
			const end = chunk.indexOf(LF, start);
			if (end < 0 || end >= length) break;
			const begin = position + start - restLength;
			const bytes = restLength + end - start;
			const part = chunk.subarray(start, end);
			if (bytes > 0 && bytes <= MAX_LINE)
				if (onLine(restLength > 0 ? Buffer.concat([...rest, part]) : part, begin) === false) return;
			rest = [];
			restLength = 0;
			start = end + 1;
		}
		if (start < length) {
			restLength += length - start;
			rest = restLength <= MAX_LINE ? [...rest, Buffer.from(chunk.subarray(start, length))] : [];
		}
		position += length;
	}
}

/** The byte at which the last whole line before `to` ends; 0 where there is none. A half line at the end may have any length. */
export function lastLineEnd(file: TranscriptFile, to: number): number {
	if (isLineStart(file, to)) return to;
	for (let end = to, size = FIRST; end > 0; end -= size, size = CHUNK) {
		const start = Math.max(0, end - size);
		const lineFeed = readBytesAt(file, start, end - start).lastIndexOf(LF);
		if (lineFeed >= 0) return start + lineFeed + 1;
	}
	return 0;
}

/** Where in `chunk`, from `from` on, the next line begins that is long enough for a transcript, or has no end within `length`. */
function skipShortLines(chunk: Buffer, from: number, length: number): number {
	let start = from;
	for (let at = from; at < length && at - start < SHORTEST; at++) if (chunk[at] === LF) start = at + 1;
	return start;
}

/** The first and the last bytes of the file. */
export function readEnds(file: TranscriptFile, bytes: number): Buffer {
	const head = Math.min(bytes, file.size);
	const tail = Math.min(bytes, file.size - head);
	return Buffer.concat([readBytesAt(file, 0, head), readBytesAt(file, file.size - tail, tail)]);
}

/**
 * Searches backwards from byte `to` for a whole line that holds `needle` and for which `accept` gives `true`. Gives the byte at which the line
 * begins, `null` where there is none within `reach` bytes. Reads no more than it must.
 */
export function findLastLine(
	file: TranscriptFile,
	needle: string,
	to: number,
	reach: number,
	accept: (line: string, pos: number) => boolean,
): number | null {
	let end = Math.min(to, file.size);
	const lowest = Math.max(0, end - reach);
	for (let size = FIRST; end > lowest; ) {
		const from = Math.max(lowest, end - size);
		const block = readBytesAt(file, from, end - from);
		// the line that the block begins inside of is looked at with the next one
		const first = isLineStart(file, from) ? 0 : block.indexOf(LF) + 1 || block.length;
		if (first === block.length) {
			if (from === lowest) return null;
			size *= 2;
			continue;
		}
		for (let start = block.length; start > first; ) {
			const hit = block.lastIndexOf(needle, start - 1);
			if (hit < first) break;
			start = block.lastIndexOf(LF, hit) + 1;
			const stop = block.indexOf(LF, hit);
			if (stop < 0 || stop - start > MAX_LINE) continue;
			if (accept(block.toString("utf8", start, stop), from + start)) return from + start;
		}
		end = from + first;
		size = CHUNK;
	}
	return null;
}

/** True when `offset` is the start of a line. */
export function isLineStart(file: TranscriptFile, offset: number): boolean {
	if (offset === 0) return true;
	if (offset > file.size) return false;
	return readBytesAt(file, offset - 1, 1)[0] === LF;
}

/** The bytes of the file from a position on, fewer than `length` at its end. */
function readBytesAt(file: TranscriptFile, position: number, length: number): Buffer {
	const buffer = Buffer.allocUnsafe(length);
	return buffer.subarray(0, readAt(file, buffer, position, length));
}

/** Reads bytes into a buffer, from a position of the file on; gives how many there were. */
function readAt(file: TranscriptFile, buffer: Buffer, position: number, length: number): number {
	let total = 0;
	while (total < length) {
		const count = readSync(file.fd, buffer, total, length - total, position + total);
		if (count === 0) break;
		total += count;
	}
	return total;
}
