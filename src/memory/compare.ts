import { oneLine, withoutEnd } from "../core/text/text.ts";
import { cleanText, MARK, type Note, noteKey, textOf } from "./notes.ts";

/** A note that says the same, or nearly; `number` from 1. */
export interface LikeNote {
	number: number;
	text: string;
}

/** `note 3: - tests run with bun`. */
export const likeText = ({ number, text }: LikeNote): string => `note ${number}: ${oneLine(cleanText(text))}`;

/** So many notes, the newest, are compared by their words. */
const COMPARED = 1_000;

/** The note, other than `but`, that says the same as `text`, or nearly. */
export function likeNote(
	notes: readonly Note[],
	text: string,
	{ nearly = true, but = null }: { nearly?: boolean; but?: Note | null } = {},
): { status: "duplicate" | "similar"; like: LikeNote } | null {
	const others = notes.filter((note) => note !== but);
	const wanted = noteKey(`- ${text}`);
	const same = others.find((note) => noteKey(textOf(note)) === wanted);
	const newest = others.slice(-COMPARED);
	const found = same ?? (nearly ? newest[nearlySame(text, newest.map(textOf))] : undefined);
	if (!found) return null;
	return { status: same ? "duplicate" : "similar", like: { number: notes.indexOf(found) + 1, text: textOf(found) } };
}

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
	const own = noteWords(text);
	return others.findIndex((other) => isLike(own, noteWords(other)));
}

function isLike(a: readonly NoteWord[], b: readonly NoteWord[]): boolean {
	const [ofA, ofB] = [keysOf(a), keysOf(b)];
	const both = ofA.intersection(ofB);
	if (both.size < LEAST || [...a, ...b].some(({ key, isExact }) => isExact && !both.has(key))) return false;
	const isContained = both.size === Math.min(ofA.size, ofB.size);
	if (both.size / ofA.union(ofB).size < (isContained ? CONTAINED : REWORDED)) return false;
	return both.isDisjointFrom(ORDERING) || orderOf(a, both) === orderOf(b, both);
}

const keysOf = (words: readonly NoteWord[]): Set<string> => new Set(words.map(({ key }) => key));

const orderOf = (words: readonly NoteWord[], both: ReadonlySet<string>): string =>
	[...keysOf(words)].filter((key) => both.has(key)).join(" ");

/** Notes that say different things of one key: the sentence's words, with `…` for what differs. */
export interface Contradiction<T> {
	key: string;
	said: (T & { value: string })[];
}

/**
 * Notes with a sentence that is the same but for one word, where that is what the sentence says: a number or a name, a "not", what
 * something is ("X is Y", "X: Y"), what is used ("use X for Y"). What a note is about its heading says too. A person decides which holds.
 * The same notes are named once.
 */
export function contradictions<T extends Pick<Note, "heading"> & { text: string }>(
	notes: readonly T[],
): Contradiction<T>[] {
	const all = notes.flatMap((note) => sentencesIn(note.text).flatMap((text) => openedWords(text, note)));
	const found = new Map<string, Contradiction<T>>();
	for (const same of Map.groupBy(all, ({ note, key }) => `${headingKey(note.heading)}\n${key}`).values()) {
		const apart = same.filter((one) => same.some(({ note, value }) => one.note !== note && one.value !== value));
		const who = apart.map(({ note }) => notes.indexOf(note)).join();
		if (apart.length > 1 && !found.has(who))
			found.set(who, { key: apart[0]!.key, said: apart.map(({ note, value }) => ({ ...note, value })) });
	}
	return [...found.values()];
}

const headingKey = (heading: string | null): string => (heading ?? "").toLowerCase().replace(/\W+/g, " ").trim();

const MAX_SENTENCES = 12;
const MAX_WORDS = 40;

const sentencesIn = (text: string): string[] =>
	text
		.slice(0, 8_000)
		.split(/\n|[.;!?](?:\s|$)/)
		.map((one) => one.trim().replace(MARK, ""))
		.slice(0, MAX_SENTENCES);

const USES = /^(?:\S{1,40} ){0,3}(?:use|prefer|choose|pick) /i;
const SAYS = /[:=→]|->| (?:is|are|equals|with|on|in|by|via|at|to|under|using) /i;

