/** An object of a transcript line, of any shape. */
export type Json = Record<string, unknown>;

/** The value of a JSON text; `undefined` where it is none, or has so many parts that it would take too much memory. */
export function parseBoundedJson(text: string): unknown {
	if (isTooComplex(text)) return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Shorter texts can't hold enough to matter. */
const SMALL = 64 * 1024;
/** Lists, objects and values in one text; each takes some 60 bytes where it is of one character. */
const MAX_PARTS = 150_000;
const MAX_DEPTH = 2_000;
const [QUOTE, ESCAPE, LIST, LIST_END, OBJECT, OBJECT_END, COMMA] = [34, 92, 91, 93, 123, 125, 44];

/** Whether a JSON text has more parts or levels than a parse may cost. `times`: how many times as much is allowed. */
export function isTooComplex(text: string, times = 1): boolean {
	if (text.length <= SMALL) return false;
	let parts = 0;
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) {
			at = stringEnd(text, at);
			if (at < 0) return false;
		}
		if (code === LIST || code === OBJECT) depth++;
		if (code === LIST_END || code === OBJECT_END) depth--;
		if (code === LIST || code === OBJECT || code === COMMA) parts++;
		if (parts > times * MAX_PARTS || depth > MAX_DEPTH) return true;
	}
	return false;
}

/** The place of the quote that ends a JSON string; -1 where it doesn't end. */
function stringEnd(text: string, from: number): number {
	for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
		let slashes = at;
		while (text.charCodeAt(slashes - 1) === ESCAPE && slashes - 1 > from) slashes--;
		if (((at - slashes) & 1) === 0) return at;
	}
	return -1;
}
