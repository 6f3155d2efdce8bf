import { isSince } from "../../core/transcript/provenance.ts";
import { endsOf, type TranscriptFile } from "./transcript-file.ts";

const LOOKED_AT = 128 * 1024;
/** What only versions write that sign a queued message where it is given. Inside a text their quotes would be escaped. */
const MARKS = ['"promptSource":"', '"origin":{"kind":"', '"turnOrigin":"', '"type":"queued_command"'];
const VERSION = /"version":"(\d{1,4}\.\d{1,4}\.\d{1,6})"/g;
/** Seen on 2.1.153 and later; up to 2.1.39 the queue's own record is all there is. */
const SIGNED_SINCE = [2, 1, 153] as const;

/**
 * Tells whether queued messages of this transcript are signed where they are given. Then the records of the queue itself,
 * which hold what channels, other sessions and agents put there too, say nothing of who spoke. Looked up when first asked.
 */
export function queueSignature(file: TranscriptFile): () => boolean {
	let known: boolean | undefined;
	return () => {
		known ??= isSigned(file);
		return known;
	};
}

function isSigned(file: TranscriptFile): boolean {
	// some programs write spaces behind the colons
	const text = endsOf(file, LOOKED_AT)
		.toString("latin1")
		.replace(/": (?=["{])/g, '":');
	if (MARKS.some((mark) => text.includes(mark))) return true;
	return [...text.matchAll(VERSION)].some(([, version]) => isSince(version, SIGNED_SINCE));
}
