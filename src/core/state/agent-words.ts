import { partOfClean } from "../redact/secrets.ts";
import { cut, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { sentencesOf } from "./sentences.ts";
import { countDropped, keepLast, type SessionState } from "./session-state.ts";

const TO_THE_USER =
	/\b(?:you|your|should i|shall i|can i|may i|do i|want me|would it be|which (?:one|option|of)|or should)\b/i;
const ASSUMES =
	/\b(?:i(?:'m| am|'ll| will)? ?assum(?:e|ed|ing)|assuming|my assumption|i(?:'ll| will) take it that|presumably)\b/i;

/** Only what is safe is looked into: a name the agent used may be a secret. */
export function applySaid(state: SessionState, event: EventOf<"said">): void {
	const text = safeText(event.text);
	delete state.refusedAt;
	state.lastSaid = lastPart(text, 1_500);
	keepProse(state, text, event.at);
	applyAgentWords(state, text, event.at);
}

/** The end of a text, saying how much stood before it. */
const lastPart = (text: string, max: number): string =>
	text.length <= max ? text : `[${text.length - max} characters before…] ${text.slice(-max)}`;

/** Notes what the agent asked the user and what it said it assumes. A question stands until the user's next message. */
function applyAgentWords(state: SessionState, text: string, at: string): void {
	for (const sentence of proseSentences(text.slice(-MAX_TEXT))) {
		if (sentence.length <= 8 || sentence.length >= 400) continue;
		if (sentence.endsWith("?") && TO_THE_USER.test(sentence)) add(state, "questions", sentence, at);
		else if (ASSUMES.test(sentence)) add(state, "assumptions", sentence, at);
	}
}

function add(state: SessionState, name: "questions" | "assumptions", sentence: string, at: string): void {
	const list = state[name];
	const text = cut(safeText(sentence), 300);
	const before = list.findIndex((one) => one.text === text);
	if (before >= 0) list.splice(before, 1);
	list.push({ text, at, order: state.order });
	keepLast(state, name);
}

/** Lines of prose: code blocks and tables' rules are passed over, list marks and emphasis taken off. */
export const proseLines = (text: string): string[] =>
	text
		.replace(/```[\s\S]*?(?:```|$)/g, "\n")
		.split("\n")
		.filter((line) => !/^[\s|:=-]*$/.test(line))
		.map((line) => line.replace(/^[\s>#*+-]*(?:\d+[.)]\s+)?/, "").replaceAll("**", ""));

/** The sentences of these lines. */
const proseSentences = (text: string): string[] => proseLines(text).flatMap(sentencesOf);

const MAX_TEXT = 6_000;
const MAX_ALL = 60_000;

/** Keeps what the agent said (made safe already): its findings and reasons stand in its prose and nowhere else. */
function keepProse(state: SessionState, text: string, at: string): void {
	if (!text.trim()) return;
	const last = state.prose.at(-1);
	if (last && isShort(last.text)) state.prose.pop();
	state.prose.push({ text: bothEnds(partOfClean(text, text.trim())), at, order: state.order });
	let chars = state.prose.reduce((sum, { text: { length } }) => sum + length, 0);
	while (chars > MAX_ALL) {
		chars -= state.prose.shift()!.text.length;
		countDropped(state, "texts of the agent");
	}
}

/** "Done." is an answer and no finding: it is kept while it is the last. */
export const isShort = (text: string): boolean => text.length < 12 && (text.length < 5 || !WIDE.test(text));
/** Scripts of which a few signs make a sentence. */
export const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

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
