import type { EventLine } from "../../core/context/fold.ts";
import type { TranscriptNode } from "../../core/transcript/active-branch.ts";
import { decode, isObject } from "../../core/transcript/decode.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { type ActiveLines, activeLines } from "./active-lines.ts";
import { queueSignature } from "./signed-queue.ts";
import { forEachLine, isLineStart, lastLineStart, openTranscript, type TranscriptFile } from "./transcript-file.ts";

/** More than this is not read at once: the older part is left out and told. */
const MAX_BYTES = 12 * 1024 * 1024;
/** Lines that tell something, of one reading: a session of a week has fewer. Of more, this much of the end is read. */
const MAX_LINES = 50_000;
const NEWEST = 1024 * 1024;
/** Less is no line of a transcript. */
const SHORTEST = 32;
/** A larger result that succeeded tells nothing but that. */
const LARGE = 16 * 1024;

export interface EventsRead {
	lines: EventLine[];
	/** Where the next reading begins. */
	end: number;
	/** The part that was not read, when there was too much. */
	gap: { from: number; to: number } | null;
	/** The offset leads nowhere in this file, so it was read from its start: what was known is told anew. */
	isAnew: boolean;
	/** The user went back behind what was read before, so it was read from its start. */
	isRewound: boolean;
	/** The lines on branches that were left. */
	left: string[];
	/** The last lines of the active branch, for the next reading. */
	last: TranscriptNode[];
}

/**
 * The events of a transcript's active branch from byte `offset` on, line by line. `last` are the last lines of the reading
 * that ended there. A file that is shorter than that, or has no line there, is
 * another one: it is read from its start. Throws when the file can't be opened.
 */
export function readEvents(path: string, offset: number, last: readonly TranscriptNode[] = []): EventsRead {
	const file = openTranscript(path);
	try {
		const known = offset <= file.size && isLineStart(file, offset) ? offset : 0;
		const end = isLineStart(file, file.size) ? file.size : lastLineStart(file, file.size);
		let from = end - known <= MAX_BYTES ? known : lastLineStart(file, end - MAX_BYTES);
		const hangs = known > 0 && from === known && last.length > 0;
		const active = activeLines(file, from, end, hangs ? last : undefined);
		if (!active) return { ...readEvents(path, 0), isRewound: true };
		const signsQueue = queueSignature(file);
		let lines = linesFrom(file, from, end, signsQueue, active);
		if (!lines) {
			// lines of a few bytes each: the newest count
			from = Math.max(from, lastLineStart(file, end - NEWEST));
			lines = linesFrom(file, from, end, signsQueue, active) ?? [];
		}
		return {
			lines,
			end,
			gap: from > known ? { from: known, to: from } : null,
			isAnew: known < offset,
			isRewound: false,
			left: [...active.left],
			last: active.last,
		};
	} finally {
		file.close();
	}
}

/** `null` when there are more lines than one reading takes. */
function linesFrom(
	file: TranscriptFile,
	from: number,
	end: number,
	signsQueue: () => boolean,
	active: ActiveLines,
): EventLine[] | null {
	const lines: EventLine[] = [];
	let parsed = 0;
	forEachLine(
		file,
		from,
		end,
		(line, pos) => {
			if (!TELLING.some((word) => line.includes(word)) || !active.isActive(line)) return true;
			const found = eventsOf(line, pos, signsQueue);
			if (found) lines.push(found);
			return ++parsed <= MAX_LINES;
		},
		SHORTEST,
	);
	return parsed > MAX_LINES ? null : lines;
}

const bytes = (text: string): Buffer => Buffer.from(text);
const TELLING = [
	'"type":"user"',
	'"type":"assistant"',
	'"compact_boundary"',
	'"queued_command"',
	'"queue-operation"',
].map(bytes);
/** Behind the structured result stands who decided on the call, and what was answered in it. */
const RULED = ['"source":"user', '"toolDenialKind":', '"answers":', "approved your plan"].map(bytes);
const RESULT = bytes('"type":"tool_result"');
const STRUCTURED = bytes(',"toolUseResult":');

/** A line that surprises costs itself. */
function eventsOf(line: Buffer, pos: number, signsQueue: () => boolean): EventLine | null {
	try {
		const entry = parsed(line) as { uuid?: unknown } | null;
		const uuid = typeof entry?.uuid === "string" && /^[\w-]{1,64}$/.test(entry.uuid) ? entry.uuid : "";
		const events = decode(entry, signsQueue);
		return events.length > 0 ? { pos, uuid, events } : null;
	} catch {
		return null;
	}
}

/**
 * A large result stands in its line twice, as the model saw it and structured; the second is cut off before the parse. Where
 * another order of keys would cut off more with it, the line is read whole. The mark can't stand inside a string, where its
 * quotes would be escaped, but deeper inside: then the cut does not parse.
 */
function parsed(line: Buffer): unknown {
	const at = line.length > LARGE ? line.indexOf(STRUCTURED) : -1;
	if (at >= 0 && line.includes(RESULT) && !RULED.some((mark) => line.includes(mark))) {
		const short = quietJson(`${line.toString("utf8", 0, at)}}`);
		if (isObject(short) && short.message !== undefined && short.uuid !== undefined && short.timestamp !== undefined)
			return short;
	}
	return quietJson(line.toString("utf8"));
}
