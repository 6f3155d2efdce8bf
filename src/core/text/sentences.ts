/** Words that end with a full stop and end no sentence, without it. */
const ABBREVIATIONS = new Set(
	(
		"e.g i.e eg ie v vs cf al approx ca dr mr mrs ms prof st no nos fig figs sec ch p pp vol ed eds inc ltd co dept est min max " +
		"resp incl excl esp ex viz " +
		"z.b d.h u.a u.u bzw evtl ggf inkl exkl sog vgl nr abs o.ä s.o s.u " +
		"p.ex c.-à-d env m mme ej p.ej ud uds sr sra núm pág " +
		"т.е т.д т.п т.к напр др см стр им"
	).split(" "),
);
/** What follows `etc.` and its like decides whether they end a sentence. */
const LIKE_ETC = new Set("etc usw u.s.w u.ä".split(" "));

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
 * indented line; not at abbreviations, at the number of a list's item, or inside a name. A wrapped line ends none but before a list's item
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
		if (char === "." && after === at + 1 && endsNone(text, at, after)) continue;
		close(after);
	}
	close(text.length);
	return spans;
}

const LIST_ITEM = /^(?:[-*•+] |\d{1,3}[.)] |#{1,6} )/;
const isSpace = (char: string): boolean => char.trim() === "";

const MAX_WORD = 12;

function endsNone(text: string, at: number, after: number): boolean {
	let from = at;
	while (from > 0 && at - from < MAX_WORD && !/[\s(["'“„«]/.test(text[from - 1]!)) from--;
	const word = text.slice(from, at).toLowerCase();
	if (ABBREVIATIONS.has(word)) return true;
	// the number of a list's item, or a single letter
	if (/^(?:\d{1,3}|\p{L})$/u.test(word) && isAtLineStart(text, from)) return true;
	if (LIKE_ETC.has(word)) return /^\s+\p{Ll}/u.test(text.slice(after, after + 4));
	return false;
}

function isAtLineStart(text: string, at: number): boolean {
	for (let i = at - 1; i >= 0 && at - i < 12; i--) {
		if (text[i] === "\n") return true;
		if (!/[\s>#*-]/.test(text[i]!)) return false;
	}
	return at < 12;
}
