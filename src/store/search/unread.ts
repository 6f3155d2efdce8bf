import { closeSync, openSync, readSync, statSync } from "node:fs";
import { NO_PROJECT, type SearchIndex, type Source } from "./search-index.ts";

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
		return stat && missing > 0 && endsLine(source.path, reached)
			? [{ ...source, missing, mtimeMs: stat.mtimeMs, isNew: reached === 0 }]
			: [];
	});
	return found.sort((a, b) => b.mtimeMs - a.mtimeMs);
}

const CHUNK = 64 * 1024;

/** Whether a line ends behind `from`: without one there is nothing to read yet, or the file ends without a line's end. */
function endsLine(path: string, from: number): boolean {
	try {
		const file = openSync(path, "r");
		try {
			const bytes = Buffer.allocUnsafe(CHUNK);
			for (let at = from, read = 1; read > 0; at += read) {
				read = readSync(file, bytes, 0, CHUNK, at);
				if (bytes.subarray(0, read).includes(10)) return true;
			}
		} finally {
			closeSync(file);
		}
	} catch {
		// what can't be read is not in the index either
		return true;
	}
	return false;
}

function statOf(path: string) {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}

/** What the index still lacks, of a project or of all, worth telling: how many transcripts, and how many bytes. */
export function lackOf(index: SearchIndex, project?: string): { transcripts: number; bytes: number } {
	const own = unreadTranscripts(index).filter((one) => !project || [project, NO_PROJECT].includes(one.project));
	const lacking = own.filter(({ isNew, missing }) => isNew || missing > BEHIND);
	return { transcripts: lacking.length, bytes: lacking.reduce((sum, { missing }) => sum + missing, 0) };
}
