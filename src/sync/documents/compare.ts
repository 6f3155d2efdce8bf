/** What became of a text between two states of a list. `before` is its place then, `null` for one that is new. */
export interface Place {
	before: number | null;
	isChanged: boolean;
}

/**
 * Of each text of `now` which of `before` it is. The same text is the same wherever it stands; of the others those count as changed that
 * stand, as many as before, between the same neighbours. What of `before` is named by none is gone.
 */
export function compareLists(before: readonly string[], now: readonly string[]): Place[] {
	const free = new Map<string, number[]>();
	for (const [i, text] of [...before.entries()].reverse()) free.set(text, [...(free.get(text) ?? []), i]);
	const same = now.map((text) => free.get(text)?.pop() ?? null);
	const kept = new Set(same);
	// what has no equal, by the neighbours that have one
	const gone = betweenMarks(before.map((_, i) => (kept.has(i) ? i : null)));
	const changed = new Map<number, number>();
	for (const [neighbours, places] of betweenMarks(same)) {
		const others = gone.get(neighbours) ?? [];
		if (others.length === places.length) for (const [i, place] of places.entries()) changed.set(place, others[i]!);
	}
	return same.map((one, i) => ({ before: one ?? changed.get(i) ?? null, isChanged: changed.has(i) }));
}

/** The places without a mark, by the marks before and behind them. */
function betweenMarks(marks: readonly (number | null)[]): Map<string, number[]> {
	const found = new Map<string, number[]>();
	let [last, open]: [number | null, number[]] = [null, []];
	for (const [i, mark] of [...marks, Number.NaN].entries()) {
		if (mark === null) {
			open.push(i);
			continue;
		}
		if (open.length > 0) found.set(`${last} ${Number.isNaN(mark) ? null : mark}`, open);
		[last, open] = [mark, []];
	}
	return found;
}
