import {
	type ReadStart,
	type ReadTo,
	readTranscript,
	type TranscriptRead,
} from "../../src/claude/transcript/read-transcript.ts";
import type { EventLine } from "../../src/core/transcript/event.ts";

/** The lines that a transcript gives from a byte on, all kept. */
export function readLines(
	path: string,
	offset: number,
	last: ReadTo["last"] = [],
): TranscriptRead & { lines: EventLine[]; start: ReadStart } {
	const lines: EventLine[] = [];
	let start: ReadStart = "continued";
	const begin = (begun: ReadStart) => {
		start = begun;
		return (line: EventLine) => void lines.push(line);
	};
	const read = readTranscript(path, { offset, last }, begin, { isResumable: true });
	return { ...read, lines, start };
}
