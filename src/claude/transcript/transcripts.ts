import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type Json, parseBoundedJson } from "../../core/transcript/quiet-json.ts";
import { listFolder, tryOrUndefined, tryStat } from "../../files/quietly.ts";
import { isSessionId } from "../../store/paths.ts";
import { findLastLine, forEachLine, type TranscriptFile, withTranscript } from "./transcript-file.ts";

/** The transcripts of the main conversations below Claude Code's own folder: subagents' lie deeper. `changed` in ms. */
export function transcriptsBelow(claudeRoot: string) {
	const projects = join(claudeRoot, "projects");
	return listFolder(projects).flatMap((project) =>
		listFolder(join(projects, project)).flatMap((name) => {
			const session = basename(name, ".jsonl");
			const path = join(projects, project, name);
			const stat = session !== name && isSessionId(session) ? tryStat(path) : undefined;
			return stat?.isFile() ? [{ path, session, bytes: stat.size, changed: stat.mtimeMs }] : [];
		}),
	);
}

/** The first messages stand in so many bytes. */
const HEAD = 2 * 1024 * 1024;

/** The folder a session began in, from its transcript; `null` where that names none or can't be read. */
export function startFolderOf(path: string): string | null {
	let folder: string | null = null;
	/** Looks for the folder in a line; whether to go on with the next. */
	const readFolder = (line: Buffer): boolean => {
		const { cwd } = Object(parseBoundedJson(line.toString("utf8"))) as Json;
		if (typeof cwd === "string") folder = cwd;
		return folder === null;
	};
	tryOrUndefined(() => withTranscript(path, (file) => forEachLine(file, 0, Math.min(HEAD, file.size), readFolder)));
	return folder;
}

/** Claude Code writes a transcript up to 65 ms behind its events (measured on 2.1.329); the file comes with a session's first call. */
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
	waitFor(() => endMayHold(path, text), Boolean, limitMs);

/** Whether a line near the file's end holds the text; also `true` for a file that can't be read: whoever reads it next says why. */
function endMayHold(path: string, text: string): boolean {
	const find = (file: TranscriptFile) => findLastLine(file, text, file.size, TAIL, () => true);
	return existsSync(path) && tryOrUndefined(() => withTranscript(path, find)) !== null;
}
