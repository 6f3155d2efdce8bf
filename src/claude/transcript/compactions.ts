import type { VerbatimRange } from "../../core/checkpoint/checkpoint.ts";
import { decodeLine, textOfContent, usageOf } from "../../core/transcript/decode.ts";
import type { EventOf } from "../../core/transcript/event.ts";
import { type Json, parseBoundedJson } from "../../core/transcript/quiet-json.ts";
import { tryOrUndefined, tryStat } from "../../files/quietly.ts";
import { findLastLine, forEachLine, type TranscriptFile, withTranscript } from "./transcript-file.ts";

const MB = 1024 * 1024;
/** How far back a compaction boundary is searched for. */
const REACH = 32 * MB;
/** How far back the last answer is searched for. */
const LAST_ANSWER = 16 * MB;
const BOUNDARY = '"compact_boundary"';

/** A compaction boundary of the main thread, and where its line begins. */
type FoundBoundary = EventOf<"boundary"> & { offset: number };

/** What a transcript shows of its last compaction. Each part is read at the first call for it, once; a part that can't be read is empty. */
export type LastCompaction = ReturnType<typeof readLastCompaction>;

/** What stands behind a boundary, up to the next one, and the byte ranges that the model has word for word beside the summary. */
export const readCompactionAt = (path: string, { pos: offset, ...boundary }: EventOf<"boundary"> & { pos: number }) =>
	withTranscript(path, (file) => ({
		...readAfterBoundary(file, offset, offset + REACH),
		kept: [...readKeptRanges(file, { ...boundary, offset }), { from: offset }],
	}));

/** Gives the functions that read a transcript's last compaction; nothing is read before one is called. */
export function readLastCompaction(path: string | undefined) {
	const read = <T>(act: (file: TranscriptFile) => T): T | null =>
		(path && tryOrUndefined(() => withTranscript(path, act))) || null;
	/** The last boundary; `null` where none is in reach. */
	const boundary = readOnce(() => read((file) => boundaryBefore(file, file.size, REACH)));
	const afterBoundary = readOnce((): AfterBoundary => {
		const found = boundary();
		return (found && read((file) => readAfterBoundary(file, found.offset))) ?? nothingAfter();
	});
	/** Whether one of the hooks' records behind the boundary holds a text. */
	const isInHookRecord = (text: string): boolean => afterBoundary().records.some(({ line }) => line.includes(text));
	return {
		boundary,
		afterBoundary,
		isInHookRecord,
		/** Whether a boundary would be found wherever it stands: the whole file is in reach. `false` without a path. */
		isSearchedWhole: (): boolean => path !== undefined && (tryStat(path)?.size ?? Infinity) <= REACH,
		/** Whether there is more than one boundary from byte `place` on. */
		hasTwoBoundariesSince(place: number): boolean {
			const found = boundary();
			const before = found && read((file) => boundaryBefore(file, found.offset, REACH));
			return before !== null && before.offset >= place;
		},
		/**
		 * The byte ranges that the model has word for word beside the summary. The compaction began when the transcript ended at byte `place`.
		 * With its boundary: the lines that the boundary names, and what follows it. The boundary is written after SessionStart; before
		 * that: everything after PreCompact, which a summary made before can't hold.
		 */
		keptRanges(place: number): VerbatimRange[] {
			const found = boundary();
			if (!found || found.offset < place) return [{ from: place }];
			return [...(read((file) => readKeptRanges(file, found)) ?? []), { from: found.offset }];
		},
		/**
		 * Whether the block of checkpoint `key` reached the model; `unknown` where the transcript does not show it, as on versions that
		 * record no hooks. `since`: where the transcript ended when the compaction began; a boundary before that is an earlier
		 * compaction's, since the transcript is written after the events.
		 */
		blockDelivery(key: string, since = -1): "yes" | "no" | "unknown" {
			const { records } = afterBoundary();
			if (isInHookRecord(key)) return "yes";
			const isSince = (boundary()?.offset ?? -1) >= since;
			return isSince && records.some(({ event }) => event === "SessionStart") ? "no" : "unknown";
		},
	};
}

/** Gives a function that calls `read` at its first call, and gives that result at each call. */
function readOnce<T>(read: () => T): () => T {
	let stored: [T] | undefined;
	return () => {
		stored ??= [read()];
		return stored[0];
	};
}

/** The boundary that a line is; `null` for any other. */
function boundaryIn(line: string): EventOf<"boundary"> | null {
	const [event] = decodeLine(parseBoundedJson(line));
	return event?.kind === "boundary" ? event : null;
}

