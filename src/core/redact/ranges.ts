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
	found.sort((a, b) => a.start - b.start || b.end - a.end);
	let result = "";
	let done = 0;
	for (let i = 0; i < found.length; i++) {
		const { start, kind } = found[i]!;
		let { end } = found[i]!;
		while (i + 1 < found.length && found[i + 1]!.start < end) end = Math.max(end, found[++i]!.end);
		result += text.slice(done, start) + marker(kind);
		done = end;
	}
	return result + text.slice(done);
}

/** Where a secret that was found stands once more in the same text, without its name. */
export function findAgain(text: string, found: Range[]): void {
	const first = found.length;
	const seen = new Set<string>();
	for (let i = 0; i < first && seen.size < 40; i++) {
		const { start, end, kind } = found[i]!;
		const value = text.slice(start, end);
		if (end - start < 8 || end - start > 200 || seen.has(value) || !/\d|[!@#$%^&*]/.test(value) || /\s/.test(value)) continue;
		seen.add(value);
		for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
			if (at !== start) found.push({ start: at, end: at + value.length, kind });
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
