import type { Kept } from "../../core/recovery/kept.ts";
import { decode, plainText } from "../../core/transcript/decode.ts";
import type { TranscriptEvent } from "../../core/transcript/event.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { findLineBackwards, forEachLine, openTranscript, tailLines } from "./transcript-file.ts";

const MB = 1024 * 1024;
/** How far back a compaction boundary is searched for. */
const REACH = 32 * MB;
/** How far behind a boundary its summary is looked for. */
const NEAR = 6 * MB;
/** Less is no line of a transcript. */
const SHORTEST = 32;
/** Lines that hold a text and may be what is looked for. */
const MAX_LOOKS = 2_000;
const ASSISTANT = Buffer.from('"type":"assistant"');

export const BOUNDARY = '"compact_boundary"';

type BoundaryEvent = Extract<TranscriptEvent, { kind: "boundary" }>;

/** The last compaction boundary of the main thread and where it stands; `null` without one in reach. */
export function lastBoundary(path: string): (BoundaryEvent & { offset: number }) | null {
	const file = openTranscript(path);
	try {
		let found: BoundaryEvent | null = null;
		const offset = findLineBackwards(file, BOUNDARY, file.size, REACH, (line) => {
			found = boundaryEvent(line);
			return found !== null;
		});
		return offset === null || !found ? null : { ...(found as BoundaryEvent), offset };
	} finally {
		file.close();
	}
}

/**
 * What stands word for word beside the summary of a compaction that began at `began` (ISO time): what the boundary names and what
 * follows it. The boundary is written behind SessionStart; before that, what came after PreCompact, which a summary made
 * beforehand can't hold.
 */
export function keptMessages(path: string, boundary: ReturnType<typeof lastBoundary>, began: string): Kept[] {
	if (!boundary || boundary.at < began) return began ? [{ from: began }] : [];
	const { kept, offset, at } = boundary;
	const file = openTranscript(path);
	try {
		const timeOf = (uuid: string): string => {
			let time = "";
			findLineBackwards(file, `"uuid":"${uuid}"`, offset, REACH, (line) => {
				const entry = quietJson(line) as { uuid?: unknown; timestamp?: unknown } | null | undefined;
				if (entry?.uuid === uuid && typeof entry.timestamp === "string") time = entry.timestamp;
				return time !== "";
			});
			return time;
		};
		const [from, to] = kept ? [timeOf(kept.head), timeOf(kept.tail)] : ["", ""];
		return [...(from && to ? [{ from, to }] : []), { from: at }];
	} finally {
		file.close();
	}
}

/** Whether a boundary would be found wherever it stands in a transcript. Without a readable one there is nothing to be found. */
export function isWithinReach(path: string): boolean {
	try {
		const file = openTranscript(path);
		file.close();
		return file.size <= REACH;
	} catch {
		return false;
	}
}

/** Whether a hook's attachment behind `offset` holds `text`: what Claude Code restores on resume, the model has already. */
export function attachmentHolds(path: string, offset: number, text: string): boolean {
	const file = openTranscript(path);
	try {
		let holds = false;
		let looked = 0;
		forEachLine(
			file,
			Math.max(offset, file.size - REACH),
			file.size,
			(line) => {
				if (line.includes(text) && line.includes('"attachment"')) holds = isHookAttachment(line);
				return !holds && (!line.includes(text) || ++looked < MAX_LOOKS);
			},
			SHORTEST,
		);
		return holds;
	} finally {
		file.close();
	}
}

/**
 * What a PreToolUse hook injected behind `offset`, from `head` on, the last of it; `null` when there is none, or it
 * came with another event, such as SessionStart when it injected it again.
 */
export function lostOnResume(path: string, offset: number, head: string): string | null {
	const file = openTranscript(path);
	try {
		let found: string | null = null;
		forEachLine(file, Math.max(offset, file.size - REACH), file.size, (line) => {
			if (!line.includes(head) || !line.includes('"attachment"')) return;
			const given = hookContext(line);
			const text = given?.text.find((one) => one.startsWith(head));
			if (text) found = given!.event === "PreToolUse" ? text : null;
		});
		return found;
	} finally {
		file.close();
	}
}

