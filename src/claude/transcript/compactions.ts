import type { Kept } from "../../core/checkpoint/checkpoint.ts";
import { decode, textOfContent } from "../../core/transcript/decode.ts";
import type { EventOf } from "../../core/transcript/event.ts";
import { type Json, quietJson } from "../../core/transcript/quiet-json.ts";
import { quietly, quietStat } from "../../files/quietly.ts";
import { findLineBackwards, forEachLine, type TranscriptFile, withTranscript } from "./transcript-file.ts";

const MB = 1024 * 1024;
/** How far back a compaction boundary is searched for. */
const REACH = 32 * MB;
/** How far back the last answer is searched for. */
const LAST_ANSWER = 16 * MB;
const BOUNDARY = '"compact_boundary"';

/** A compaction boundary of the main thread, and where its line begins. */
type FoundBoundary = EventOf<"boundary"> & { offset: number };

/** What a transcript shows of its last compaction; each part is read once, when it is first asked for, and is none where it can't be. */
export type LastCompaction = ReturnType<typeof lastCompaction>;

export function lastCompaction(path: string | undefined) {
	const read = <T>(act: (file: TranscriptFile) => T): T | null =>
		(path && quietly(() => withTranscript(path, act))) || null;
	/** `null` also without one in reach. */
	const boundary = readOnce(() => read((file) => boundaryBefore(file, file.size, REACH)));
	const behind = readOnce((): Behind => {
		const found = boundary();
		return (found && read((file) => readBehind(file, found.offset))) ?? { summary: null, records: [] };
	});
	/** Whether one of the hooks' records behind the boundary holds a text. */
	const holds = (text: string): boolean => behind().records.some(({ line }) => line.includes(text));
	return {
		boundary,
		behind,
		holds,
		/** Whether a boundary would be found wherever it stands. Without a readable transcript there is nothing to be found. */
		isWithinReach: (): boolean => path !== undefined && (quietStat(path)?.size ?? Infinity) <= REACH,
		/** Whether there is more than one boundary from a place on. */
		isFollowed(place: number): boolean {
			const found = boundary();
			const before = found && read((file) => boundaryBefore(file, found.offset, REACH));
			return before !== null && before.offset >= place;
		},
		/**
		 * What stands word for word beside the summary of a compaction that began where the transcript ended at `place`: what the
		 * boundary names and what follows it. The boundary is written behind SessionStart; before that, what came after PreCompact,
		 * which a summary made beforehand can't hold.
		 */
		kept(place: number): Kept[] {
			const found = boundary();
			if (!found || found.offset < place) return [{ from: place }];
			return [...(read((file) => keptPlaces(file, found)) ?? []), { from: found.offset }];
		},
		/**
		 * Whether it shows that the block of checkpoint `key` reached the model: `unknown` where it shows neither, as on versions that
		 * record no hooks. `since`: where the transcript ended when the compaction began; a boundary before that is another one's, since
		 * the transcript is written behind the events.
		 */
		delivered(key: string, since = -1): "yes" | "no" | "unknown" {
			const { records } = behind();
			if (holds(key)) return "yes";
			const isSince = (boundary()?.offset ?? -1) >= since;
			return isSince && records.some(({ event }) => event === "SessionStart") ? "no" : "unknown";
		},
	};
}

function readOnce<T>(read: () => T): () => T {
	let kept: [T] | undefined;
	return () => {
		kept ??= [read()];
		return kept[0];
	};
}

/** The last boundary within `reach` bytes before byte `to`. */
function boundaryBefore(file: TranscriptFile, to: number, reach: number): FoundBoundary | null {
	let found: EventOf<"boundary"> | null = null;
	const offset = findLineBackwards(file, BOUNDARY, to, reach, (line) => {
		const event = decode(quietJson(line))[0];
		found = event?.kind === "boundary" ? event : null;
		return found !== null;
	});
	return offset === null || !found ? null : { ...(found as EventOf<"boundary">), offset };
}

/** Where that stands what a boundary names. What an earlier compaction summarised may stand between: then it is more than one range. */
function keptPlaces(file: TranscriptFile, { kept, offset }: FoundBoundary): Kept[] {
	const places: Kept[] = [];
	const missing = new Set(kept?.ids);
	let isInside = false;
	const take = (line: string, pos: number): boolean => {
		const { uuid, type } = Object(quietJson(line)) as Json;
		if (missing.delete(uuid as string)) {
			if (isInside) places[0]!.from = pos;
			else places.unshift({ from: pos, to: pos });
			isInside = true;
		} else if (!kept?.isRange && (type === "user" || type === "assistant")) isInside = false;
		return missing.size === 0;
	};
	if (kept) findLineBackwards(file, '"uuid"', offset, REACH, take);
	return places;
}

/** What stands behind a boundary. */
interface Behind {
	/** The summary as the model sees it; `null` when it is not written yet. */
	summary: string | null;
	/**
	 * What Claude Code recorded of hooks, where it is of SessionStart or holds a block of ccg's: what it restores on
	 * resume (measured on 2.1.330), the model has already.
	 */
	records: { event: unknown; line: string }[];
}

const TOLD = ["ccg recovery ", '"SessionStart"'];

/** What stands behind byte `offset`, in one reading. */
function readBehind(file: TranscriptFile, offset: number): Behind {
	const found: Behind = { summary: null, records: [] };
	const take = (line: Buffer): void => {
		const isRecord = line.includes('"attachment"') && TOLD.some((mark) => line.includes(mark));
		if (!isRecord && (found.summary !== null || !line.includes('"isCompactSummary"'))) return;
		const text = line.toString("utf8");
		const { isCompactSummary, message, type, attachment } = Object(quietJson(text)) as Json;
		// a tool's structured result may hold the mark too
		if (isCompactSummary === true) found.summary ??= textOfContent(Object(message).content) || null;
		const { type: kind, hookEvent: event } = Object(attachment) as Json;
		const isOfHook = typeof kind === "string" && kind.startsWith("hook_");
		if (type === "attachment" && isOfHook) found.records.push({ event, line: text });
	};
	forEachLine(file, Math.max(offset, file.size - REACH), file.size, take);
	return found;
}

const NO_USAGE = { tokens: null, model: null, version: null };

/**
 * The last usage of the main thread, all `null` while nothing was answered since the last boundary; `null` where the transcript's end
 * holds neither a usage nor a boundary.
 */
export function lastUsage(
	path: string,
): (Record<"model" | "version", string | null> & { tokens: number | null }) | null {
	return withTranscript(path, (file) => {
		let found: ReturnType<typeof lastUsage> = null;
		const answered = findLineBackwards(file, '"usage"', file.size, LAST_ANSWER, (line) => {
			const entry = quietJson(line);
			const used = decode(entry).find((event) => event.kind === "usage");
			if (!used) return false;
			const { version } = entry as Json;
			found = { tokens: used.tokens, model: used.model, version: typeof version === "string" ? version : null };
			return true;
		});
		const reach = answered === null ? LAST_ANSWER : file.size - answered;
		return boundaryBefore(file, file.size, reach) ? NO_USAGE : found;
	});
}
