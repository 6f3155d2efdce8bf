import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isLate, type LateRecord, type RecordBody, type SessionRecord } from "../../core/context/record.ts";
import { quietly } from "../atomic-write.ts";
import { appendJson } from "../gate.ts";
import type { Session } from "../session-handle.ts";

const CHUNK = 1024 * 1024;
/** A longer line is nobody's. */
const MAX_LINE = 4 * 1024 * 1024;
/** What a killed writer can have left is at the end. */
const TAIL = 512 * 1024;

/**
 * The append-only event log of a session. Needs no lock: each call is one `O_APPEND` write of whole lines, and a last
 * line that was cut short (a full disk, a kill) is left behind on its own line. Imports no library: hot entries may
 * append.
 */
export function appendRecords(session: Session, records: readonly SessionRecord[]): void {
	if (records.length === 0) return;
	appendJson(session.paths.events, records);
}

/** One record that comes from no transcript: a zone, a nudge, what could not be written under the context's lock. */
export function appendRecord(session: Session, now: Date, body: RecordBody): void {
	appendRecords(session, [{ v: 1, at: now.toISOString(), id: freshId(now), ...body }]);
}

const freshId = (now: Date): string => `${now.getTime()}.${process.pid}.${Math.random().toString(36).slice(2, 10)}`;

/**
 * Appends records that are made again in the same order when their writer was killed before it saved how far it got: those
 * the event log's end holds already are left out. For the holder of the context's lock.
 */
export function appendOnce(session: Session, records: readonly SessionRecord[]): void {
	if (records.length === 0) return;
	const held = idsAtEnd(session.paths.events);
	// of the transcript's records the end of the log shows how far they came; it may not hold the first of them any more
	const last = records.findLastIndex(({ id, pos }) => pos !== undefined && held.has(id));
	appendRecords(
		session,
		records.filter(({ id, pos }, i) => !held.has(id) && (pos === undefined || i > last)),
	);
}

/** All records, oldest first, each once, and how many lines were not readable. */
export function readRecords(session: Session): { records: SessionRecord[]; broken: number } {
	const seen = new Set<string>();
	const records: SessionRecord[] = [];
	let broken = 0;
	forEachLine(session.paths.events, 0, (line) => {
		const record = parsed(line);
		if (!record) broken++;
		else if (!seen.has(record.id)) {
			seen.add(record.id);
			records.push(record);
		}
	});
	return { records, broken };
}

/** The late records behind byte `from`, and where the last whole line ends. */
export function readLate(session: Session, from: number): { records: LateRecord[]; end: number } {
	const records: LateRecord[] = [];
	const end = forEachLine(session.paths.events, from, (line) => {
		if (!LATE.test(line)) return;
		const record = parsed(line);
		if (record && isLate(record)) records.push(record);
	});
	return { records, end };
}

const LATE = /"kind":"(?:background|profile|ended)"/;

/** The event log's size in bytes; 0 when there is none. */
export function eventLogSize(session: Session): number {
	return withFile(session.paths.events, 0, (_, size) => size);
}

function parsed(line: string): SessionRecord | null {
	try {
		const record = JSON.parse(line) as Partial<SessionRecord> | null;
		const isOurs = record?.v === 1 && typeof record.kind === "string" && typeof record.id === "string";
		return isOurs && typeof record.at === "string" ? (record as SessionRecord) : null;
	} catch {
		return null;
	}
}

function idsAtEnd(path: string): Set<string> {
	const ids = new Set<string>();
	const size = withFile(path, 0, (_, bytes) => bytes);
	forEachLine(path, Math.max(0, size - TAIL), (line) => {
		const id = /"id":"([^"\\]+)"/.exec(line.slice(0, 400))?.[1];
		if (id && line.endsWith("}")) ids.add(id);
	});
	return ids;
}

/** Calls `take` with each whole line that is not empty, from byte `from` on; gives where the last whole line ends. */
function forEachLine(path: string, from: number, take: (line: string) => void): number {
	return withFile(path, from, (fd, size) => {
		const chunk = Buffer.allocUnsafe(CHUNK);
		let rest: Buffer[] = [];
		let length = 0;
		let whole = from > size ? 0 : from;
		for (let at = whole; at < size; ) {
			const count = readSync(fd, chunk, 0, Math.min(CHUNK, size - at), at);
			if (count === 0) break;
			let start = 0;
			for (let end = chunk.indexOf(10); end >= 0 && end < count; end = chunk.indexOf(10, start)) {
				const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
				if (line.length > 0 && length + line.length <= MAX_LINE) take(line.toString("utf8"));
				rest = [];
				length = 0;
				start = end + 1;
				whole = at + start;
			}
			if (length <= MAX_LINE) rest.push(Buffer.from(chunk.subarray(start, count)));
			length += count - start;
			at += count;
		}
		return whole;
	});
}

/** Never throws: an event log that can't be read is an empty one. */
function withFile<T>(path: string, otherwise: T, act: (fd: number, size: number) => T): T {
	let fd: number | undefined;
	try {
		fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
		const stat = fstatSync(fd);
		return stat.isFile() ? act(fd, stat.size) : otherwise;
	} catch {
		return otherwise;
	} finally {
		if (fd !== undefined) quietly(() => closeSync(fd!));
	}
}
