import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type Json, quietJson } from "../../core/transcript/quiet-json.ts";
import { namesIn, quietly, quietStat } from "../../files/quietly.ts";
import { isSessionId } from "../../store/paths.ts";
import { findLineBackwards, forEachLine, type TranscriptFile, withTranscript } from "./transcript-file.ts";

/** The transcripts of the main conversations below Claude Code's own folder: subagents' lie deeper. `changed` in ms. */
export function transcriptsBelow(claudeRoot: string) {
	const projects = join(claudeRoot, "projects");
	return namesIn(projects).flatMap((project) =>
		namesIn(join(projects, project)).flatMap((name) => {
			const session = basename(name, ".jsonl");
			const path = join(projects, project, name);
			const stat = session !== name && isSessionId(session) ? quietStat(path) : undefined;
			return stat?.isFile() ? [{ path, session, bytes: stat.size, changed: stat.mtimeMs }] : [];
		}),
	);
}

/** The first messages stand in so many bytes. */
const HEAD = 2 * 1024 * 1024;

/** The folder a session began in, by its transcript; `null` where it tells none or can't be read. */
export function workFolderOf(path: string): string | null {
	let folder: string | null = null;
	const take = (line: Buffer): boolean => {
		const { cwd } = Object(quietJson(line.toString("utf8"))) as Json;
		if (typeof cwd === "string") folder = cwd;
		return folder === null;
	};
	quietly(() => withTranscript(path, (file) => forEachLine(file, 0, Math.min(HEAD, file.size), take)));
	return folder;
}

/**
 * Claude Code writes the transcript behind its events: up to about 65 ms after it started the hooks of a call's end (measured on
 * 2.1.329), and after a session's first call the file may not be there yet.
 */
const STEP_MS = 15;
const TAIL = 1024 * 1024;

/** Calls `look` again until `isEnough` accepts its result, or the time is over; gives the last result. */
export function waitFor<T>(look: () => T, isEnough: (found: T) => boolean, limitMs: number): T {
	const end = performance.now() + limitMs;
	for (;;) {
		const found = look();
		if (isEnough(found) || performance.now() >= end) return found;
		Bun.sleepSync(STEP_MS);
	}
}

/** Waits until the file is there and its end holds the text, or the time is over. */
export const waitForText = (path: string, text: string, limitMs: number): boolean =>
	waitFor(() => endHolds(path, text), Boolean, limitMs);

function endHolds(path: string, text: string): boolean {
	const find = (file: TranscriptFile) => findLineBackwards(file, text, file.size, TAIL, () => true);
	// why a file can't be read, the reading that follows says
	return existsSync(path) && quietly(() => withTranscript(path, find)) !== null;
}
