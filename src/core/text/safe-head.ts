import { oneLine, safeText } from "./text.ts";

/** So much behind the cut is looked at too: a secret that lies across it is seen whole. */
const BEHIND = 4_096;
/** Of a window that was itself cut, the end is given up: what was cut there may be a secret's beginning. */
const EDGE = 1_024;

/** The beginning of a text made safe, at most `max` characters: secrets are taken out first, the cut comes after. */
export function safeHead(text: string, max: number): string {
	if (text.length <= max) return safeText(text);
	const window = text.slice(0, max + BEHIND);
	const safe = safeText(window);
	const most = window.length < text.length ? Math.min(max, Math.max(0, safe.length - EDGE)) : max;
	return safe.slice(0, most);
}

const GAP = " […] ";

/**
 * The beginning and the end of a text made safe, with a mark between, at most `max` characters: what a result tells stands at
 * both. Secrets are taken out first, as in `safeHead`. The first `lead` characters stay in front of both.
 */
export function safeEnds(text: string, max: number, lead = 0): string {
	if (text.length <= max) return safeText(text);
	const head = lead + Math.ceil((max - lead - GAP.length) * 0.6);
	const tail = max - GAP.length - head;
	if (text.length <= max + 2 * BEHIND) {
		// one look at the whole costs less than one at either end; what it shows is the same
		const safe = safeText(text);
		const most = Math.min(tail, Math.max(0, safe.length - head - EDGE));
		return `${safe.slice(0, head)}${GAP}${safe.slice(safe.length - most)}`.toWellFormed();
	}
	return `${safeHead(text, head)}${GAP}${safeTail(text.slice(head), tail)}`.toWellFormed();
}

/** The end of a text made safe, at most `max` characters; the same from the other side as `safeHead`. */
export function safeTail(text: string, max: number): string {
	if (text.length <= max) return safeText(text);
	const window = text.slice(-max - BEHIND);
	// what was cut at the window's beginning may be a secret's end: its word, a key's lines
	const cut = window.length < text.length ? CUT.exec(window)![0].length : 0;
	const safe = safeText(window.slice(cut));
	const edge = window.length < text.length ? Math.max(0, EDGE - cut) : 0;
	const most = Math.min(max, Math.max(0, safe.length - edge));
	return safe.slice(safe.length - Math.min(most, safe.length)).toWellFormed();
}

const CUT = /^\S*(?:\n[A-Za-z0-9+/=]{40,}(?=\r?\n|$)\r?)*/;

/** A name as one line of safe text: names of files, tools and branches may hold line breaks, and what they hold was chosen by others. */
export const safeName = (name: string): string => oneLine(safeHead(name, 4_096));
