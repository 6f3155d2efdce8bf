import type { Block } from "../block/recovery-block.ts";
import { summarisedPart } from "../block/situation.ts";
import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import { isShellLine, lastOfEach, type Message } from "../state/session-state.ts";
import { normalise, sameWords, withoutEnd } from "../text/text.ts";

/** Where a message of the user's stands behind a compaction, word for word: in the summary, else in the block, or nowhere. */
export type Fate = "summary" | "whole" | "part" | "neither";

/** What of the user's words a compaction left to the model. Words are counted, nothing is judged. */
export interface LossReport extends Pick<Checkpoint, "key" | "at" | "session" | "trigger"> {
	version: 2;
	tokensBefore: number | null;
	/** `null` where no summary was seen. */
	summaryChars: number | null;
	/** Characters injected behind it. */
	blockChars: number;
	/** The messages, the oldest first. */
	messages: { text: string; at: string; fate: Fate }[];
	/** Numbers, names and paths of the user's that stand neither in the summary nor in the block, each once. */
	missing: string[];
}

const MISSING = 40;
/** The newest are looked for: a pasted table holds ten thousands. */
const MOST_NAMES = 1_000;

/** Compares what the user had said, but for what stands in the context word for word, with the summary and the block. */
export function audit(checkpoint: Checkpoint, summary: string | null, block: Block): LossReport {
	const { key, at, session, trigger, state, kept } = checkpoint;
	const messages = summarisedPart(state, kept).messages.filter((one) => !isShellLine(one));
	// the same words once, where they were said last
	const said = lastOfEach(messages, ({ text }) => sameWords(text));
	const held = normalise(summary ?? "");
	const all = `${held}\n${normalise(block.text)}`;
	const fateOf = ({ text, order }: Message): Fate =>
		summary !== null && holdsWords(held, normalise(text)) ? "summary" : (block.messages.get(order) ?? "neither");
	const names = [...new Set(said.flatMap(({ text }) => properNames(text)))].slice(-MOST_NAMES);
	const missing: string[] = [];
	for (const name of names) if (missing.length < MISSING && !holdsWords(all, name.toLowerCase())) missing.push(name);
	return {
		...{ version: 2, key, at, session, trigger },
		tokensBefore: state.tokens,
		summaryChars: summary?.length ?? null,
		blockChars: block.text.length,
		messages: said.map((one) => ({ text: one.text, at: one.at, fate: fateOf(one) })),
		missing,
	};
}

/** Paths, numbers of two digits or more, and names that no other word says: with a dot, a line or a capital inside. */
function properNames(text: string): string[] {
	const words = (text.match(/https?:\/\/[^\s<>"'`)\]]+|[\p{L}\p{N}_@~./,:-]+/gu) ?? []).map((word) =>
		withoutEnd(word, "@~.,:-/"),
	);
	return words.flatMap((word) =>
		WHOLE.test(word)
			? [word]
			: word.split(/[,:]+/).flatMap((part) => (NAME.test(part) ? [withoutEnd(part, ".-/")] : [])),
	);
}
const WHOLE = /^https?:|^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d+(?:[.:]\d+)+$/;
/** "e.g.", "U.S." and "a/b" are none. */
const NAME = /[^.]\/..|..\/.|^[~/].|[\p{L}\p{N}_]{2}[_.][\p{L}\p{N}]|-\d|\p{Ll}\p{Lu}|^\d\d+$/u;

/** Whether a text holds these words and not merely letters of longer ones: `app.ts` is not in `myapp.tsx`. */
function holdsWords(text: string, words: string): boolean {
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
/** A text with a name this often inside longer ones is made to be slow: the name counts as missing. */
const MAX_TRIES = 500;
const IN_WORD = /[\p{L}\p{N}_]/u;
