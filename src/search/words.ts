import { withoutEnd } from "../core/text/text.ts";

/** Scripts written without spaces, or with endings joined to a word: Chinese, Japanese, Korean, Thai and their like. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const RUN = new RegExp(`[${UNSPACED}]+`, "gu");
const isUnspaced = (text: string): boolean => text.search(RUN) >= 0;
/** `parseDocument`, `HTTPServer`: where the next part of a name begins. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
/** A name that has such a place. */
const HUMPED = /(?<![\p{L}\p{N}])[\p{L}\p{N}]*(?:[\p{Ll}\p{N}](?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll}))[\p{L}\p{N}]*/gu;
/** Longer than any name that is asked for: base64 and the like. */
const MAX_NAME = 80;
/** Joined names added to one passage. */
const MAX_JOINED = 60;

/** One form for all that Unicode holds for the same (NFKC), without accents and signs that are not seen. */
const plain = (text: string): string => text.normalize("NFKD").replace(UNSEEN, "").normalize("NFC");
const UNSEEN = /\p{DI}|[\u0300-\u036f]/gu;

/** In lower case, as Unicode folds it in full: `ß` is `ss`, `ς` is `σ`. */
const lower = (text: string): string => text.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");

/** A text in which forms of one word are the same: both sides of a comparison go through it. */
export const foldText = (text: string): string => lower(plain(text));

/**
 * The text as the index takes it: names in camel case apart, and whole once more at the end; runs of Chinese, Japanese or Korean as
 * overlapping pairs. Names with `_`, `.`, `/` or `-` fall apart in the index itself, and are found whole as a phrase.
 */
export function indexText(text: string): string {
	const joined = new Set<string>();
	const words = apart(text, (name) => joined.size < MAX_JOINED && joined.add(lower(name)));
	return joined.size === 0 ? words : `${words}\n${[...joined].join(" ")}`;
}

/** The text in lower case, its words apart; `onName` is told each name that was taken apart. */
function apart(text: string, onName?: (name: string) => void): string {
	const names = plain(text).replace(HUMPED, (name) => {
		if (name.length > MAX_NAME) return name;
		onName?.(name);
		return name.replace(HUMP, " ");
	});
	return lower(names.replace(RUN, (run) => ` ${pairs(run).join(" ")} `));
}

/** The words of a text as the index holds them, but for their endings. */
export const indexWords = (text: string): string[] => apart(text).match(WORD) ?? [];

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
	/** Words of the index. */
	words: readonly string[];
	/** A name, number or path: tells more than a plain word. */
	isName: boolean;
	/** What a text that holds it holds, `foldText`: first this, then all of it. */
	begin: string;
	form: RegExp;
	/** How much it tells: rare words more than frequent ones. */
	weight?: number;
	/** No passage holds it: `words` are its beginning, where one that begins so is held. */
	isNowhere?: boolean;
}

/** Words that say nothing of what is asked. */
const STOP = new Set(
	`a about after all also am an and any anything are as at be been before being but by can could did do does doing done
	for from had has have having he her here his how i if in into is it its itself just me my no nor not of off on once
	only or other our out over own same she should so some such than that the their them then there these they this those
	to too under until up very was we were what when where which while who whom why will with would you your
	say said says tell told ask asked exactly user agent`.split(/\s+/),
);
const TYPED = /[\p{L}\p{N}_$@#][\p{L}\p{N}\p{M}\p{DI}_./:@#$+~-]*/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MAX_TERMS = 48;
const MAX_QUERY = 16_000;

/** What a query asks for, each thing once. Where it holds nothing but common words, those count. */
export function queryTerms(query: string): Term[] {
	const terms = new Map<string, Term>();
	const common = new Map<string, Term>();
	for (const [typed] of query.slice(0, MAX_QUERY).normalize("NFKC").matchAll(TYPED)) {
		const text = withoutEnd(typed, "._/:@#$+~-");
		const all = indexWords(text);
		// each pair is a term of its own, so that one missing word does not hide the rest
		for (const words of isUnspaced(text) ? all.map((one) => [one]) : [all]) {
			const key = words.join(" ");
			if (key === "" || key.length > 4 * MAX_NAME) continue;
			const isName = words.length > 1 || /\p{N}/u.test(key);
			(STOP.has(key) ? common : terms).set(key, { text: all === words ? text : key, isName, ...termForm(words) });
		}
		if (terms.size >= MAX_TERMS) break;
	}
	return [...(terms.size > 0 ? terms : common).values()];
}

/** A shorter word is part of many others. */
const SHORT = 4;

/** A single word without its ending; of a name the parts with at most three signs between: `parse_document`, `parse document`, `a/b`. */
export function termForm(words: readonly string[]): Pick<Term, "words" | "begin" | "form"> {
	const begin = words.length === 1 ? stem(words[0]!) : words[0]!;
	const parts = [begin, ...words.slice(1)].join("[^\\p{L}\\p{N}]{0,3}");
	const isPart = begin.length >= SHORT || isUnspaced(begin);
	return { words, begin, form: new RegExp(`${isPart ? "" : "(?<![\\p{L}\\p{N}])"}${parts}`, "u") };
}

/** Gives the place where a text first holds one of the terms, in the text itself, whatever length its folded form has; 0 where it holds none. */
export function termPlace(text: string, terms: readonly Term[]): number {
	let low = "";
	const places: number[] = [];
	for (const { segment, index } of new Intl.Segmenter().segment(text)) {
		low += foldText(segment);
		while (places.length < low.length) places.push(index);
	}
	const found = terms.map(({ form }) => low.search(form)).filter((at) => at >= 0);
	return places[Math.min(...found)] ?? 0;
}

/** Without its ending, roughly. */
const stem = (word: string): string =>
	word.length > 5
		? word.replace(/(?:ations?|ings?|ed|es|s|ly|ment)$/, "")
		: word.length > 3 && word.endsWith("s")
			? word.slice(0, -1)
			: word;
