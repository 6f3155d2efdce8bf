import { normalised } from "../text/text.ts";
import type { Item, Kind, Section } from "./item.ts";

/** How an item came through a compaction. */
export type Fate = "verbatim" | "reworded" | "dropped";

/** A summary prepared for many look-ups. */
export interface SummaryText {
	normalised: string;
	words: Set<string>;
}

export function summaryText(summary: string): SummaryText {
	const text = normalised(summary);
	return { normalised: text, words: new Set(text.match(WORD)) };
}

/**
 * Whether a summary kept an item: word for word (white space and case normalised), in other words (its distinctive
 * words are there), or not at all. Short items have no other words.
 */
export function fateOf(item: Item, summary: SummaryText): Fate {
	const words = normalised(item.words || bare(item.text));
	if (holdsWords(summary.normalised, words)) return "verbatim";
	const distinctive = [...new Set(words.match(WORD) ?? [])].filter((word) => word.length >= 4 && !COMMON.has(word));
	if (distinctive.length < 3) return "dropped";
	const kept = distinctive.filter((word) => summary.words.has(word)).length;
	return kept >= 0.85 * distinctive.length ? "reworded" : "dropped";
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

/** Kinds of which only the very words count: what the user said, and names. */
const VERBATIM = new Set<Kind>([
	"request",
	"directive",
	"decision",
	"message",
	"file changed",
	"file read",
	"background task",
]);

/** Whether an item is to be injected: a reworded directive is a lost one, a reworded task is not. */
export const isLost = (kind: Kind, fate: Fate): boolean =>
	fate === "dropped" || (fate === "reworded" && VERBATIM.has(kind));

/** The sections with what was injected already or came through left out. */
export function lostSections(
	sections: readonly Section[],
	given: ReadonlySet<string>,
	summary: SummaryText | null,
	reloaded = "",
): Section[] {
	if (summary === null && given.size === 0 && !reloaded) return [...sections];
	return sections.map((section) => ({
		...section,
		items: section.items
			.filter((item) => {
				if (given.has(itemId(section.kind, item))) return false;
				// the request at hand heads the block whatever the summary holds
				if (section.kind === "request" || item.keep) return true;
				if (isReloaded(section.kind, item, reloaded)) return false;
				return summary === null || isLost(section.kind, fateOf(item, summary));
			})
			.map((item) => withoutKept(item, `${summary?.normalised ?? ""}\n${reloaded}`)),
	}));
}

/** What stands has no room before all else where its sentences are there, word for word: only what was said around them is lost. */
function withoutKept(item: Item, held: string): Item {
	if (!item.stands?.every((sentence) => holdsWords(held, normalised(sentence)))) return item;
	const { stands: _, short: __, ...rest } = item;
	return rest;
}

/**
 * Whether what Claude Code reads from disk again holds the item, word for word. Asked of the user's words and of names: of other
 * items their words are a mere handle (a file's name, a command), and what they say of it stands in no file.
 */
export function isReloaded(kind: Kind, item: Item, reloaded: string): boolean {
	if (!reloaded || item.keep) return false;
	const least = kind === "directive" || kind === "message" ? SENTENCE : Infinity;
	const words = normalised(item.words || bare(item.text));
	return words.length >= least && holdsWords(reloaded, words);
}
/** A shorter message ("ok go", "vitest") is an answer, not a rule that a file holds. */
const SENTENCE = 14;

/** Tells an item apart from all others of a checkpoint. */
export const itemId = (kind: Kind, item: Item): string => `${kind} ${hash(item.text)}`;

const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]*[\p{L}\p{N}_]/gu;
const COMMON = new Set(
	"this that with from have then when what which there their they them will would should could must does were been into also just like some more than only make sure need want your please about".split(
		" ",
	),
);

const bare = (text: string): string => text.replace(/^- /, "").replace(/^"|"$/g, "").replace(/^> /gm, "");

/** Two 32-bit multiplicative hashes, mixed at the end: 64 bits are plenty for the items of one checkpoint. */
function hash(text: string): string {
	let a = 0x811c9dc5;
	let b = 0x9e3779b9;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		a = Math.imul(a ^ unit, 0x01000193);
		b = Math.imul(b ^ unit, 0x85ebca6b);
		b ^= b >>> 13;
	}
	return mixed(a).toString(36) + mixed(b).toString(36);
}

function mixed(value: number): number {
	const once = Math.imul(value ^ (value >>> 16), 0xc2b2ae35);
	return (once ^ (once >>> 15)) >>> 0;
}