/** The last boundary within `reach` bytes before byte `to`. */
function boundaryBefore(file: TranscriptFile, to: number, reach: number): FoundBoundary | null {
	let found: EventOf<"boundary"> | null = null;
	const offset = findLastLine(file, BOUNDARY, to, reach, (line) => {
		found = boundaryIn(line);
		return found !== null;
	});
	return offset === null || !found ? null : { ...(found as EventOf<"boundary">), offset };
}

/** The byte ranges of the lines that a boundary names as kept: several, where lines that were summarised earlier stand between them. */
function readKeptRanges(file: TranscriptFile, { kept, offset }: FoundBoundary): VerbatimRange[] {
	const ranges: VerbatimRange[] = [];
	const missingIds = new Set(kept?.ids);
	let isInRange = false;
	/** Adds a line where it is kept; whether all were found. It is called from the last line to the first. */
	const addLine = (line: string, pos: number): boolean => {
		const { uuid, type } = Object(parseBoundedJson(line)) as Json;
		if (missingIds.delete(uuid as string)) {
			if (isInRange) ranges[0]!.from = pos;
			else ranges.unshift({ from: pos, to: pos });
			isInRange = true;
		} else if (!kept?.isRange && (type === "user" || type === "assistant")) isInRange = false;
		return missingIds.size === 0;
	};
	if (kept) findLastLine(file, '"uuid"', offset, REACH, addLine);
	return ranges;
}

/** What the transcript holds after its last boundary. */
interface AfterBoundary {
	/** The summary as the model sees it; `null` when it is not written yet. */
	summary: string | null;
	/** The tokens of the first answer. */
	usage: ReturnType<typeof usageOf>;
	/** Records of hooks of SessionStart, or with a block of ccg's: Claude Code gives them to the model again on resume (measured on 2.1.330). */
	records: { event: unknown; line: string }[];
}

const nothingAfter = (): AfterBoundary => ({ summary: null, usage: null, records: [] });

const RECORD_MARKS = ["ccg recovery ", '"SessionStart"'];

/** Reads the summary, the first answer's tokens and the hooks' records between the boundary at byte `offset` and the next one, in one pass. */
function readAfterBoundary(file: TranscriptFile, offset: number, to = file.size): AfterBoundary {
	const found = nothingAfter();
	const addLine = (line: Buffer, start: number): boolean | undefined => {
		if (start > offset && line.includes(BOUNDARY) && boundaryIn(line.toString("utf8"))) return false;
		const mayBeRecord = line.includes('"attachment"') && RECORD_MARKS.some((mark) => line.includes(mark));
		const mayBeAnswer = found.usage === null && line.includes('"usage"');
		if (!mayBeRecord && !mayBeAnswer && (found.summary !== null || !line.includes('"isCompactSummary"')))
			return undefined;
		const text = line.toString("utf8");
		const { isCompactSummary, message, type, isSidechain, attachment } = Object(parseBoundedJson(text)) as Json;
		if (type === "assistant" && isSidechain !== true) found.usage ??= usageOf(Object(message).usage);
		// a tool's structured result may hold the mark too
		if (isCompactSummary === true) found.summary ??= textOfContent(Object(message).content) || null;
		const { type: kind, hookEvent: event } = Object(attachment) as Json;
		const isOfHook = typeof kind === "string" && kind.startsWith("hook_");
		if (type === "attachment" && isOfHook) found.records.push({ event, line: text });
		return undefined;
	};
	forEachLine(file, Math.max(offset, to - REACH), Math.min(file.size, to), addLine);
	return found;
}

const NO_USAGE = { tokens: null, model: null, version: null };

/**
 * The model, version and token count of the main thread's last answer. All are `null` while nothing was answered since the last boundary; the
 * result is `null` where the transcript's end holds neither a usage nor a boundary.
 */
export function lastUsage(
	path: string,
): (Record<"model" | "version", string | null> & { tokens: number | null }) | null {
	return withTranscript(path, (file) => {
		let found: ReturnType<typeof lastUsage> = null;
		const answered = findLastLine(file, '"usage"', file.size, LAST_ANSWER, (line) => {
			const entry = parseBoundedJson(line);
			const used = decodeLine(entry).find((event) => event.kind === "usage");
			if (!used) return false;
			const { version } = entry as Json;
			found = { tokens: used.tokens, model: used.model, version: typeof version === "string" ? version : null };
			return true;
		});
		const reach = answered === null ? LAST_ANSWER : file.size - answered;
		return boundaryBefore(file, file.size, reach) ? NO_USAGE : found;
	});
}
