import { type Statement, statementsIn } from "./statements.ts";

/** A note as it is compared: the heading it stands under says what it is about. */
export interface ComparedNote {
	text: string;
	heading: string | null;
}

/** Notes that say different things of one key. */
export interface Contradiction {
	/** What they are about, in the words of the first. */
	key: string;
	/** Which notes, by their place in the list, and what each says. */
	said: { note: number; value: string }[];
}

/**
 * Notes that give one key different values: "X is Y", "X: Y", "use X for Y", a sentence that is the same but for its numbers, or but
 * for a "not". A person decides which holds. One pair is named once.
 */
export function contradictions(notes: readonly ComparedNote[]): Contradiction[] {
	const byKey = new Map<string, (Statement & { note: number })[]>();
	for (const [note, { text, heading }] of notes.entries())
		for (const statement of statementsIn(text)) {
			const key = `${(heading ?? "").toLowerCase().replace(/\W+/g, " ").trim()}\n${statement.key}`;
			const known = byKey.get(key);
			if (known) known.push({ ...statement, note });
			else byKey.set(key, [{ ...statement, note }]);
		}
	const found: Contradiction[] = [];
	const told = new Set<string>();
	for (const said of byKey.values()) {
		const apart = said.filter((one, i) =>
			said.some((other, j) => i !== j && one.note !== other.note && differ(one, other)),
		);
		const isTold = apart.map(({ note }) => note).join();
		if (apart.length < 2 || told.has(isTold)) continue;
		told.add(isTold);
		found.push({ key: apart[0]!.about, said: apart.map(({ note, value }) => ({ note, value })) });
	}
	return found;
}

/** What says more of the same does not contradict. */
function differ(a: Statement, b: Statement): boolean {
	if (a.isNegated !== b.isNegated) return isWithin(a.words, b.words) || isWithin(b.words, a.words);
	if (a.isNegated) return false;
	return !isWithin(a.words, b.words) && !isWithin(b.words, a.words);
}

const isWithin = (part: readonly string[], whole: readonly string[]): boolean =>
	part.every((word) => whole.includes(word));
