import { sentenceSpans } from "./sentences.ts";
import { firstWords } from "./text.ts";

/** A piece of a text that is told whole or not at all: a sentence, a list's item, a fenced block. */
interface Piece {
	start: number;
	end: number;
	isBlock?: true;
	/** Stands for it where it is long: a fenced block by its first and last line, a sentence by its first and last words. */
	short?: string;
}

/** The share of the beginning and of what is asked to be kept; the end gets the rest, since requests end in the point. */
const HEAD = 0.4;
const KEPT = 0.3;
/** How long the mark of a gap is at most. */
const GAP = 28;

/**
 * A text within about `max` characters: its beginning, its end, and of what lies between the pieces that `keeps` wants. Cut between
 * sentences, never inside a fenced block. `missing`: how many characters are left out.
 */
export function excerpt(text: string, max: number, keeps: (piece: string) => boolean = () => false) {
	if (text.length <= max) return { text, missing: 0 };
	const pieces = splitPieces(text, max);
	const chosen = new Map<number, string>();
	let room = max - 2 * GAP;
	/** The length of a piece, with the white space before it. */
	const costOf = (at: number, piece: string): number =>
		piece.length + pieces[at]!.start - (pieces[at - 1]?.end ?? 0) + 1;
	/** Chooses a piece, whole or else its short form, if it takes at most `most`. Says whether it did. */
	const choose = (at: number, most: number): boolean => {
		const { start, end, isBlock, short } = pieces[at]!;
		// a sentence is shortened only where the text would have no beginning or no end
		const mayShorten = isBlock || at === 0 || at === pieces.length - 1;
		const forms = [text.slice(start, end), ...(mayShorten && short !== undefined ? [short] : [])];
		const piece = forms.find((form) => costOf(at, form) <= Math.min(most, room));
		if (piece === undefined) return false;
		chosen.set(at, piece);
		room -= costOf(at, piece);
		return true;
	};
	const roomAfterHead = room - max * HEAD;
	let head = 0;
	while (head < pieces.length && choose(head, room - roomAfterHead)) head++;
	const roomAfterKept = room - max * KEPT;
	for (let at = pieces.length - 1; at >= 0 && room - roomAfterKept > GAP; at--) {
		const isWanted = !chosen.has(at) && keeps(text.slice(pieces[at]!.start, pieces[at]!.end));
		if (isWanted && choose(at, room - roomAfterKept - GAP)) room -= GAP;
	}
	let tail = pieces.length;
	while (tail > head && (chosen.has(tail - 1) || choose(tail - 1, room))) tail--;
	return joinPieces(text, pieces, chosen);
}

/** Joins the chosen pieces in their order, with a mark for each part left out; `missing`: how many characters that is. */
function joinPieces(text: string, pieces: readonly Piece[], chosen: ReadonlyMap<number, string>) {
	let [joined, joinedTo, missing] = ["", 0, 0];
	for (const [at, shown] of [...chosen].sort(([a], [b]) => a - b)) {
		const { start, end } = pieces[at]!;
		const skipped = text.slice(joinedTo, start);
		const isGap = skipped.trim() !== "";
		if (isGap) missing += skipped.length;
		missing += Math.max(0, end - start - shown.length);
		joined += (isGap ? gapMark(skipped, joined !== "") : skipped) + shown;
		joinedTo = end;
	}
	const rest = text.slice(joinedTo);
	if (rest.trim()) {
		joined += gapMark(rest, true).trimEnd();
		missing += rest.length;
	}
	return { text: joined.toWellFormed(), missing };
}

/** The mark for a part that is left out, on a line of its own where the part ended one. `isAfterText`: the text before it is shown. */
function gapMark(skipped: string, isAfterText: boolean): string {
	const mark = `[…${skipped.trim().length} characters…]`;
	const [before, after] = [/^[^\S\n]*\n/.test(skipped) ? "\n" : " ", /\n[^\S\n]*$/.test(skipped) ? "\n" : " "];
	return `${isAfterText ? before : ""}${mark}${after}`;
}

/** Also in a list or a quotation. What closes in its own line is none. */
const FENCE = /^(?:[^\S\n]|>){0,16}(?:[-*•] |\d{1,3}[.)] )?(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$/gm;

/** Splits a text into its sentences and its fenced blocks, each with a shorter form. */
function splitPieces(text: string, max: number): Piece[] {
	const pieces: Piece[] = [];
	let splitTo = 0;
	const addProse = (to: number): void => {
		const spans = sentenceSpans(text.slice(splitTo, to));
		const isOnlySentence = spans.length === 1 && splitTo === 0 && to === text.length;
		const most = isOnlySentence ? max - 3 * GAP : Math.floor(max * HEAD) - GAP;
		for (const { start, end } of spans)
			pieces.push(shortenPiece(text, { start: start + splitTo, end: end + splitTo }, most));
	};
	for (const [start, end] of fencesIn(text)) {
		addProse(start);
		pieces.push({ start, end, isBlock: true, short: shortenPaste(text.slice(start, end)) });
		splitTo = end;
	}
	addProse(text.length);
	return pieces;
}

/** Where each fenced block begins and ends; one without an end reaches to the end of the text. */
function fencesIn(text: string): [number, number][] {
	const found: [number, number][] = [];
	let open: { at: number; sign: string } | null = null;
	for (const { index, 0: line, 1: sign } of text.matchAll(FENCE)) {
		if (!open) open = { at: index, sign: sign! };
		else if (sign!.startsWith(open.sign)) {
			found.push([open.at, index + line.length]);
			open = null;
		}
	}
	return open ? [...found, [open.at, text.length]] : found;
}

/** A pasted text by its first and last two lines. */
export function shortenPaste(block: string): string {
	const lines = block
		.split("\n")
		.filter((line) => line.trim())
		.map((line) => firstWords(line, 160));
	const [begin, end] = [lines.slice(0, 2), lines.length > 3 ? lines.slice(-2) : []];
	const hidden = lines.length - begin.length - end.length;
	return [...begin, ...(hidden > 0 ? [`[… ${hidden} more ${hidden === 1 ? "line" : "lines"} …]`] : []), ...end].join(
		"\n",
	);
}

/** A sentence; where it is longer than `room`, with a short form: its first and last words. */
function shortenPiece(text: string, { start, end }: Piece, room: number): Piece {
	const whole = text.slice(start, end);
	if (whole.length <= room || room < 40) return { start, end };
	const begin = cutAtWord(whole, Math.floor(room * 0.6));
	const rest = whole.slice(Math.max(begin.length, whole.length - Math.floor(room * 0.4)));
	const tail = rest.slice(rest.search(/\s/) + 1);
	const missing = whole.length - begin.length - tail.length;
	return { start, end, short: `${begin} […${missing} characters…]${tail && ` ${tail}`}` };
}

/** The beginning of a text, cut at a space where there is one in its second half. */
function cutAtWord(text: string, max: number): string {
	const space = text.lastIndexOf(" ", max - 1);
	return text.slice(0, space > max / 2 ? space : max).trimEnd();
}
