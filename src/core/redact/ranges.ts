import { hasDigitsInside } from "./shape.ts";

/** A part of a text that is a secret. */
export interface Range {
	start: number;
	end: number;
	/** Of the marker that takes its place. */
	kind: string;
}

/** One look at a text: adds what it takes for a secret. */
export type Look = (text: string, found: Range[]) => void;

/** The range that holds a place, of those found so far in rising order; only the last one is looked at. */
export function within(found: readonly Range[], at: number): Range | null {
	const last = found.at(-1);
	return last && at >= last.start && at < last.end ? last : null;
}

/** The text with a marker in each range's place; of ranges that overlap one marker, of the first's kind. */
export function replaceRanges(text: string, found: readonly Range[]): string {
	const ranges = text.includes("[REDACTED:") ? found.flatMap((range) => besideMarkers(text, range)) : [...found];
	ranges.sort((a, b) => a.start - b.start || b.end - a.end);
	let result = "";
	let done = 0;
	for (let i = 0; i < ranges.length; i++) {
		const { start, kind } = ranges[i]!;
		let { end } = ranges[i]!;
		while (i + 1 < ranges.length && ranges[i + 1]!.start < end) end = Math.max(end, ranges[++i]!.end);
		result += text.slice(done, start) + marker(kind);
		done = end;
	}
	return result + text.slice(done);
}

/** Markers are no secrets: a range inside one goes, and one that reaches into one takes it whole. */
function besideMarkers(text: string, { start, end, kind }: Range): Range[] {
	const first = markerRound(text, start);
	if (first && first.end >= end) return [];
	return [{ start: first?.start ?? start, end: markerRound(text, end - 1)?.end ?? end, kind }];
}

const LONGEST_MARKER = 35;

function markerRound(text: string, at: number): { start: number; end: number } | null {
	const least = Math.max(0, at - LONGEST_MARKER);
	const start = least + text.slice(least, at + "[REDACTED:".length).lastIndexOf("[REDACTED:");
	const end = markerEnd(text, start);
	return end !== null && end > at ? { start, end } : null;
}

/** Adds the places where a secret that was found stands once more in the same text, without its name. */
export function findAgain(text: string, found: readonly Range[], again: Range[]): void {
	const seen = new Set<string>();
	for (const { start, end, kind } of found) {
		if (seen.size >= 40) break;
		const value = text.slice(start, end);
		if (value.length < 8 || value.length > 200 || seen.has(value) || !/^(?=.*[\d!@#$%^&*])\S+$/.test(value)) continue;
		seen.add(value);
		for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
			if (at !== start) again.push({ start: at, end: at + value.length, kind });
	}
}

/** What stands before a place in its line, at most so many characters. */
export function lineBefore(text: string, at: number, most: number): string {
	const before = text.slice(Math.max(0, at - most), at);
	return before.slice(before.lastIndexOf("\n") + 1);
}

/** What stands behind a place in its line, at most so many characters. */
export const lineBehind = (text: string, at: number, most: number): string =>
	text.slice(at, at + most).split("\n", 1)[0]!;

/** Calls `take` with each match of a global pattern. Without the copy of the pattern that `matchAll` makes at each call. */
export function eachMatch(pattern: RegExp, text: string, take: (match: RegExpExecArray) => void): void {
	pattern.lastIndex = 0;
	for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
		const next = match[0] === "" ? match.index + 1 : pattern.lastIndex;
		take(match);
		// what was taken may have been looked into with the same pattern
		pattern.lastIndex = next;
	}
}

/** What a sticky pattern finds at a place, `null` for nothing. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

/** Behind what a sticky pattern finds at a place; the place itself where it finds nothing. */
export function skip(pattern: RegExp, text: string, at: number): number {
	pattern.lastIndex = at;
	return pattern.test(text) ? pattern.lastIndex : at;
}

/** What stands where a secret stood. */
export function marker(kind: string): string {
	return `[REDACTED:${kind}]`;
}

/**
 * One marker, perhaps with punctuation behind it. A value that only starts like one is a value like any other: nothing in
 * a text switches redaction off.
 */
export function isMarker(value: string): boolean {
	const end = markerEnd(value, 0);
	return end !== null && /^[\])},.;:!?"'`\\]*$/.test(value.slice(end));
}

/** Gives the end of the marker that begins at a place; `null` where none does. */
export function markerEnd(text: string, at: number): number | null {
	if (!text.startsWith("[REDACTED:", at)) return null;
	MARKER.lastIndex = at;
	return MARKER.test(text) ? MARKER.lastIndex : null;
}
const MARKER = /\[REDACTED:[a-z-]{1,24}\]/y;

/** A variable, template or placeholder in the place of a secret: it gives nothing away. */
export function isReference(value: string): boolean {
	return (
		((VARIABLE.test(value) || STORED.test(value)) && !isWrappedValue(value)) ||
		/^(.)\1*$/.test(value) ||
		PLACEHOLDER.test(value) ||
		isMasked(value)
	);
}

const VARIABLE =
	/^(?:\$[A-Za-z_]\w*(?:(?:[/:^[{]|->).*|-)?|\$\d|\$?\{\{?[^{}]*\}?\}?|\$\(.*|%\w+%|<[^<>]*>|#\{[^{}]*\}|\[[A-Za-z _-]+\]|@\w+@|![A-Za-z]+)$/;
const STORED =
	/^(?:!(?:Ref|Sub|GetAtt|ImportValue|env|vault)\b.*|ref\+.*|(?:vault|op|secretref|awssm|gcpsm):\/?\/?\S*|projects\/[\w-]+\/secrets\/.*|arn:aws:[\w:/-]+)$/;
const PLACEHOLDER =
	/^(?:(?:your|my|insert|enter|replace|put|add|paste|example|sample|dummy|fake|mock|placeholder|change|some|the|any|todo|fixme)[-_. ][a-z_. -]+|change-?_?(?:me|it|this)|(?:not-?_?)?set|n\/a)[.!]*$/i;

/** What looks like a variable but has digits inside letters, as no variable's name has: `%hunter2x%`. */
const isWrappedValue = (value: string): boolean =>
	/^(?:\$\w+|\$?\{[^{}\s.]+\}|%\w+%)$/.test(value) && value.split("_").some(hasDigitsInside);

/** Mostly asterisks, dots or x: shown masked, or the shape of one in a manual. */
function isMasked(value: string): boolean {
	if (value.length > 200 || !/[*•x·X]{4}|\.\.\.|…/.test(value)) return false;
	const shown = value.replace(/[*•x·X.…]+/g, "");
	return shown.length <= Math.max(12, value.length / 3) && !/\d[^\da-zA-Z]*[a-zA-Z]\D*\d/.test(shown);
}
