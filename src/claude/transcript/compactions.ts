import type { Kept } from "../../core/checkpoint/checkpoint.ts";
import { decode, plainText } from "../../core/transcript/decode.ts";
import type { EventOf } from "../../core/transcript/event.ts";
import { type Json, quietJson } from "../../core/transcript/quiet-json.ts";
import { quietStat } from "../../files/quiet-stat.ts";
import { findLineBackwards, forEachLine, type TranscriptFile, withTranscript } from "./transcript-file.ts";

const MB = 1024 * 1024;
/** How far back a compaction boundary is searched for. */
const REACH = 32 * MB;
/** The end of a transcript: enough for its last answer but where one huge result hides it. */
const END = MB / 4;
/** How far back that answer is searched for. */
const LAST_ANSWER = 16 * MB;
/** Less is no line of a transcript. */
const SHORTEST = 32;
/** Records of hooks that are looked at behind one boundary. */
const MAX_RECORDS = 2_000;
const BOUNDARY = '"compact_boundary"';

/** A compaction boundary of the main thread, and where its line begins. */
export type FoundBoundary = EventOf<"boundary"> & { offset: number };

/** The last compaction boundary of the main thread; `null` without one in reach. Throws when the file can't be opened. */
export const lastBoundary = (path: string): FoundBoundary | null =>
	withTranscript(path, (file) => boundaryBefore(file, file.size, REACH));

/** The last boundary within `reach` bytes before byte `to`. */
export function boundaryBefore(file: TranscriptFile, to: number, reach: number): FoundBoundary | null {
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

/** What Claude Code recorded of a hook or of the mod: what it restores on resume, the model has already. */
interface HookRecord {
	/** The hook's event, `""` for the mod. */
	event: string;
	/** The record's line. */
	line: string;
	/** What it injected. */
	texts: string[];
}

/** What stands behind a boundary. */
export interface Behind {
	/** The summary as the model sees it; `null` when it is not written yet. */
	summary: string | null;
	/** Records of SessionStart, and those that hold a block of ccg's. */
	records: HookRecord[];
}

const TOLD = ["ccg recovery ", '"SessionStart"'];

/** What stands behind byte `offset`, in one reading. Throws when the file can't be opened. */
export function behind(path: string, offset: number): Behind {
	const found: Behind = { summary: null, records: [] };
	let looked = 0;
	const take = (line: Buffer): boolean => {
		const isRecord = line.includes('"attachment"') && TOLD.some((mark) => line.includes(mark));
		if (!isRecord && (found.summary !== null || !line.includes('"isCompactSummary"'))) return true;
		const text = line.toString("utf8");
		const { isCompactSummary, message, type, attachment } = Object(quietJson(text)) as Json;
		// a tool's structured result may hold the mark too
		if (isCompactSummary === true) found.summary ??= plainText(Object(message).content) || null;
		const record = isRecord && type === "attachment" ? recordIn(Object(attachment), text) : null;
		if (record) found.records.push(record);
		return ++looked < MAX_RECORDS;
	};
	withTranscript(path, (file) => forEachLine(file, Math.max(offset, file.size - REACH), file.size, take, SHORTEST));
	return found;
}

/** The context a hook injected stands apart, or in the hook's own output. */
function recordIn({ type, plugin, hookEvent, content, stdout }: Json, line: string): HookRecord | null {
	// what the mod appends is restored on resume like a hook's (measured on 2.1.330)
	const isMods = type === "plugin_note" && plugin === "ccg";
	if (typeof type !== "string" || !(type.startsWith("hook_") || isMods)) return null;
	const answer = type === "hook_success" && typeof stdout === "string" ? quietJson(stdout) : null;
	const given =
		type === "hook_additional_context" && Array.isArray(content)
			? content
			: [Object(Object(answer).hookSpecificOutput).additionalContext];
	return {
		event: typeof hookEvent === "string" ? hookEvent : "",
		line,
		texts: given.filter((one) => typeof one === "string"),
	};
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

/**
 * Context size after the first compaction since `at` (ISO time): as its boundary tells, else of the first answer behind it;
 * `null` when the transcript does not show it.
 */
export function tokensAfterCompaction(path: string, at: string): number | null {
	let tokens: number | null = null;
	let isBehind = false;
	const take = (line: Buffer): boolean => {
		if (!isBehind && !line.includes(BOUNDARY)) return true;
		for (const event of decode(quietJson(line.toString("utf8")))) {
			if (event.kind === "usage" && isBehind) tokens ??= event.tokens;
			if (event.kind !== "boundary" || event.at < at) continue;
			isBehind = true;
			tokens ??= event.postTokens;
		}
		return tokens === null;
	};
	withTranscript(path, (file) => forEachLine(file, 0, file.size, take, SHORTEST));
	return tokens;
}

/** What a transcript's end tells about context use. */
export interface LastUsage {
	/** `null` while nothing was answered since the last boundary, as are `model` and `version`. */
	tokens: number | null;
	model: string | null;
	version: string | null;
	/** The automatic boundary in it and what the context held then. */
	boundary: { uuid: string; preTokens: number } | null;
}

/** The last usage of the main thread; `null` where the transcript's end holds neither a usage nor a boundary. */
export function lastUsage(path: string): LastUsage | null {
	return withTranscript(path, (file) => {
		let found: Omit<LastUsage, "boundary"> = { tokens: null, model: null, version: null };
		const answered = findLineBackwards(file, '"usage"', file.size, LAST_ANSWER, (line) => {
			const entry = quietJson(line);
			const used = decode(entry).find((event) => event.kind === "usage");
			const version = used && (entry as Json).version;
			if (used)
				found = { tokens: used.tokens, model: used.model, version: typeof version === "string" ? version : null };
			return used !== undefined;
		});
		const reach = answered === null ? LAST_ANSWER : Math.max(END, file.size - answered);
		const last = boundaryBefore(file, file.size, reach);
		if (!last) return answered === null ? null : { ...found, boundary: null };
		const { uuid, trigger, preTokens, offset } = last;
		const boundary = trigger === "auto" && preTokens ? { uuid, preTokens } : null;
		const isBehind = answered !== null && answered > offset;
		return { ...(isBehind ? found : { tokens: null, model: null, version: null }), boundary };
	});
}

/** Which version of Claude Code wrote the last lines; `null` when none of them says so. */
export function transcriptVersion(path: string): string | null {
	let version: string | undefined;
	const take = (line: string): boolean => {
		version = /"version": ?"(\d{1,4}\.\d{1,4}\.\d{1,4})"/.exec(line)?.[1];
		return version !== undefined;
	};
	withTranscript(path, (file) => findLineBackwards(file, '"version":', file.size, END, take));
	return version ?? null;
}