/** The context a hook injected, as Claude Code records it: apart, or as the hook's own output. */
function hookContext(line: Buffer): { event: string; text: string[] } | null {
	const entry = quietJson(line.toString("utf8")) as
		| { type?: unknown; attachment?: Record<string, unknown> }
		| undefined;
	const { type, hookEvent, content, stdout } = (entry?.type === "attachment" && entry.attachment) || {};
	if (typeof hookEvent !== "string") return null;
	if (type === "hook_additional_context" && Array.isArray(content))
		return { event: hookEvent, text: content.filter((one) => typeof one === "string") };
	if (type !== "hook_success" || typeof stdout !== "string") return null;
	const answer = quietJson(stdout) as { hookSpecificOutput?: { additionalContext?: unknown } } | undefined;
	const text = answer?.hookSpecificOutput?.additionalContext;
	return typeof text === "string" ? { event: hookEvent, text: [text] } : null;
}

/** Whether the transcript records, behind `offset`, what hooks of this event injected. */
export function hookAttachmentsAfter(path: string, offset: number, event: string): boolean {
	return attachmentHolds(path, offset, `"hookEvent":"${event}"`);
}

/**
 * Context size after the first compaction since `at` (ISO time): as its boundary tells, else of the first answer behind it;
 * `null` when the transcript does not show it.
 */
export function tokensAfterCompaction(path: string, at: string): number | null {
	const file = openTranscript(path);
	try {
		let tokens: number | null = null;
		let isBehind = false;
		forEachLine(
			file,
			0,
			file.size,
			(line) => {
				if (tokens !== null) return false;
				if (!(line.includes(BOUNDARY) || (isBehind && line.includes(ASSISTANT)))) return true;
				for (const event of decode(quietJson(line.toString("utf8")))) {
					if (event.kind === "usage" && isBehind) tokens ??= event.tokens;
					if (event.kind !== "boundary" || event.at < at) continue;
					isBehind = true;
					tokens ??= event.postTokens;
				}
				return true;
			},
			SHORTEST,
		);
		return tokens;
	} finally {
		file.close();
	}
}

/** The summary that stands behind a boundary, as the model sees it; `null` when it is not written yet. */
export function summaryAfter(path: string, offset: number): string | null {
	const file = openTranscript(path);
	try {
		let summary: string | null = null;
		forEachLine(
			file,
			offset,
			Math.min(file.size, offset + NEAR),
			(line) => {
				if (summary !== null) return false;
				if (!line.includes('"isCompactSummary":true')) return true;
				const entry = quietJson(line.toString("utf8")) as FoundSummary | null | undefined;
				// a tool's structured result may hold the mark too
				if (entry?.isCompactSummary === true) summary = plainText(entry.message?.content) || null;
				return true;
			},
			SHORTEST,
		);
		return summary;
	} finally {
		file.close();
	}
}

interface FoundSummary {
	isCompactSummary?: unknown;
	message?: { content?: unknown };
}

/** Which version of Claude Code wrote the last lines; `null` when none of them says so. */
export function transcriptVersion(path: string): string | null {
	const file = openTranscript(path);
	try {
		for (const line of tailLines(file, MB / 4, ['"version":']).reverse()) {
			const version = /"version": ?"(\d{1,4}\.\d{1,4}\.\d{1,4})"/.exec(line)?.[1];
			if (version) return version;
		}
		return null;
	} finally {
		file.close();
	}
}

/** The boundary a line holds, `null` when it holds none. */
export function boundaryEvent(line: string): BoundaryEvent | null {
	const event = decode(quietJson(line))[0];
	return event?.kind === "boundary" ? event : null;
}

function isHookAttachment(line: Buffer): boolean {
	const entry = quietJson(line.toString("utf8")) as
		| { type?: unknown; attachment?: { type?: unknown; plugin?: unknown } | null }
		| undefined
		| null;
	const { type: kind, plugin } = (entry?.type === "attachment" && entry.attachment) || {};
	// what the mod appends; restored on resume like a hook's (measured on 2.1.330)
	return typeof kind === "string" && (kind.startsWith("hook_") || (kind === "plugin_note" && plugin === "ccg"));
}