/** A sentence once for each of its words that says something, with that word left open; and without its negation. */
function openedWords<T>(sentence: string, note: T): { note: T; key: string; value: string }[] {
	const all = noteWords(sentence);
	const words = all.filter(({ key }) => key !== NOT);
	if (words.length < 2 || words.length > MAX_WORDS) return [];
	const isNegated = words.length < all.length;
	const keyWithout = (open: number): string => words.map(({ key }, i) => (i === open ? "…" : key)).join(" ");
	const isOpen = ({ isExact }: NoteWord, i: number): boolean =>
		isExact || (i === 0 && USES.test(sentence)) || (i === words.length - 1 && SAYS.test(sentence));
	const opened = words.flatMap((word, i) => (isOpen(word, i) ? [{ note, key: keyWithout(i), value: word.key }] : []));
	return [{ note, key: keyWithout(-1), value: isNegated ? "not" : "so" }, ...(isNegated ? [] : opened)];
}

/** A word of a note, as notes are compared by it. */
interface NoteWord {
	/** Lower case, without its ending where it is plain. */
	key: string;
	/** A name, a number, a path, a negation: where one differs, two notes say different things. */
	isExact: boolean;
}

/** Stands for every negation. */
const NOT = "¬";

/** The words that tell something, in order. Looks at the first 8,000 characters. */
function noteWords(text: string): NoteWord[] {
	const words: NoteWord[] = [];
	const given = text.slice(0, MAX);
	let end = 0;
	for (const { 0: found, index } of given.matchAll(TOKEN)) {
		const isFirst = end === 0 || /[.!?:;\n]/.test(given.slice(end, index));
		end = index + found.length;
		if (found.startsWith("`"))
			for (const part of found.slice(1, -1).trim().split(/\s+/)) words.push({ key: part.toLowerCase(), isExact: true });
		else words.push(...partsOf(found, isFirst));
	}
	return words.filter(({ key }) => key !== "");
}

const MAX = 8_000;
/** What stands in backticks, an option, a word or a name. */
const TOKEN = /`[^`\n]+`|(?:--?(?=\p{L}))?[\p{L}\p{N}_$@#][\p{L}\p{N}\p{M}_./:@#$+~'’-]*/gu;
/** An inner sign, a number, a capital behind the first letter: a name of something. */
const NAME = /[\p{N}./:@#$_+~]|^-|.\p{Lu}/u;
const CAPITAL = /^\p{Lu}/u;

function partsOf(found: string, isFirst: boolean): NoteWord[] {
	const word = withoutEnd(found, "./:~'’-");
	const lower = word.toLowerCase();
	if (NEGATIONS.has(lower) || /n['’]t$/.test(lower)) return [{ key: NOT, isExact: true }];
	if (NAME.test(word)) return [{ key: keyOf(word), isExact: true }];
	// `re-run`: two words; `O'Brien`, `user's`: what stands before
	return lower.split("-").flatMap((part) => {
		const bare = part.split(/['’]/, 1)[0]!;
		if (FILLER.has(bare)) return [];
		const isExact = TELLING.has(bare) || (!isFirst && CAPITAL.test(word));
		return [{ key: keyOf(bare), isExact }];
	});
}

/** A plain word without its ending; the result is always its beginning. */
function keyOf(word: string): string {
	const lower = word.toLowerCase();
	if (lower.length < 4 || !/^[a-z]+$/.test(lower)) return lower;
	const cut = lower.replace(/(?:ies|ing|ed|es|s)$/, "");
	const stem = cut.length < 3 ? lower : cut;
	return stem.replace(/([^aeiouls])\1$/, "$1").replace(/(?<=...)[ey]$/, "");
}

const set = (words: string): Set<string> => new Set(words.split(/\s+/));

const NEGATIONS = set(
	"no not never none neither nor cannot without nicht nie niemals kein keine keinen ohne jamais pas sans nunca sin",
);

/** Common words that decide what is said. */
const TELLING = set(
	"only except unless until before after instead over under than rather zero one two three four five six seven eight nine ten first second third last on off true false yes",
);

/** Words that order what stands around them: `npm instead of yarn` is not `yarn instead of npm`. */
const ORDERING: ReadonlySet<string> = new Set(
	"before after instead over under than rather until unless".split(" ").map(keyOf),
);

const FILLER = set(
	`a an the this that these those is are was were be been being am it its of for in at by with as and or if then so we our
	you your i my they their there here has have had do does did will would should shall must can could may might to from
	please note remember always also just very really use uses used using via make sure need needs needed which who what`,
);
