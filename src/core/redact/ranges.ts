import { hasInnerDigit } from "./shape.ts";

/** A part of a text that is a secret. */
export interface Range {
	start: number;
	end: number;
	/** Of the marker that takes its place. */
	kind: string;
}

/** Looks for one sort of secrets in a text and adds where they are. */
export type SecretFinder = (text: string, found: Range[]) => void;

/** The last of the ranges found so far (in rising order) where it holds the place `at`; else `null`. */
export function lastRangeAround(found: readonly Range[], at: number): Range | null {
	const last = found.at(-1);
	return last && at >= last.start && at < last.end ? last : null;
}

/** The text with a marker in each range's place; of ranges that overlap one marker, of the first's kind. */
export function replaceRanges(text: string, found: readonly Range[]): string {
	const ranges = text.includes("[REDACTED:") ? found.flatMap((range) => adjustToMarkers(text, range)) : [...found];
	ranges.sort((a, b) => a.start - b.start || b.end - a.end);
	let result = "";
	let copiedTo = 0;
	for (let i = 0; i < ranges.length; i++) {
		const { start, kind } = ranges[i]!;
		let { end } = ranges[i]!;
		while (i + 1 < ranges.length && ranges[i + 1]!.start < end) end = Math.max(end, ranges[++i]!.end);
		result += text.slice(copiedTo, start) + redactionMarker(kind);
		copiedTo = end;
	}
	return result + text.slice(copiedTo);
}

/** Keeps a range from cutting a marker that stands already: one inside a marker goes, one that overlaps it takes it whole. */
function adjustToMarkers(text: string, { start, end, kind }: Range): Range[] {
	const markerAtStart = markerAround(text, start);
	if (markerAtStart && markerAtStart.end >= end) return [];
	return [{ start: markerAtStart?.start ?? start, end: markerAround(text, end - 1)?.end ?? end, kind }];
}

const LONGEST_MARKER = 35;

/** The marker that the place `at` is inside of; `null` where it is in none. */
function markerAround(text: string, at: number): { start: number; end: number } | null {
	const earliest = Math.max(0, at - LONGEST_MARKER);
	const start = earliest + text.slice(earliest, at + "[REDACTED:".length).lastIndexOf("[REDACTED:");
	const end = markerEnd(text, start);
	return end !== null && end > at ? { start, end } : null;
}

/** Adds to `repeats` where a secret that was found stands once more in the text, without its name. Only values unlike words, 40 at most. */
export function findRepeats(text: string, found: readonly Range[], repeats: Range[]): void {
	const seen = new Set<string>();
	for (const { start, end, kind } of found) {
		if (seen.size >= 40) break;
		const value = text.slice(start, end);
		if (value.length < 8 || value.length > 200 || seen.has(value) || !/^(?=.*[\d!@#$%^&*])\S+$/.test(value)) continue;
		seen.add(value);
		for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
			if (at !== start) repeats.push({ start: at, end: at + value.length, kind });
	}
}

/** What stands before a place in its line, the last `most` characters. */
export function lineBefore(text: string, at: number, most: number): string {
	const before = text.slice(Math.max(0, at - most), at);
	return before.slice(before.lastIndexOf("\n") + 1);
}

/** What stands after a place in its line, the first `most` characters. */
export const lineAfter = (text: string, at: number, most: number): string =>
	text.slice(at, at + most).split("\n", 1)[0]!;

/** Calls `visit` with each match of a global pattern. Without the copy of the pattern that `matchAll` makes at each call. */
export function eachMatch(pattern: RegExp, text: string, visit: (match: RegExpExecArray) => void): void {
	pattern.lastIndex = 0;
	for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
		const next = match[0] === "" ? match.index + 1 : pattern.lastIndex;
		visit(match);
		// `visit` may have used the same pattern
		pattern.lastIndex = next;
	}
}

/** What a sticky pattern matches at a place, `null` for nothing. */
export function stickyMatch(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

/** The end of what a sticky pattern matches at a place; the place itself where it matches nothing. */
export function endOfMatch(pattern: RegExp, text: string, at: number): number {
	pattern.lastIndex = at;
	return pattern.test(text) ? pattern.lastIndex : at;
}

/** The text that takes a secret's place. */
export const redactionMarker = (kind: string): string => `[REDACTED:${kind}]`;

/** Whether a value is a whole `[REDACTED:…]` marker. What only begins like one is a value: no text can switch redaction off. */
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

/** Whether a value only stands for a secret: a variable, a template, an entry of a secret store, a placeholder, asterisks. */
export function isReference(value: string): boolean {
	return (
		((VARIABLE.test(value) || STORE_REFERENCE.test(value)) && !isFakeVariable(value)) ||
		/^(.)\1*$/.test(value) ||
		PLACEHOLDER.test(value) ||
		isMasked(value)
	);
}

const VARIABLE =
	/^(?:\$[A-Za-z_]\w*(?:(?:[/:^[{]|->).*|-)?|\$\d|\$?\{\{?[^{}]*\}?\}?|\$\(.*|%\w+%|<[^<>]*>|#\{[^{}]*\}|\[[A-Za-z _-]+\]|@\w+@|![A-Za-z]+)$/;
const STORE_REFERENCE =
	/^(?:!(?:Ref|Sub|GetAtt|ImportValue|env|vault)\b.*|ref\+.*|(?:vault|op|secretref|awssm|gcpsm):\/?\/?\S*|projects\/[\w-]+\/secrets\/.*|arn:aws:[\w:/-]+)$/;
const PLACEHOLDER =
	/^(?:(?:your|my|insert|enter|replace|put|add|paste|example|sample|dummy|fake|mock|placeholder|change|some|the|any|todo|fixme)[-_. ][a-z_. -]+|change-?_?(?:me|it|this)|(?:not-?_?)?set|n\/a)[.!]*$/i;

/** Written like a variable, but with a digit between letters, as no variable's name has: more likely a password (`%hunter2x%`). */
const isFakeVariable = (value: string): boolean =>
	/^(?:\$\w+|\$?\{[^{}\s.]+\}|%\w+%)$/.test(value) && value.split("_").some(hasInnerDigit);

/** Mostly asterisks, dots or x: a value shown masked, or an example of a manual. */
function isMasked(value: string): boolean {
	if (value.length > 200 || !/[*•x·X]{4}|\.\.\.|…/.test(value)) return false;
	const unmasked = value.replace(/[*•x·X.…]+/g, "");
	return unmasked.length <= Math.max(12, value.length / 3) && !/\d[^\da-zA-Z]*[a-zA-Z]\D*\d/.test(unmasked);
}
