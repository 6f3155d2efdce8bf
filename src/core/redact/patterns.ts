import phrases from "./phrases.json";

/** The source of a pattern for any of some words. It shares their beginnings, so hundreds cost hardly more than one. */
function anyWordSource(words: readonly string[]): string {
	if (words.length === 1) return words[0]!.replace(/[^\w\s\x80-\uffff-]/g, "\\$&");
	const rests = new Map<string, string[]>();
	for (const word of words.filter(Boolean)) {
		const rest = rests.get(word[0]!) ?? [];
		rest.push(word.slice(1));
		rests.set(word[0]!, rest);
	}
	const branches = [...rests].map(([first, rest]) => anyWordSource([first]) + anyWordSource(rest));
	const isOptional = words.includes("");
	if (branches.length < 2 && !isOptional) return branches.join("");
	return branches.length === 0 ? "" : `(?:${branches.join("|")})${isOptional ? "?" : ""}`;
}

/** Gives a function that makes a value at its first call and returns the same one after. */
export function makeOnce<T>(make: () => T): () => T {
	let made: T | undefined;
	return () => (made ??= make());
}

/**
 * Gives a function that makes, for a text, the pattern of those of the words that it holds; `null` where it holds none. The pattern of
 * all words costs more to make than the first texts do without it, so it is made later.
 */
export function wordMatcher(words: () => readonly string[]): (text: string) => RegExp | null {
	const all = makeOnce(() => new RegExp(anyWordSource(words()), "gi"));
	let untilAll = 32_768;
	return (text) => {
		untilAll -= text.length + 256;
		if (untilAll < 0) return Object.assign(all(), { lastIndex: 0 });
		const lowerCase = text.toLowerCase();
		const present = words().filter((word) => lowerCase.includes(word));
		return present.length > 0 ? new RegExp(anyWordSource(present), "gi") : null;
	};
}

/** The words in lines of a list; an underscore stands for a space. */
export const splitWordLines = (lines: readonly string[]): string[] =>
	lines
		.join(" ")
		.split(" ")
		.map((word) => word.replaceAll("_", " "));

const parts: Record<string, string> = phrases.words;
/** A pattern's source with each `{name}` replaced by the part of that name in `phrases.json`. */
export const expandParts = (source: string): string =>
	source.replace(/\{([a-z_]+)\}/g, (_, name: string) => expandParts(parts[name]!));
