import { trimEndSigns } from "../core/text/text.ts";

/** Scripts written without spaces, or with endings joined to a word: Chinese, Japanese, Korean, Thai and their like. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]+`, "gu");
/** Whether a text holds a character of a script that is written without spaces. */
const hasUnspacedScript = (text: string): boolean => text.search(UNSPACED_RUN) >= 0;
/** `parseDocument`, `HTTPServer`: where the next part of a name begins. */
const CAMEL_BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
/** A name that has such a place. */
const CAMEL_NAME = /(?<![\p{L}\p{N}])[\p{L}\p{N}]*(?:[\p{Ll}\p{N}](?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll}))[\p{L}\p{N}]*/gu;
/** Longer than any name that is asked for: base64 and the like. */
const MAX_NAME = 80;
/** Joined names added to one passage. */
const MAX_JOINED = 60;

/** The text in one form for all that Unicode takes for the same (NFKC), without accents and invisible characters. */
const normaliseUnicode = (text: string): string => text.normalize("NFKD").replace(INVISIBLE, "").normalize("NFC");
const INVISIBLE = /\p{DI}|[\u0300-\u036f]/gu;

/** In lower case, as Unicode folds it in full: `ß` is `ss`, `ς` is `σ`. */
const foldCase = (text: string): string => text.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");

/** The text without differences of case, accents and Unicode forms, to be compared with another folded text. */
export const foldText = (text: string): string => foldCase(normaliseUnicode(text));

/**
 * The text as the index takes it: names in camel case apart, and whole once more at the end; runs of Chinese, Japanese or Korean as
 * overlapping pairs. Names with `_`, `.`, `/` or `-` fall apart in the index itself, and are found whole as a phrase.
 */
export function indexText(text: string): string {
	const joined = new Set<string>();
	const words = splitWords(text, (name) => joined.size < MAX_JOINED && joined.add(foldCase(name)));
	return joined.size === 0 ? words : `${words}\n${[...joined].join(" ")}`;
}

/** The text in lower case, its words apart; `onName` is called with each name in camel case that was split. */
function splitWords(text: string, onName?: (name: string) => void): string {
	const names = normaliseUnicode(text).replace(CAMEL_NAME, (name) => {
		if (name.length > MAX_NAME) return name;
		onName?.(name);
		return name.replace(CAMEL_BOUNDARY, " ");
	});
	return foldCase(names.replace(UNSPACED_RUN, (run) => ` ${characterPairs(run).join(" ")} `));
}

/** The words of a text as the index holds them, still with their endings (SQLite takes these off). */
export const indexWords = (text: string): string[] => splitWords(text).match(WORD) ?? [];

/** The pairs of neighbours in a run of characters: 解析文档 → 解析 析文 文档. A single character stays. */
function characterPairs(run: string): string[] {
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
	/** What stands in a folded text (`foldText`) that holds the term: a quick check, and the whole pattern. */
	prefix: string;
	pattern: RegExp;
	/** How much it tells: rare words more than frequent ones. */
	weight?: number;
	/** No passage holds it: `words` are its beginning, where one that begins so is held. */
	isNotFound?: boolean;
}

/** Words that say nothing of what is asked. */
const COMMON_WORDS = new Set(
	`a about after all also am an and any anything are as at be been before being but by can could did do does doing done
	for from had has have having he her here his how i if in into is it its itself just me my no nor not of off on once
	only or other our out over own same she should so some such than that the their them then there these they this those
	to too under until up very was we were what when where which while who whom why will with would you your
	say said says tell told ask asked exactly user agent`.split(/\s+/),
);
const TYPED_WORD = /[\p{L}\p{N}_$@#][\p{L}\p{N}\p{M}\p{DI}_./:@#$+~-]*/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MAX_TERMS = 48;
const MAX_QUERY = 16_000;

/** The terms of a query, each once. Common words are left out, unless there is nothing else. */
export function queryTerms(query: string): Term[] {
	const terms = new Map<string, Term>();
	const common = new Map<string, Term>();
	for (const [typed] of query.slice(0, MAX_QUERY).normalize("NFKC").matchAll(TYPED_WORD)) {
		const text = trimEndSigns(typed, "._/:@#$+~-");
		const all = indexWords(text);
		// each pair of characters is a term of its own, so that one missing word does not hide the rest
		for (const words of hasUnspacedScript(text) ? all.map((pair) => [pair]) : [all]) {
			const key = words.join(" ");
			if (key === "" || key.length > 4 * MAX_NAME) continue;
			const isName = words.length > 1 || /\p{N}/u.test(key);
			const term = { text: words === all ? text : key, isName, ...termPattern(words) };
			(COMMON_WORDS.has(key) ? common : terms).set(key, term);
		}
		if (terms.size >= MAX_TERMS) break;
	}
	return [...(terms.size > 0 ? terms : common).values()];
}

/** A shorter word is part of many others. */
const SHORT_WORD = 4;

/**
 * The fields of a term by which texts are searched for it: of a single word without its ending, of a name with up to three signs between its
 * parts (`parse_document`, `parse document`, `a/b`).
 */
export function termPattern(words: readonly string[]): Pick<Term, "words" | "prefix" | "pattern"> {
	const prefix = words.length === 1 ? removeEnding(words[0]!) : words[0]!;
	const parts = [prefix, ...words.slice(1)].join("[^\\p{L}\\p{N}]{0,3}");
	const mayBeInsideWord = prefix.length >= SHORT_WORD || hasUnspacedScript(prefix);
	return { words, prefix, pattern: new RegExp(`${mayBeInsideWord ? "" : "(?<![\\p{L}\\p{N}])"}${parts}`, "u") };
}

/** The offset in a text of the first term that it holds, 0 where it holds none. Folding may change lengths: the offset is that in `text`. */
export function firstTermOffset(text: string, terms: readonly Term[]): number {
	let folded = "";
	const offsets: number[] = [];
	for (const { segment, index } of new Intl.Segmenter().segment(text)) {
		folded += foldText(segment);
		while (offsets.length < folded.length) offsets.push(index);
	}
	const found = terms.map(({ pattern }) => folded.search(pattern)).filter((at) => at >= 0);
	return offsets[Math.min(...found)] ?? 0;
}

/** A word without its English ending, roughly. */
const removeEnding = (word: string): string =>
	word.length > 5
		? word.replace(/(?:ations?|ings?|ed|es|s|ly|ment)$/, "")
		: word.length > 3 && word.endsWith("s")
			? word.slice(0, -1)
			: word;
