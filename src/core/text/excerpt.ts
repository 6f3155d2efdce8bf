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
/** What the mark of a gap takes at most. */
const GAP = 28;

/**
 * A text within about `max` characters: its beginning, its end, and of what lies between the pieces that `keeps` names. Cut between
 * sentences, never between two fences. `missing`: characters that are left out.
 */
export function excerpt(
	text: string,
	max: number,
	keeps: (piece: string) => boolean = () => false,
): { text: string; missing: number } {
	if (text.length <= max) return { text, missing: 0 };
	const pieces = splitPieces(text, max);
	const chosen = new Map<number, string>();
	let left = max - 2 * GAP;
	/** With the white space that stands before it. */
	const priceOf = (at: number, told: string): number =>
		told.length + pieces[at]!.start - (pieces[at - 1]?.end ?? 0) + 1;
	const take = (at: number, room: number): boolean => {
		const { start, end, isBlock, short } = pieces[at]!;
		// inside of a sentence only where the text would have no beginning or no end
		const isShort = isBlock || at === 0 || at === pieces.length - 1;
		const fits = (told: string | undefined): boolean => told !== undefined && priceOf(at, told) <= Math.min(room, left);
		const told = [text.slice(start, end), isShort ? short : undefined].find(fits);
		if (told === undefined) return false;
		chosen.set(at, told);
		left -= priceOf(at, told);
		return true;
	};
	const belowHead = left - max * HEAD;
	let head = 0;
	while (head < pieces.length && take(head, left - belowHead)) head++;
	const belowKept = left - max * KEPT;
	for (let at = pieces.length - 1; at >= 0 && left - belowKept > GAP; at--)
		if (!chosen.has(at) && keeps(text.slice(pieces[at]!.start, pieces[at]!.end)) && take(at, left - belowKept - GAP))
			left -= GAP;
	let tail = pieces.length;
	while (tail > head && (chosen.has(tail - 1) || take(tail - 1, left))) tail--;
	return joinPieces(text, pieces, chosen);
}

/** Joins the chosen pieces in their order, with a mark for each part left out; `missing`: how many characters are. */
function joinPieces(text: string, pieces: readonly Piece[], chosen: ReadonlyMap<number, string>) {
	let [told, done, missing] = ["", 0, 0];
	for (const [at, piece] of [...chosen.keys()].sort((a, b) => a - b).map((at) => [at, pieces[at]!] as const)) {
		const skipped = text.slice(done, piece.start);
		const shown = skipped.trim() ? gapOf(skipped, told !== "") : skipped;
		if (shown !== skipped) missing += skipped.length;
		const own = chosen.get(at)!;
		missing += Math.max(0, piece.end - piece.start - own.length);
		told += shown + own;
		done = piece.end;
	}
	const rest = text.slice(done);
	if (rest.trim()) {
		told += gapOf(rest, true).trimEnd();
		missing += rest.length;
	}
	return { text: told.toWellFormed(), missing };
}

/** What stands in the place of a part that is left out, on a line of its own where that ended one. */
function gapOf(skipped: string, isWithin: boolean): string {
	const mark = `[…${skipped.trim().length} characters…]`;
	const [before, after] = [/^[^\S\n]*\n/.test(skipped) ? "\n" : " ", /\n[^\S\n]*$/.test(skipped) ? "\n" : " "];
	return `${isWithin ? before : ""}${mark}${after}`;
}

/** Also in a list or a quotation. What closes in its own line is none. */
const FENCE = /^(?:[^\S\n]|>){0,16}(?:[-*•] |\d{1,3}[.)] )?(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$/gm;

/** Splits a text into its sentences and its fenced blocks, each with a shorter form. */
function splitPieces(text: string, max: number): Piece[] {
	const pieces: Piece[] = [];
	let done = 0;
	const addProse = (to: number): void => {
		const spans = sentenceSpans(text.slice(done, to));
		// a text of one sentence has all of the room
		const most = spans.length === 1 && done === 0 && to === text.length ? max - 3 * GAP : Math.floor(max * HEAD) - GAP;
		for (const { start, end } of spans) pieces.push(shortenPiece(text, { start: start + done, end: end + done }, most));
	};
	for (const [start, end] of fencesIn(text)) {
		addProse(start);
		pieces.push({ start, end, isBlock: true, short: shortenPaste(text.slice(start, end)) });
		done = end;
	}
	addProse(text.length);
	return pieces;
}

/** Gives where each fenced block begins and ends; one without an end reaches to the end of the text. */
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

/** What came from elsewhere, by its first and last two lines. */
export function shortenPaste(block: string): string {
	const lines = block
		.split("\n")
		.filter((line) => line.trim())
		.map((line) => firstWords(line, 160));
	const [begin, end] = [lines.slice(0, 2), lines.length > 3 ? lines.slice(-2) : []];
	const left = lines.length - begin.length - end.length;
	return [...begin, ...(left > 0 ? [`[… ${left} more ${left === 1 ? "line" : "lines"} …]`] : []), ...end].join("\n");
}

/** A sentence longer than its room, by its first and last words. */
function shortenPiece(text: string, { start, end }: Piece, most: number): Piece {
	const whole = text.slice(start, end);
	if (whole.length <= most || most < 40) return { start, end };
	const begin = wordsBefore(whole, Math.floor(most * 0.6));
	const rest = whole.slice(Math.max(begin.length, whole.length - Math.floor(most * 0.4)));
	const tail = rest.slice(rest.search(/\s/) + 1);
	const left = whole.length - begin.length - tail.length;
	return { start, end, short: `${begin} […${left} characters…]${tail && ` ${tail}`}` };
}

function wordsBefore(text: string, max: number): string {
	const space = text.lastIndexOf(" ", max - 1);
	return text.slice(0, space > max / 2 ? space : max).trimEnd();
}
