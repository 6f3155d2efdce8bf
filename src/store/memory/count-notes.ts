import { readFileSync, statSync } from "node:fs";
import { notesIn } from "./notes.ts";

/** Beyond this nobody keeps notes by hand, and counting would take seconds. */
const MAX_BYTES = 1024 * 1024;

/** The notes of a file; `null` when it is too long to count them. Throws what the file system says. */
export function countNotes(path: string): number | null {
	return statSync(path).size > MAX_BYTES ? null : notesIn(readFileSync(path, "utf8")).length;
}
