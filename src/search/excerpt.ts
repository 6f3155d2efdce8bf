import { visible } from "../core/text/invisible.ts";
import { barred } from "../core/text/quoted.ts";
import { sentenceSpans } from "../core/text/sentences.ts";
import { KINDS, type Passage } from "./passage.ts";
import { heldTerms, weightOf } from "./ranking.ts";
import { type Term, termPlace } from "./words.ts";

/** What a segment beside one that holds the words is worth, as a share of its worth: measured, 0.4 and 1 gave less. */
const AROUND = 0.7;
/** Of the room, so much may go to what a call was made with; its result has the rest. */
const ASKED = 0.4;
/** A bar before each line. */
const BAR = 2;

/**
 * Of a text the whole sentences, list items and lines of code that hold the words, with what stands around them: each line behind a
 * bar, at most `most` characters. What was called and how its result begins stand in each excerpt of a call.
 */
export function excerptOf({ text: given, kind }: Pick<Passage, "text" | "kind">, terms: readonly Term[], most: number) {
	const isCode = KINDS[kind].of === "call";
	const holds = (line: string): boolean => heldTerms(line, terms).size > 0;
	const whole = visible(given.trim());
	const text = isCode ? whole.replace(/^@ .*\n?/gm, (line) => (holds(line) ? line : "")).trimEnd() : whole;
	if (barredLength(text) <= most) return barred(text);
	// where not all fits no room goes to lines without a word
	const segments = (isCode ? text.split(/(?<=\n)/) : sentenceTexts(text)).flatMap((one) =>
		/[\p{L}\p{N}]/u.test(one.replace(/^\s*\d+→/, "")) ? one.replace(/^\n+|(?<=\n)\n+$/g, "") : [],
	);
	const own = segments.map((segment) => weightOf(heldTerms(segment, terms)));
	const at = (i: number): number => own[i] ?? 0;
	const worth = own.map((one, i) => one + AROUND * (at(i - 1) + at(i + 1)));
	const byWorth = [...segments.keys()].sort((a, b) => worth[b]! - worth[a]! || a - b);
	const result = isCode ? segments.findIndex((segment) => segment.startsWith(RESULT)) : -1;
	const taken = new Map<number, string>();
	let left = most - MARK;
	/** A segment that is longer than the room it may take is cut where `isCut`, else it is not there. */
	const take = (i: number, room: number, isCut = false): void => {
		if (taken.has(i)) return;
		const gap = taken.has(i - 1) || taken.has(i + 1) ? 0 : MARK;
		const isWhole = barredLength(segments[i]!) + gap <= Math.min(left, room);
		if (!isWhole && !isCut) return;
		const segment = isWhole
			? segments[i]!
			: cutAround(segments[i]!, terms, Math.max(1, Math.min(left, room) - 2 * MARK));
		taken.set(i, segment);
		left -= barredLength(segment) + gap;
	};
	if (isCode) take(0, most * ASKED, true);
	take(byWorth[0]!, left, true);
	if (result > 0) take(result, most * ASKED, true);
	// of an edit, and of what is near in meaning alone, all that fits
	const isWhole = (isCode && result < 0) || own.every((one) => one === 0);
	for (const i of byWorth) if (worth[i]! > 0 || isWhole) take(i, left);
	return barred(joinSegments(taken, segments));
}

/** How the result of a call begins. */
export const RESULT = "→ ";
/** What a mark of something left out takes at most. */
const MARK = 5;

const barredLength = (text: string): number => text.length + BAR * text.trimEnd().split("\n").length;

/** Joins the segments taken in their order, with a mark where some were left out. */
function joinSegments(taken: ReadonlyMap<number, string>, segments: readonly string[]): string {
	let shown = "";
	let last = -1;
	for (const [i, segment] of [...taken].sort(([a], [b]) => a - b)) {
		if (i > last + 1 && shown) shown = addGap(shown, segments[i - 1]!);
		shown += segment;
		last = i;
	}
	const isEnd = last === segments.length - 1;
	return (isEnd ? shown : addGap(shown, "")).trimEnd();
}

/** With a mark behind it for segments that were left out. */
const addGap = (shown: string, left: string): string =>
	`${shown.trimEnd()} …${shown.endsWith("\n") || left.endsWith("\n") ? "\n" : " "}`;

function sentenceTexts(prose: string): string[] {
	const starts = sentenceSpans(prose).map(({ start }) => start);
	return starts.map((start, n) => prose.slice(n === 0 ? 0 : start, starts[n + 1] ?? prose.length));
}

/** Gives the part of a segment that is too long by itself: around the first of the words, cut between words. */
function cutAround(segment: string, terms: readonly Term[], most: number): string {
	const place = termPlace(segment, terms);
	const first = Math.max(0, place - most / 3);
	const isBegin = first < most / 3;
	const space = segment.indexOf(" ", first);
	const from = isBegin ? 0 : space > 0 && space < first + most / 4 ? space + 1 : Math.floor(first);
	const cut = segment.slice(from, from + most);
	const end = cut.lastIndexOf(" ");
	const part = from + most >= segment.length ? cut.trimEnd() : cut.slice(0, end > most / 2 ? end : most);
	const isEnd = from + most >= segment.length;
	return `${isBegin ? "" : "… "}${part.trimEnd().toWellFormed()}${isEnd ? "" : " …"}${segment.endsWith("\n") ? "\n" : ""}`;
}
