import { statSync } from "node:fs";
import type { SearchIndex, Source } from "./search-index.ts";

/** A transcript that is longer than what the index has read of it. */
export interface Unread extends Source {
	/** Bytes. */
	missing: number;
	mtimeMs: number;
	/** Nothing of it was read yet. */
	isNew: boolean;
}

/** Less is what a running turn has said, or half a line that a killed session left. */
const BEHIND = 8 * 1024;

/** The transcripts that the index has not read to their end, the one that was written last first. */
export function unreadTranscripts(index: SearchIndex): Unread[] {
	const found = index.transcripts().flatMap(({ reached, ...source }) => {
		const stat = statOf(source.path);
		const missing = (stat?.size ?? 0) - reached;
		return stat && missing > 0 ? [{ ...source, missing, mtimeMs: stat.mtimeMs, isNew: reached === 0 }] : [];
	});
	return found.sort((a, b) => b.mtimeMs - a.mtimeMs);
}

function statOf(path: string) {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}

/** What the index still lacks, worth telling: how many transcripts, and how many bytes. */
export function lackOf(index: SearchIndex): { transcripts: number; bytes: number } {
	const lacking = unreadTranscripts(index).filter(({ isNew, missing }) => isNew || missing > BEHIND);
	return { transcripts: lacking.length, bytes: lacking.reduce((sum, { missing }) => sum + missing, 0) };
}
