import { partOfClean } from "../redact/secrets.ts";
import { countDropped, type SessionState } from "./session-state.ts";

/** Characters kept of one text of the agent, and of all: some segments' worth. The oldest goes. */
const MAX_TEXT = 6_000;
const MAX_ALL = 60_000;

/** Keeps what the agent said (made safe already): its findings and reasons stand in its prose and nowhere else. */
export function keepProse(state: SessionState, text: string, at: string): void {
	if (!text.trim()) return;
	const last = state.prose.at(-1);
	if (last && isShort(last.text)) state.prose.pop();
	state.prose.push({ text: bothEnds(text.trim()), at, order: state.order });
	let chars = state.prose.reduce((sum, { text: { length } }) => sum + length, 0);
	while (chars > MAX_ALL) {
		chars -= state.prose.shift()!.text.length;
		countDropped(state, "texts of the agent");
	}
}

/** "Done." is an answer and no finding: it is kept while it is the last. */
export const isShort = (text: string): boolean => text.length < 12 && (text.length < 5 || !WIDE.test(text));
/** Scripts of which a few signs make a sentence. */
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** A long text's beginning and, longer, its end: reports end in what came of it. */
function bothEnds(text: string): string {
	if (text.length <= MAX_TEXT) return text;
	const head = text.slice(0, MAX_TEXT / 3);
	const tail = text.slice(-(MAX_TEXT - head.length - 8));
	return `${partOfClean(text, head)}\n[…]\n${partOfClean(text, tail)}`.toWellFormed();
}

/** Marks the agent's last text as the end of its turn: the user speaks next. */
export function endTurn(state: SessionState): void {
	const last = state.prose.findLast(({ text }) => !isShort(text));
	if (last) last.closing = true;
}
