import { decode, plainText } from "../core/transcript/decode.ts";
import type { TranscriptEvent } from "../core/transcript/event.ts";
import { quietJson } from "../core/transcript/quiet-json.ts";
import { findLineBackwards, forEachLine, openTranscript } from "./transcript-file.ts";

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

/** Offset of the last compaction boundary of the main thread before `until`, its uuid and time; `null` without one in reach. */
export function lastBoundary(path: string, until?: number): { offset: number; uuid: string; at: string } | null {
	const file = openTranscript(path);
	try {
		let found: { uuid: string; at: string } | null = null;
		const offset = findLineBackwards(file, BOUNDARY, until ?? file.size, REACH, (line) => {
			const event = boundaryEvent(line);
			if (event) found = { uuid: event.uuid, at: event.at };
			return event !== null;
		});
		return offset === null || !found ? null : { offset, ...(found as { uuid: string; at: string }) };
	} finally {
		file.close();
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

/** Whether the transcript records, behind `offset`, what hooks of this event gave. */
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
				const entry = quietJson(line.toString("utf8")) as Summary | null | undefined;
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

interface Summary {
	isCompactSummary?: unknown;
	message?: { content?: unknown };
}

/** The boundary a line holds, `null` when it holds none. */
export function boundaryEvent(line: string): Extract<TranscriptEvent, { kind: "boundary" }> | null {
	const event = decode(quietJson(line))[0];
	return event?.kind === "boundary" ? event : null;
}

function isHookAttachment(line: Buffer): boolean {
	const entry = quietJson(line.toString("utf8")) as
		| { type?: unknown; attachment?: { type?: unknown } | null }
		| undefined
		| null;
	const kind = entry?.type === "attachment" ? entry.attachment?.type : null;
	return typeof kind === "string" && kind.startsWith("hook_");
}
