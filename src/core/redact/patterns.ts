import phrases from "./phrases.json";

/** The source of a pattern for any of some words. It shares their beginnings: hundreds cost hardly more than one. */
export function anyOf(words: readonly string[]): string {
	if (words.length === 1) return words[0]!.replace(/[^\w\s\x80-\uffff-]/g, "\\$&");
	const own = Map.groupBy(words, (word) => word[0] ?? "");
	own.delete("");
	const branches = [...own].map(([first, all]) => anyOf([first]) + anyOf(all.map((word) => word.slice(1))));
	const isDone = words.includes("");
	if (branches.length < 2 && !isDone) return branches.join("");
	return branches.length === 0 ? "" : `(?:${branches.join("|")})${isDone ? "?" : ""}`;
}

/** The words in lines of a list; an underline stands for a space. */
export const wordsIn = (lines: readonly string[]): string[] =>
	lines
		.join(" ")
		.split(" ")
		.map((word) => word.replaceAll("_", " "));

const parts: Record<string, string> = phrases.words;
/** A pattern's source with what stands for its parts in braces. */
export const expanded = (source: string): string =>
	source.replace(/\{([a-z_]+)\}/g, (_, part: string) => expanded(parts[part]!));
