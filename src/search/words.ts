import { withoutEnd } from "../core/text/text.ts";

/** Scripts written without spaces: Chinese, Japanese, Thai and their like. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const RUN = new RegExp(`[${UNSPACED}]+`, "gu");
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
/** `parseDocument`, `HTTPServer`: where the next part of a name begins. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
/** A name that has such a place. */
const HUMPED = /(?<![\p{L}\p{N}])[\p{L}\p{N}]*(?:[\p{Ll}\p{N}](?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll}))[\p{L}\p{N}]*/gu;
/** Longer than any name that is asked for: base64 and the like. */
const MAX_NAME = 80;
/** Joined names added to one passage. */
const MAX_JOINED = 60;

/**
 * The text as the index takes it: names in camel case apart, and whole once more at the end; runs of Chinese or Japanese as
 * overlapping pairs. Names with `_`, `.`, `/` or `-` fall apart in the index itself, and are found whole as a phrase.
 */
export function indexText(text: string): string {
	const joined = new Set<string>();
	const apart = text.replace(HUMPED, (name) => {
		if (name.length > MAX_NAME) return name;
		if (joined.size < MAX_JOINED) joined.add(name);
		return name.replace(HUMP, " ");
	});
	const words = HAS_UNSPACED.test(apart) ? apart.replace(RUN, (run) => ` ${pairs(run).join(" ")} `) : apart;
	return joined.size === 0 ? words : `${words}\n${[...joined].join(" ")}`;
}

/** 解析文档 → 解析 析文 文档; a single character stays. */
function pairs(run: string): string[] {
	const characters = [...run];
	if (characters.length < 2) return characters;
	return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** One thing asked for: the words it consists of, which stand side by side where it is found whole. */
export interface Term {
	/** As it was typed. */
	text: string;
	/** Words of the index, lower case. */
	words: readonly string[];
	/** A name, number or path: tells more than a plain word. */
	isName: boolean;
	/** What a text that holds it holds in lower case: first this, then all of it. */
	begin: string;
	form: RegExp;
	/** How much it tells: rare words more than frequent ones. */
	weight?: number;
	/** No passage holds it. */
	isNowhere?: boolean;
}

/** Words by which a sentence forbids. */
const DENIAL =
	/^(?:no|not|never|none|without|avoid\w*|forbid\w*|forbidden|prohibit\w*|nothing|instead|\w+n't|dont|cannot|refus\w+|reject\w*)$/;

/** Words that say nothing of what is asked. */
const STOP = new Set(
	`a about after all also am an and any anything are as at be been before being but by can could did do does doing done
	for from had has have having he her here his how i if in into is it its itself just me my no nor not of off on once
	only or other our out over own same she should so some such than that the their them then there these they this those
	to too under until up very was we were what when where which while who whom why will with would you your
	say said says tell told ask asked exactly user agent`.split(/\s+/),
);
const TYPED = /[\p{L}\p{N}_$@#][\p{L}\p{N}\p{M}_./:@#$+~-]*/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MAX_TERMS = 48;
const MAX_QUERY = 16_000;

/** What a query asks for, each thing once. Where it holds nothing but common words, those count, if they are to. */
export function queryTerms(query: string, orCommon = true): Term[] {
	const terms = new Map<string, Term>();
	const common = new Map<string, Term>();
	for (const [typed] of query.slice(0, MAX_QUERY).matchAll(TYPED)) {
		const text = withoutEnd(typed, "._/:@#$+~-");
		for (const one of HAS_UNSPACED.test(text) ? unspacedParts(text) : [text]) {
			const words = wordsOf(one);
			if (words.length === 0 || one.length > 4 * MAX_NAME) continue;
			const key = words.join(" ");
			const isName = words.length > 1 || /\p{N}/u.test(one);
			(STOP.has(key) ? common : terms).set(key, { text: one, words, isName, ...formOf(words) });
		}
		if (terms.size >= MAX_TERMS) break;
	}
	return [...(terms.size > 0 || !orCommon ? terms : common).values()];
}

/** A shorter word is part of many others. */
const SHORT = 4;

/** A single word without its ending; of a name the parts with at most three signs between: `parse_document`, `parse document`, `a/b`. */
function formOf(words: readonly string[]): Pick<Term, "begin" | "form"> {
	const begin = words.length === 1 ? stem(words[0]!) : words[0]!;
	const parts = [begin, ...words.slice(1)].join("[^\\p{L}\\p{N}]{0,3}");
	return { begin, form: new RegExp(`${begin.length < SHORT ? "(?<![\\p{L}\\p{N}])" : ""}${parts}`, "u") };
}

/** Each word of a text that holds one of the terms. */
export const wordsWith = (terms: readonly Term[]): RegExp =>
	new RegExp(`(?:${terms.map(({ form }) => form.source).join("|")})[\\p{L}\\p{N}\\p{M}]*`, "giu");

/** Without its ending, roughly. */
const stem = (word: string): string =>
	word.length > 5
		? word.replace(/(?:ations?|ings?|ed|es|s|ly|ment)$/, "")
		: word.length > 3
			? word.replace(/s$/, "")
			: word;

/** Each pair is a term of its own, so that one missing word does not hide the rest. */
function unspacedParts(text: string): string[] {
	return text
		.split(new RegExp(`([${UNSPACED}]+)`, "u"))
		.flatMap((part) => (HAS_UNSPACED.test(part) ? pairs(part) : [part]));
}

/** The words of a text as the index holds them, but for their endings. */
export const wordsOf = (text: string): string[] =>
	(text.replace(HUMP, " ").match(WORD) ?? []).map((word) => word.toLowerCase());

/** The words of a text that tell what it says, each once; all of them where there is none. "Not" tells. */
export function tellingIn(text: string): ReadonlySet<string> {
	const words = new Set(wordsOf(text));
	const telling = new Set([...words].filter((word) => !STOP.has(word) || DENIAL.test(word)));
	return telling.size > 0 ? telling : words;
}
