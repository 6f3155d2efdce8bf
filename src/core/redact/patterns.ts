import phrases from "./phrases.json";

/** The source of a pattern for any of some words. It shares their beginnings: hundreds cost hardly more than one. */
export function anyOf(words: readonly string[]): string {
	if (words.length === 1) return words[0]!.replace(/[^\w\s\x80-\uffff-]/g, "\\$&");
	const rests = new Map<string, string[]>();
	for (const word of words.filter(Boolean)) {
		const rest = rests.get(word[0]!) ?? [];
		rest.push(word.slice(1));
		rests.set(word[0]!, rest);
	}
	const branches = [...rests].map(([first, rest]) => anyOf([first]) + anyOf(rest));
	const isDone = words.includes("");
	if (branches.length < 2 && !isDone) return branches.join("");
	return branches.length === 0 ? "" : `(?:${branches.join("|")})${isDone ? "?" : ""}`;
}

/** What is made when it is first asked for. */
export function once<T>(make: () => T): () => T {
	let made: T | undefined;
	return () => (made ??= make());
}

/**
 * A look for any of some words, in small letters: the pattern of those that a text holds, `null` where it holds none. A pattern of hundreds
 * costs more to make than the first texts do without it.
 */
export function wordsLook(words: () => readonly string[]): (text: string) => RegExp | null {
	const all = once(() => new RegExp(anyOf(words()), "gi"));
	let left = 8_192;
	return (text) => {
		left -= text.length + 256;
		if (left < 0) return Object.assign(all(), { lastIndex: 0 });
		const low = text.toLowerCase();
		const held = words().filter((word) => low.includes(word));
		return held.length > 0 ? new RegExp(anyOf(held), "gi") : null;
	};
}

/** The words in lines of a list; an underline stands for a space. */
export const wordsIn = (lines: readonly string[]): string[] =>
	lines
		.join(" ")
		.split(" ")
		.map((word) => word.replaceAll("_", " "));

const parts: Record<string, string> = phrases.words;
/** A pattern's source with what stands for its parts in braces. */
export const expandParts = (source: string): string =>
	source.replace(/\{([a-z_]+)\}/g, (_, part: string) => expandParts(parts[part]!));
