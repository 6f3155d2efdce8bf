import { oneLine, safeText } from "./text.ts";

/** How many characters beyond the cut are read too, so that a secret across the cut is seen whole. */
const EXTRA_READ = 4_096;
/** How much of a window's cut end is dropped: it may be the beginning of a secret. */
const UNSURE_EDGE = 1_024;

/** The beginning of a text made safe, at most `max` characters. Secrets are redacted before the cut. */
export function safeHead(text: string, max: number): string {
	if (text.length <= max) return safeText(text);
	const window = text.slice(0, max + EXTRA_READ);
	const safe = safeText(window);
	const most = window.length < text.length ? Math.min(max, Math.max(0, safe.length - UNSURE_EDGE)) : max;
	return safe.slice(0, most);
}

const ENDS_GAP = " […] ";

/**
 * The beginning and the end of a text made safe, with a mark between, at most `max` characters. Secrets are redacted before the cut. The
 * first `lead` characters, a heading, don't count for the share of the beginning.
 */
export function safeEnds(text: string, max: number, lead = 0): string {
	if (text.length <= max) return safeText(text);
	const head = lead + Math.ceil((max - lead - ENDS_GAP.length) * 0.6);
	const tail = max - ENDS_GAP.length - head;
	if (text.length <= max + 2 * EXTRA_READ) {
		// redacting the whole once costs less than both ends
		const safe = safeText(text);
		const tailLength = Math.min(tail, Math.max(0, safe.length - head - UNSURE_EDGE));
		return `${safe.slice(0, head)}${ENDS_GAP}${safe.slice(safe.length - tailLength)}`.toWellFormed();
	}
	return `${safeHead(text, head)}${ENDS_GAP}${safeTail(text.slice(head), tail)}`.toWellFormed();
}

/** The end of a text made safe, at most `max` characters. Secrets are redacted before the cut. */
export function safeTail(text: string, max: number): string {
	if (text.length <= max) return safeText(text);
	const window = text.slice(-max - EXTRA_READ);
	// the word (or a key's lines) at the window's cut beginning may be the end of a secret
	const cutLength = window.length < text.length ? CUT_WORD.exec(window)![0].length : 0;
	const safe = safeText(window.slice(cutLength));
	const edge = window.length < text.length ? Math.max(0, UNSURE_EDGE - cutLength) : 0;
	const length = Math.min(max, Math.max(0, safe.length - edge));
	return safe.slice(safe.length - Math.min(length, safe.length)).toWellFormed();
}

const CUT_WORD = /^\S*(?:\n[A-Za-z0-9+/=]{40,}(?=\r?\n|$)\r?)*/;

/** A name as one line of safe text: others choose the names of files, tools and branches, which may hold line breaks. */
export const safeName = (name: string): string => oneLine(safeHead(name, 4_096));
