import { normalised, straight } from "./text.ts";

/** The words that say something of their own, by their stems, each once; a path also by its last part. */
export function tellingWords(text: string): string[] {
	const words = new Set<string>();
	for (const word of wordsOf(text)) {
		let told = KNOWN.get(word);
		if (!told) {
			told = toldBy(word);
			if (KNOWN.size >= MOST_KNOWN) KNOWN.clear();
			KNOWN.set(word, told);
		}
		for (const one of told) words.add(one);
	}
	return [...words];
}

/** What words tell, found once for each: a session says the same ones again and again. */
const KNOWN = /* @__PURE__ */ new Map<string, readonly string[]>();
const MOST_KNOWN = 20_000;

function toldBy(word: string): string[] {
	if (WIDE.test(word)) return [...pairsIn(word)];
	if (!isTelling(word)) return [];
	const last = word.slice(word.lastIndexOf("/") + 1);
	return last === word || last === "" ? [stem(word)] : [stem(word), last];
}

/** Scripts that put no space between words: each two signs are taken for one. */
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
const WIDE_RUN =
	/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\u30fc]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\u30fc]+/gu;

/** Pairs of signs that overlap; what stands between in other letters is a word. */
function* pairsIn(word: string): Generator<string> {
	for (const [run] of word.matchAll(WIDE_RUN)) {
		if (!WIDE.test(run)) {
			if (isTelling(run)) yield stem(run);
			continue;
		}
		const signs = [...run];
		for (let i = 0; i + 1 < signs.length; i++) yield `${signs[i]}${signs[i + 1]}`;
	}
}

/** Names and values (paths, numbers, ids) are what nobody can guess; of two pairs of signs about one is a word. */
export const weightOf = (word: string): number => (NAME.test(word) ? 2 : WIDE.test(word) ? 0.5 : 1);

/** The words of a text in their order. */
export const wordsOf = (text: string): string[] => normalised(straight(text).replace(/[`*]/g, "")).match(WORD) ?? [];

const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./'-]*[\p{L}\p{N}_]|[\p{L}\p{N}]/gu;
/** Names of files and functions, options, versions and numbers: no other word says them. */
const NAME = /\d|[._/]/;
/** Words by which a sentence forbids. */
export const DENIAL =
	/^(?:no|not|never|none|without|avoid\w*|forbid\w*|forbidden|prohibit\w*|nothing|instead|\w+n't|dont|cannot|refus\w+|reject\w*)$/;
/** Words of English sentences that say nothing by themselves. */
export const COMMON = new Set(
	"the and for you are was but all any can had has have her his how its may our out who did get let put say she too use that this with from then when what which there their they them will would should could must does were been into also just like some more than only make sure need want your please about a an is it in of to on at by or as be do so we me my if up no not never don't dont before after always each every again first between while".split(
		" ",
	),
);

const isTelling = (word: string): boolean =>
	NAME.test(word) || (word.length >= 3 && !COMMON.has(word) && !DENIAL.test(word));

/** Without the endings that change with the sentence: `dependencies` and `dependency`, `refused` and `refuse`. */
export function stem(word: string): string {
	if (NAME.test(word) || word.length < 4) return word;
	const bare = word
		.replace(/'s$/, "")
		.replace(/(?:ies|ied|y)$/, "i")
		.replace(/(?:ing|ed|es|e|s|ly)$/, "");
	if (bare.length < 3) return word;
	return bare.length > 3 ? bare.replace(/([^aeiou])\1$/, "$1") : bare;
}
