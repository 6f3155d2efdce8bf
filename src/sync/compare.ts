/** What became of a text between two states of a list. `before` is its place then, `null` for one that is new. */
export interface Place {
	before: number | null;
	isChanged: boolean;
}

/**
 * Of each text of `now` which of `before` it is. The same text is the same wherever it stands; of the others those count as changed that
 * stand, as many as before, between the same neighbours. What of `before` is named by none is gone.
 */
export function compared(before: readonly string[], now: readonly string[]): Place[] {
	const free = new Map<string, number[]>();
	for (const [i, text] of before.entries()) free.set(text, [...(free.get(text) ?? []), i]);
	const same = now.map((text) => free.get(text)?.shift() ?? null);
	const kept = new Set(same.filter((one) => one !== null));
	// runs of what has no equal, by the neighbours that have one
	const gone = runs(before.map((_, i) => (kept.has(i) ? i : null)));
	const come = runs(same);
	const changed = new Map<number, number>();
	for (const [between, places] of come) {
		const others = gone.get(between) ?? [];
		if (others.length === places.length) for (const [i, place] of places.entries()) changed.set(place, others[i]!);
	}
	return same.map((one, i) => {
		const other = changed.get(i);
		return other === undefined ? { before: one, isChanged: false } : { before: other, isChanged: true };
	});
}

function runs(marks: readonly (number | null)[]): Map<string, number[]> {
	const found = new Map<string, number[]>();
	const behind = new Array<number>(marks.length);
	let next = -1;
	for (let i = marks.length - 1; i >= 0; i--) {
		behind[i] = next;
		next = marks[i] ?? next;
	}
	let last = -1;
	for (const [i, mark] of marks.entries()) {
		if (mark === null) {
			const between = `${last} ${behind[i]}`;
			const run = found.get(between);
			if (run) run.push(i);
			else found.set(between, [i]);
		}
		last = mark ?? last;
	}
	return found;
}
