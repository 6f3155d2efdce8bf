import { stripInvisible } from "../core/text/invisible.ts";
import { quoteWithBars } from "../core/text/quoted.ts";
import { sentenceSpans } from "../core/text/sentences.ts";
import { KINDS, type Passage } from "./passage.ts";
import { termsIn, totalWeight } from "./ranking.ts";
import { firstTermOffset, type Term } from "./words.ts";

/** What a segment beside one that holds the words is worth, as a share of its worth: measured, 0.4 and 1 gave less. */
const NEIGHBOUR_SHARE = 0.7;
/** Of the room, so much may go to what a call was made with; its result has the rest. */
const INPUT_SHARE = 0.4;
/** A bar before each line. */
const BAR_LENGTH = 2;

/**
 * An excerpt of a passage, at most `most` characters long, each line behind a bar: the sentences, list items and lines of code that hold the
 * terms, and as far as they fit those beside them. Of a call also its first line and the beginning of its result.
 */
export function makeExcerpt(passage: Pick<Passage, "text" | "kind">, terms: readonly Term[], most: number): string {
	const isCall = KINDS[passage.kind].group === "call";
	const whole = stripInvisible(passage.text.trim());
	// of the unchanged lines of an edit those with a term
	const keepWithTerm = (line: string): string => (termsIn(line, terms).size > 0 ? line : "");
	const text = isCall ? whole.replace(/^@ .*\n?/gm, keepWithTerm).trimEnd() : whole;
	if (lengthWithBars(text) <= most) return quoteWithBars(text);
	// lines without a letter or number are left out
	const segments = (isCall ? text.split(/(?<=\n)/) : splitSentences(text)).flatMap((segment) =>
		/[\p{L}\p{N}]/u.test(segment.replace(/^\s*\d+→/, "")) ? segment.replace(/^\n+|(?<=\n)\n+$/g, "") : [],
	);
	const weights = segments.map((segment) => totalWeight(termsIn(segment, terms)));
	const weightAt = (i: number): number => weights[i] ?? 0;
	const worth = weights.map((weight, i) => weight + NEIGHBOUR_SHARE * (weightAt(i - 1) + weightAt(i + 1)));
	const byWorth = [...segments.keys()].sort((a, b) => worth[b]! - worth[a]! || a - b);
	const resultIndex = isCall ? segments.findIndex((segment) => segment.startsWith(RESULT_MARK)) : -1;
	const chosen = new Map<number, string>();
	let left = most - GAP_LENGTH;
	/** Adds a segment; one that does not fit into the room is cut where it `mayBeCut`, else left out. */
	const addSegment = (i: number, maxRoom: number, { mayBeCut }: { mayBeCut: boolean }): void => {
		if (chosen.has(i)) return;
		const room = Math.min(left, maxRoom);
		const gap = chosen.has(i - 1) || chosen.has(i + 1) ? 0 : GAP_LENGTH;
		const fits = lengthWithBars(segments[i]!) + gap <= room;
		if (!fits && !mayBeCut) return;
		const segment = fits ? segments[i]! : cutAroundTerm(segments[i]!, terms, Math.max(1, room - 2 * GAP_LENGTH));
		chosen.set(i, segment);
		left -= lengthWithBars(segment) + gap;
	};
	if (isCall) addSegment(0, most * INPUT_SHARE, { mayBeCut: true });
	addSegment(byWorth[0]!, left, { mayBeCut: true });
	if (resultIndex > 0) addSegment(resultIndex, most * INPUT_SHARE, { mayBeCut: true });
	// of an edit, and of what was found by its meaning alone, all that fits
	const isAllWanted = (isCall && resultIndex < 0) || weights.every((weight) => weight === 0);
	for (const i of byWorth) if (worth[i]! > 0 || isAllWanted) addSegment(i, left, { mayBeCut: false });
	return quoteWithBars(joinSegments(chosen, segments));
}

/** How the result of a call begins. */
export const RESULT_MARK = "→ ";
/** What a mark of something left out takes at most. */
const GAP_LENGTH = 5;

/** How long a text is with a bar before each line. */
const lengthWithBars = (text: string): number => text.length + BAR_LENGTH * text.trimEnd().split("\n").length;

/** Joins the chosen segments, by their index, in their order, with a mark where some were left out. */
function joinSegments(chosen: ReadonlyMap<number, string>, segments: readonly string[]): string {
	let joined = "";
	let last = -1;
	for (const [i, segment] of [...chosen].sort(([a], [b]) => a - b)) {
		if (i > last + 1 && joined) joined = addGap(joined, segments[i - 1]!);
		joined += segment;
		last = i;
	}
	const isEnd = last === segments.length - 1;
	return (isEnd ? joined : addGap(joined, "")).trimEnd();
}

/** The text with `…` behind it, for segments that were left out: a new line follows where the text or the last of them ends one. */
const addGap = (text: string, leftOut: string): string =>
	`${text.trimEnd()} …${text.endsWith("\n") || leftOut.endsWith("\n") ? "\n" : " "}`;

/** The sentences of a text; joined they are the text. */
function splitSentences(prose: string): string[] {
	const starts = sentenceSpans(prose).map(({ start }) => start);
	return starts.map((start, n) => prose.slice(n === 0 ? 0 : start, starts[n + 1] ?? prose.length));
}

/** Cuts a segment to `most` characters: the part around the first term, cut between words, with `…` where something is left out. */
function cutAroundTerm(segment: string, terms: readonly Term[], most: number): string {
	const wantedStart = Math.max(0, firstTermOffset(segment, terms) - most / 3);
	const isFromStart = wantedStart < most / 3;
	const space = segment.indexOf(" ", wantedStart);
	const isSpaceNear = space > 0 && space < wantedStart + most / 4;
	const start = isFromStart ? 0 : isSpaceNear ? space + 1 : Math.floor(wantedStart);
	const isToEnd = start + most >= segment.length;
	const cut = segment.slice(start, start + most);
	const lastSpace = cut.lastIndexOf(" ");
	const part = isToEnd ? cut : cut.slice(0, lastSpace > most / 2 ? lastSpace : most);
	const text = part.trimEnd().toWellFormed();
	return `${isFromStart ? "" : "… "}${text}${isToEnd ? "" : " …"}${segment.endsWith("\n") ? "\n" : ""}`;
}
