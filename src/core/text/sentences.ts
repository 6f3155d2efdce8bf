import { lineBefore } from "../redact/ranges.ts";

const WIDE_END = "。！？；";
const END = ".!?…؟۔।";
const MARK = /[.!?…؟۔।。！？；\n]/g;
const CLOSING = "\"'”’»)]*_`";

export interface Span {
	start: number;
	end: number;
}

/**
 * The sentences of a text as places in it, in order; what lies between them is white space. A sentence ends at its mark, at a blank or
 * indented line; not at the number of a list's item, or inside a name. A wrapped line ends none but before a list's item
 * or a heading. Linear.
 */
export function sentenceSpans(text: string): Span[] {
	const spans: Span[] = [];
	let start = 0;
	const close = (end: number): void => {
		let from = start;
		let to = end;
		while (from < to && isSpace(text[from]!)) from++;
		while (to > from && isSpace(text[to - 1]!)) to--;
		if (to > from) spans.push({ start: from, end: to });
		start = end;
	};
	for (const { index: at, 0: char } of text.matchAll(MARK)) {
		if (at < start) continue;
		if (WIDE_END.includes(char)) {
			close(at + 1);
			continue;
		}
		if (char === "\n") {
			if (isSpace(text[at + 1] ?? "") || LIST_ITEM.test(text.slice(at + 1, at + 8))) close(at + 1);
			continue;
		}
		let after = at + 1;
		// a mark's own closing signs; a run of them is bounded
		while (after < text.length && after - at < 8 && (CLOSING + END).includes(text[after]!)) after++;
		if (after < text.length && !isSpace(text[after]!)) continue;
		if (char === "." && isNumber(text, at)) continue;
		close(after);
	}
	close(text.length);
	return spans;
}

const LIST_ITEM = /^(?:[-*•+] |\d{1,3}[.)] |#{1,6} )/;
const isSpace = (char: string): boolean => char.trim() === "";

/** The number of a list's item. */
const isNumber = (text: string, at: number): boolean => /^[\s>#*-]*\d{1,3}$/.test(lineBefore(text, at, 12));
