import { withoutEnd } from "../text/without-end.ts";

/** A word of a note, as notes are compared by it. */
export interface NoteWord {
	/** Lower case, without its ending where it is plain. */
	key: string;
	/** A name, a number, a path, a negation: where one differs, two notes say different things. */
	isExact: boolean;
}

/** Stands for every negation. */
export const NOT = "¬";

/** The words that tell something, in order. Looks at the first 8,000 characters. */
export function noteWords(text: string): NoteWord[] {
	const words: NoteWord[] = [];
	const given = text.slice(0, MAX);
	const forms = BEYOND_ASCII.test(given) ? ANY : ASCII;
	let end = 0;
	for (const { 0: found, index } of given.matchAll(forms.token)) {
		const isFirst = end === 0 || /[.!?:;\n]/.test(given.slice(end, index));
		end = index + found.length;
		if (found.startsWith("`"))
			for (const part of found.slice(1, -1).trim().split(/\s+/)) words.push({ key: keyOf(part), isExact: true });
		else words.push(...partsOf(found, isFirst, forms));
	}
	return words.filter(({ key }) => key !== "");
}

const MAX = 8_000;
const BEYOND_ASCII = /[^\x00-\x7f]/;

/** How words look. Classes of Unicode cost half a millisecond when they are used first, so plain texts do without. */
interface Forms {
	/** What stands in backticks, an option, a word or a name. */
	token: RegExp;
	/** An inner sign, a number, a capital behind the first letter: a name of something. */
	name: RegExp;
	capital: RegExp;
}

const ASCII: Forms = {
	token: /`[^`\n]+`|(?:--?(?=[A-Za-z]))?[\w$@#][\w./:@#$+~'-]*/g,
	name: /[\d./:@#$_+~]|^-|.[A-Z]/,
	capital: /^[A-Z]/,
};
const ANY: Forms = {
	token: /`[^`\n]+`|(?:--?(?=\p{L}))?[\p{L}\p{N}_$@#][\p{L}\p{N}\p{M}_./:@#$+~'’-]*/gu,
	name: /[\p{N}./:@#$_+~]|^-|.\p{Lu}/u,
	capital: /^\p{Lu}/u,
};

function partsOf(found: string, isFirst: boolean, { name, capital }: Forms): NoteWord[] {
	const word = withoutEnd(found, "./:~'’-");
	const lower = word.toLowerCase();
	if (NEGATIONS.has(lower) || /n['’]t$/.test(lower)) return [{ key: NOT, isExact: true }];
	if (name.test(word)) return [{ key: keyOf(word), isExact: true }];
	// `re-run`: two words; `O'Brien`, `user's`: what stands before
	return lower.split("-").flatMap((part) => {
		const bare = part.split(/['’]/, 1)[0]!;
		if (FILLER.has(bare)) return [];
		const isExact = TELLING.has(bare) || (!isFirst && capital.test(word));
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
export const ORDERING: ReadonlySet<string> = new Set(
	"before after instead over under than rather until unless".split(" ").map(keyOf),
);

const FILLER = set(
	`a an the this that these those is are was were be been being am it its of for in at by with as and or if then so we our
	you your i my they their there here has have had do does did will would should shall must can could may might to from
	please note remember always also just very really use uses used using via make sure need needs needed which who what`,
);
