import { tellingWords } from "../text/telling-words.ts";
import { normalised } from "../text/text.ts";
import type { Item, Section } from "./item.ts";

/** How an item came through a compaction. */
export type Fate = "verbatim" | "reworded" | "dropped";

/** A summary prepared for many look-ups. */
export interface SummaryText {
	normalised: string;
	words: Set<string>;
}

export const summaryText = (summary: string): SummaryText => ({
	normalised: normalised(summary),
	words: new Set(tellingWords(summary)),
});

/**
 * Whether a summary kept an item: word for word (white space and case normalised), in other words (most of its telling
 * words are there), or not at all. Short items have no other words.
 */
export function fateOf(item: Item, summary: SummaryText): Fate {
	const words = bare(item);
	if (holdsWords(summary.normalised, words)) return "verbatim";
	const telling = tellingWords(words);
	const kept = telling.filter((word) => summary.words.has(word)).length;
	return telling.length >= 3 && kept >= 0.85 * telling.length ? "reworded" : "dropped";
}

/** Whether a text holds these words and not merely letters of longer ones: `app.ts` is not in `myapp.tsx`. */
export function holdsWords(text: string, words: string): boolean {
	if (!words) return false;
	let tries = 0;
	for (let at = text.indexOf(words); at >= 0 && tries++ < MAX_TRIES; at = text.indexOf(words, at + 1)) {
		const before = at > 0 && IN_WORD.test(text[at - 1]!) && IN_WORD.test(words[0]!);
		const end = at + words.length;
		const after = end < text.length && IN_WORD.test(text[end]!) && IN_WORD.test(words.at(-1)!);
		if (!before && !after) return true;
	}
	return false;
}
/** A text with a name this often inside longer ones is made to be slow; the item counts as missing and is injected. */
const MAX_TRIES = 500;
const IN_WORD = /[\p{L}\p{N}_]/u;

/** The sections with what was injected already or came through left out. */
export function lostSections(
	sections: readonly Section[],
	given: ReadonlySet<string>,
	summary: SummaryText | null,
	reloaded = "",
): Section[] {
	const held = `${summary?.normalised ?? ""}\n${reloaded}`;
	const isLost = ({ kind, verbatim, said }: Section, item: Item): boolean => {
		if (given.size > 0 && given.has(itemId(kind, item))) return false;
		// the request at hand heads the block whatever the summary holds
		if (kind === "request" || item.keep) return true;
		if (isReloaded(kind, item, reloaded)) return false;
		const fate = summary === null ? "dropped" : fateOf(item, summary);
		return fate === "dropped" || (fate === "reworded" && (verbatim || said) === true);
	};
	return sections.map((section) => ({
		...section,
		items: section.items.filter((item) => isLost(section, item)).map((item) => withoutKept(item, held)),
	}));
}

/** What stands has no room before all else where its sentences are there, word for word: only what was said around them is lost. */
function withoutKept(item: Item, held: string): Item {
	if (!item.stands?.every((sentence) => holdsWords(held, normalised(sentence)))) return item;
	const { stands: _, short: __, ...rest } = item;
	return rest;
}

/**
 * Whether what Claude Code reads from disk again holds the item, word for word. Asked of the user's words: of other
 * items their words are a mere handle (a file's name, a command), and what they say of it stands in no file.
 */
export function isReloaded(kind: string, item: Item, reloaded: string): boolean {
	if (!reloaded || item.keep || (kind !== "directive" && kind !== "message")) return false;
	const words = bare(item);
	return words.length >= SENTENCE && holdsWords(reloaded, words);
}
/** A shorter message ("ok go", "vitest") is an answer, not a rule that a file holds. */
const SENTENCE = 14;

const bare = ({ words, text }: Item): string =>
	normalised(words || text.replace(/^- /, "").replace(/^"|"$/g, "").replace(/^> /gm, ""));

/** Tells an item apart from all others of a checkpoint. */
export const itemId = (kind: string, { text }: Item): string =>
	`${kind} ${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12)}`;
