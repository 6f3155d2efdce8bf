import { NOT, type NoteWord, noteWords, ORDERING } from "./note-words.ts";

/** Share of all words that two notes have in common when one says no more than the other. */
const CONTAINED = 0.75;
/** The same when each has words of its own. */
const REWORDED = 0.9;
/** Fewer words in common tell nothing. */
const LEAST = 3;

/**
 * The first text that says nearly the same as `text`, or -1: most words are the same, and no number, name or negation differs. With
 * words like "before" or "instead" their order is the same too. Common words and endings do not count.
 */
export function nearlySame(text: string, others: readonly string[]): number {
	const own = viewOf(text);
	if (own.keys.size < LEAST) return -1;
	return others.findIndex((other) => mayBeLike(own, other) && isLike(own, viewOf(other)));
}

interface View {
	words: NoteWord[];
	keys: Set<string>;
	exact: Set<string>;
}

function viewOf(text: string): View {
	const words = noteWords(text);
	return {
		words,
		keys: new Set(words.map(({ key }) => key)),
		exact: new Set(words.filter(({ isExact }) => isExact).map(({ key }) => key)),
	};
}

/** Without dividing the other into words: each key is the beginning of a word, so it stands in the text. */
function mayBeLike({ keys, exact }: View, other: string): boolean {
	const text = other.toLowerCase();
	let missing = 0;
	for (const key of keys)
		if (key !== NOT && !text.includes(key) && (exact.has(key) || ++missing > (1 - CONTAINED) * keys.size)) return false;
	return true;
}

function isLike(a: View, b: View): boolean {
	for (const key of a.exact) if (!b.keys.has(key)) return false;
	for (const key of b.exact) if (!a.keys.has(key)) return false;
	const both = [...a.keys].filter((key) => b.keys.has(key));
	if (both.length < LEAST) return false;
	const all = a.keys.size + b.keys.size - both.length;
	const isContained = both.length === Math.min(a.keys.size, b.keys.size);
	if (both.length / all < (isContained ? CONTAINED : REWORDED)) return false;
	return !both.some((key) => ORDERING.has(key)) || orderOf(a, b.keys) === orderOf(b, a.keys);
}

const orderOf = ({ words }: View, other: ReadonlySet<string>): string =>
	[...new Set(words.map(({ key }) => key).filter((key) => other.has(key)))].join(" ");
