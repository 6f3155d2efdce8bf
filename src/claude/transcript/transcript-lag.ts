import { existsSync } from "node:fs";
import { openTranscript, tailLines } from "./transcript-file.ts";

/**
 * Claude Code writes the transcript behind its events: up to about 65 ms after PostToolBatch started its hooks (measured on
 * 2.1.329), and after a session's first call the file may not be there yet.
 */
const STEP_MS = 15;
const TAIL = 1024 * 1024;

/** Waits until the file is there and its end holds all of `marks`, or the time is over. Gives whether it does. */
export function waitForLines(path: string, marks: readonly string[], limitMs: number): boolean {
	const end = performance.now() + limitMs;
	for (;;) {
		if (holds(path, marks)) return true;
		if (performance.now() >= end) return false;
		Bun.sleepSync(STEP_MS);
	}
}

function holds(path: string, marks: readonly string[]): boolean {
	if (!existsSync(path)) return false;
	if (marks.length === 0) return true;
	try {
		const file = openTranscript(path);
		try {
			const lines = tailLines(file, TAIL, marks);
			return marks.every((mark) => lines.some((line) => line.includes(mark)));
		} finally {
			file.close();
		}
	} catch {
		// the reading that follows says what is wrong with it
		return true;
	}
}
