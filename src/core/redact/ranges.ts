import { marker } from "./marker.ts";

/** A part of a text that is a secret. */
export interface Range {
	start: number;
	end: number;
	/** Of the marker that takes its place. */
	kind: string;
}

/** The range that holds a place, of those found so far in rising order; only the last ones are looked at. */
export function within(found: readonly Range[], at: number): Range | null {
	const last = found.at(-1);
	return last && at >= last.start && at < last.end ? last : null;
}

/** The text with a marker in each range's place; of ranges that overlap one marker, of the first's kind. */
export function replaced(text: string, found: Range[]): string {
	if (found.length === 0) return text;
	const ranges = text.includes("[REDACTED:") ? besideMarkers(text, found) : found;
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

const MARKERS = /\[REDACTED:[a-z-]{1,24}\]/g;

/** Markers are no secrets: a range inside one goes, and one that reaches into one takes it whole. */
function besideMarkers(text: string, found: readonly Range[]): Range[] {
	const markers: [start: number, end: number][] = [];
	eachMatch(MARKERS, text, ({ index, 0: whole }) => markers.push([index, index + whole.length]));
	const at = (place: number): [number, number] | null => {
		let low = 0;
		let high = markers.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (markers[middle]![1] <= place) low = middle + 1;
			else high = middle;
		}
		const marker = markers[low];
		return marker && marker[0] <= place ? marker : null;
	};
	return found.flatMap(({ start, end, kind }) => {
		const first = at(start);
		const last = at(end - 1);
		if (first && first[1] >= end) return [];
		return [{ start: first ? first[0] : start, end: last ? last[1] : end, kind }];
	});
}

/** Where a secret that was found stands once more in the same text, without its name. */
export function findAgain(text: string, found: readonly Range[], again: Range[]): void {
	const seen = new Set<string>();
	for (const { start, end, kind } of found) {
		if (seen.size >= 40) break;
		const value = text.slice(start, end);
		if (end - start < 8 || end - start > 200 || seen.has(value) || !/\d|[!@#$%^&*]/.test(value) || /\s/.test(value))
			continue;
		seen.add(value);
		for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
			if (at !== start) again.push({ start: at, end: at + value.length, kind });
	}
}

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
