import { normalised } from "../text/text.ts";
import { isTelling, NAME, plain, stem, WORD } from "./own-words.ts";

/** The words that say something of their own, by their stems, each once; a path also by its last part. */
export function tellingWords(text: string): string[] {
	const words = new Set<string>();
	for (const word of normalised(plain(text)).match(WORD) ?? []) {
		if (!isTelling(word)) continue;
		words.add(stem(word));
		const slash = word.lastIndexOf("/");
		if (slash >= 0 && slash < word.length - 1) words.add(word.slice(slash + 1));
	}
	return [...words];
}

/** Names and values (paths, numbers, ids) are what nobody can guess. */
export const weightOf = (word: string): number => (NAME.test(word) ? 2 : 1);
