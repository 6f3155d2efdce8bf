import { existsSync } from "node:fs";
import type { SearchIndex } from "../../store/search/search-index.ts";
import { indexTranscript } from "./index-transcript.ts";

/** Milliseconds given to what the session has said since it was indexed last. */
const CATCH_UP_MS = 150;

/** Of more, only the beginning is added now. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Adds what a session's running turn has said: the index has it at the turn's end. Without it the answer is only less new. */
export function catchUp(index: SearchIndex, session: string): void {
	const began = performance.now();
	const pace = () => (performance.now() - began < CATCH_UP_MS ? "all" : "none") as "all" | "none";
	for (const source of session ? index.transcriptsOf(session) : [])
		try {
			if (existsSync(source.path)) indexTranscript(index, source, { pace, most: MOST_BYTES });
		} catch {
			// another writer is at it, or the transcript can't be read
		}
}
