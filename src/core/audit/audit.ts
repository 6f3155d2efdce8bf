import type { Block } from "../block/recovery-block.ts";
import { summarisedState } from "../block/situation.ts";
import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import { isShellLine, lastOfEachKey, type Message } from "../state/session-state.ts";
import { comparableWords, normalise, trimEndSigns } from "../text/text.ts";

/** Where a user's message stands word for word after a compaction: in the summary, else in the block (`whole`, `part`), or in neither. */
export type Fate = "summary" | "whole" | "part" | "neither";

/** How much of the user's words the model still has after a compaction. Words are counted, nothing is judged. */
export interface LossReport extends Pick<Checkpoint, "key" | "at" | "session" | "trigger"> {
	version: 2;
	tokensBefore: number | null;
	/** `null` where no summary was seen. */
	summaryChars: number | null;
	/** Characters of the block that was injected behind the summary. */
	blockChars: number;
	/** The messages, the oldest first. */
	messages: { text: string; at: string; fate: Fate }[];
	/** Numbers, names and paths in the user's words that stand neither in the summary nor in the block, each once. */
	missing: string[];
}

const MAX_MISSING = 40;
/** Only so many names, the newest, are looked for: a pasted table holds ten thousands. */
const MAX_NAMES = 1_000;

/** Tells which of the user's messages that a compaction summarised stand in its summary or in the block word for word. */
export function auditCompaction(checkpoint: Checkpoint, summary: string | null, block: Block): LossReport {
	const { key, at, session, trigger, state, kept } = checkpoint;
	const messages = summarisedState(state, kept).messages.filter((message) => !isShellLine(message));
	// of messages with the same words, the last
	const distinct = lastOfEachKey(messages, ({ text }) => comparableWords(text));
	const summaryText = normalise(summary ?? "");
	const known = `${summaryText}\n${normalise(block.text)}`;
	const fateOf = ({ text, order }: Message): Fate =>
		summary !== null && holdsWords(summaryText, normalise(text)) ? "summary" : (block.messages.get(order) ?? "neither");
	const words = [...new Set(distinct.flatMap(({ text }) => irreplaceableWords(text)))].slice(-MAX_NAMES);
	const missing: string[] = [];
	for (const word of words)
		if (missing.length < MAX_MISSING && !holdsWords(known, word.toLowerCase())) missing.push(word);
	return {
		...{ version: 2, key, at, session, trigger },
		tokensBefore: state.tokens,
		summaryChars: summary?.length ?? null,
		blockChars: block.text.length,
		messages: distinct.map((one) => ({ text: one.text, at: one.at, fate: fateOf(one) })),
		missing,
	};
}

/** Words that a summary can't put otherwise: paths, numbers of two digits or more, names with a dot, underscore or capital inside. */
export function irreplaceableWords(text: string): string[] {
	const words = (text.match(/https?:\/\/[^\s<>"'`)\]]+|[\p{L}\p{N}_@~./,:-]+/gu) ?? []).map((word) =>
		trimEndSigns(word, "@~.,:-/"),
	);
	return words.flatMap((word) =>
		WHOLE_WORD.test(word)
			? [word]
			: word.split(/[,:]+/).flatMap((part) => (NAME_PART.test(part) ? [trimEndSigns(part, ".-/")] : [])),
	);
}
const WHOLE_WORD = /^https?:|^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d+(?:[.:]\d+)+$/;
/** A part of a word that is such a name or number; "e.g.", "U.S." and "a/b" are none. */
const NAME_PART = /[^.]\/..|..\/.|^[~/].|[\p{L}\p{N}_]{2}[_.][\p{L}\p{N}]|-\d|\p{Ll}\p{Lu}|^\d\d+$/u;

/** Whether a text holds these words as whole words: `app.ts` is not in `myapp.tsx`. */
export function holdsWords(text: string, words: string): boolean {
	if (!words) return false;
	let tries = 0;
	for (let at = text.indexOf(words); at >= 0 && tries++ < MAX_TRIES; at = text.indexOf(words, at + 1)) {
		const isTailOfWord = at > 0 && IN_WORD.test(text[at - 1]!) && IN_WORD.test(words[0]!);
		const end = at + words.length;
		const isHeadOfWord = end < text.length && IN_WORD.test(text[end]!) && IN_WORD.test(words.at(-1)!);
		if (!isTailOfWord && !isHeadOfWord) return true;
	}
	return false;
}
/** A text with a name this often inside longer ones is made to be slow: the name counts as missing. */
const MAX_TRIES = 500;
const IN_WORD = /[\p{L}\p{N}_]/u;
