import { normalised } from "../text/text.ts";
import { isTelling, NAME, plain, stem, WORD } from "./own-words.ts";

/** The words that say something of their own, by their stems, each once; a path also by its last part. */
export function tellingWords(text: string): string[] {
	const words = new Set<string>();
	for (const word of normalised(plain(text)).match(WORD) ?? []) {
		if (WIDE.test(word)) {
			for (const pair of pairsIn(word)) words.add(pair);
			continue;
		}
		if (!isTelling(word)) continue;
		words.add(stem(word));
		const slash = word.lastIndexOf("/");
		if (slash >= 0 && slash < word.length - 1) words.add(word.slice(slash + 1));
	}
	return [...words];
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
