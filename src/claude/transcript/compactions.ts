import type { Kept } from "../../core/checkpoint/checkpoint.ts";
import { decode, plainText } from "../../core/transcript/decode.ts";
import type { EventOf } from "../../core/transcript/event.ts";
import { type Json, quietJson } from "../../core/transcript/quiet-json.ts";
import { quietStat } from "../../files/quietly.ts";
import { findLineBackwards, forEachLine, type TranscriptFile, withTranscript } from "./transcript-file.ts";

const MB = 1024 * 1024;
/** How far back a compaction boundary is searched for. */
const REACH = 32 * MB;
/** How far back the last answer is searched for. */
const LAST_ANSWER = 16 * MB;
const BOUNDARY = '"compact_boundary"';

/** A compaction boundary of the main thread, and where its line begins. */
export type FoundBoundary = EventOf<"boundary"> & { offset: number };

/** The last compaction boundary of the main thread; `null` without one in reach. Throws when the file can't be opened. */
export const lastBoundary = (path: string): FoundBoundary | null =>
	withTranscript(path, (file) => boundaryBefore(file, file.size, REACH));

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

/** Whether a boundary would be found wherever it stands in a transcript. Without a readable one there is nothing to be found. */
export const isWithinReach = (path: string): boolean => (quietStat(path)?.size ?? Infinity) <= REACH;

/**
 * What stands word for word beside the summary of a compaction that began at `began` (ISO time): what the boundary names and what
 * follows it. The boundary is written behind SessionStart; before that, what came after PreCompact, which a summary made
 * beforehand can't hold.
 */
export function keptMessages(path: string, boundary: FoundBoundary | null, began: string): Kept[] {
	if (!boundary || boundary.at < began) return began ? [{ from: began }] : [];
	const { kept, offset, at } = boundary;
	const [from, to] = kept
		? withTranscript(path, (file) => [kept.head, kept.tail].map((uuid) => timeOf(file, uuid, offset)))
		: [];
	return [...(from && to ? [{ from, to }] : []), { from: at }];
}

function timeOf(file: TranscriptFile, uuid: string, before: number): string {
	let time = "";
	findLineBackwards(file, `"${uuid}"`, before, REACH, (line) => {
		const entry = Object(quietJson(line)) as Json;
		if (entry.uuid === uuid && typeof entry.timestamp === "string") time = entry.timestamp;
		return time !== "";
	});
	return time;
}

interface HookRecord {
	/** The hook's event; none for the mod. */
	event: unknown;
	line: string;
	/** What it injected: it stands apart, or in the hook's own output. */
	texts: string[];
}

/** What stands behind a boundary. */
export interface Behind {
	/** The summary as the model sees it; `null` when it is not written yet. */
	summary: string | null;
	/**
	 * What Claude Code recorded of hooks and of the mod, where it is of SessionStart or holds a block of ccg's: what it
	 * restores on resume (measured on 2.1.330), the model has already.
	 */
	records: HookRecord[];
}

const TOLD = ["ccg recovery ", '"SessionStart"'];

/** What stands behind byte `offset`, in one reading. Throws when the file can't be opened. */
export function behind(path: string, offset: number): Behind {
	const found: Behind = { summary: null, records: [] };
	const take = (line: Buffer): void => {
		const isRecord = line.includes('"attachment"') && TOLD.some((mark) => line.includes(mark));
		if (!isRecord && (found.summary !== null || !line.includes('"isCompactSummary"'))) return;
		const text = line.toString("utf8");
		const { isCompactSummary, message, type, attachment } = Object(quietJson(text)) as Json;
		// a tool's structured result may hold the mark too
		if (isCompactSummary === true) found.summary ??= plainText(Object(message).content) || null;
		const { type: kind, plugin, hookEvent: event, content, stdout } = Object(attachment) as Json;
		const isMods = kind === "plugin_note" && plugin === "ccg";
		const isOfHook = isMods || (typeof kind === "string" && kind.startsWith("hook_"));
		if (type !== "attachment" || !isOfHook) return;
		const { hookSpecificOutput } = Object(typeof stdout === "string" ? quietJson(stdout) : null);
		const texts = [content, Object(hookSpecificOutput).additionalContext].flat();
		found.records.push({ event, line: text, texts: texts.filter((one) => typeof one === "string") });
	};
	withTranscript(path, (file) => forEachLine(file, Math.max(offset, file.size - REACH), file.size, take));
	return found;
}

/** Whether one of the records holds a text. */
export const holds = ({ records }: Behind, text: string): boolean => records.some(({ line }) => line.includes(text));

/**
 * Whether the transcript shows that the block of checkpoint `key` reached the model: `unknown` where it shows neither, as on
 * versions that record no hooks. `since`: when the compaction began; a boundary of before is another one's, since the transcript is
 * written behind the events.
 */
export function deliveryOf(path: string, key: string, since = ""): "yes" | "no" | "unknown" {
	try {
		const boundary = lastBoundary(path);
		if (!boundary) return "unknown";
		const found = behind(path, boundary.offset);
		if (holds(found, key)) return "yes";
		const isTold = boundary.at >= since && found.records.some(({ event }) => event === "SessionStart");
		return isTold ? "no" : "unknown";
	} catch {
		return "unknown";
	}
}

/** What a transcript's end tells about context use; all `null` while nothing was answered since the last boundary. */
interface LastUsage {
	tokens: number | null;
	model: string | null;
	version: string | null;
}

/** The last usage of the main thread; `null` where the transcript's end holds neither a usage nor a boundary. */
export function lastUsage(path: string): LastUsage | null {
	return withTranscript(path, (file) => {
		let found: LastUsage = { tokens: null, model: null, version: null };
		const answered = findLineBackwards(file, '"usage"', file.size, LAST_ANSWER, (line) => {
			const entry = quietJson(line);
			const used = decode(entry).find((event) => event.kind === "usage");
			const version = used && (entry as Json).version;
			if (used)
				found = { tokens: used.tokens, model: used.model, version: typeof version === "string" ? version : null };
			return used !== undefined;
		});
		const reach = answered === null ? LAST_ANSWER : file.size - answered;
		if (boundaryBefore(file, file.size, reach)) return { tokens: null, model: null, version: null };
		return answered === null ? null : found;
	});
}
