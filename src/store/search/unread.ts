import { readFileSync, statSync } from "node:fs";
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

/** What the index still lacks, of a project or of all, worth telling: how many transcripts, and how many bytes. */
export function lackOf(index: SearchIndex, project?: string): { transcripts: number; bytes: number } {
	const own = unreadTranscripts(index).filter((one) => !project || [project, NO_PROJECT].includes(one.project));
	const lacking = own.filter(({ isNew, missing, path }) => isNew || (missing > BEHIND && endsLine(path, missing)));
	return { transcripts: lacking.length, bytes: lacking.reduce((sum, { missing }) => sum + missing, 0) };
}

/** Whether a line ends in the last bytes: a file may end without one, and is read to its end then. */
function endsLine(path: string, bytes: number): boolean {
	try {
		return readFileSync(path).subarray(-bytes).includes(10);
	} catch {
		return true;
	}
}
