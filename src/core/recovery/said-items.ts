import { lastingIn } from "../state/decisions.ts";
import { ownText } from "../state/own-text.ts";
import type { Decision, Message, SessionState } from "../state/session-state.ts";
import { shorten } from "../state/shorten.ts";
import { type Withdrawal, withdrawalsOf } from "../state/withdrawals.ts";
import { tellingWords } from "../text/telling-words.ts";
import { cut, normalised, oneLine } from "../text/text.ts";
import type { Item } from "./item.ts";
import { brief, foreign, oneQuote } from "./item-text.ts";
import { standingOf } from "./standing.ts";

const WHOLE = 1_200;
/** Of a longer message: its beginning, its end, and what directs in between. */
const LONG = 600;
const REQUEST = 2_000;

/** The last thing asked of the model; a shell line typed with `!` asks nothing. */
export function requestOf({ messages }: Pick<SessionState, "messages">): Message | null {
	return messages.findLast(({ source, text }) => !(source === "command" && text.startsWith("! "))) ?? null;
}

export function requestItems(request: Message | null): Item[] {
	if (!request) return [];
	const quote = quoted(request);
	return quote.length <= REQUEST
		? [{ text: quote, order: 0 }]
		: paragraphs(shorten(request.text, REQUEST, request.directives).text).map((text, order) => ({
				text: `> ${text}`,
				order,
			}));
}

/**
 * Messages that direct, each once: short ones whole, of long ones the directing sentences whole and the rest shortened where it
 * stands. Those that stand for the work to come first, by how firmly they do; of each the newest first.
 */
export function directiveItems(state: SessionState, request: Message | null): Item[] {
	const withdrawals = withdrawalsOf(state);
	const standing = standingOf(state, withdrawals);
	const items = onceEach(state, request)
		.filter(({ directives }) => directives.length > 0)
		.map((message) => {
			const { text, directives, order } = message;
			const taken = withdrawals.get(message) ?? [];
			const back = withdrawnBy(message, text, taken);
			const stands = standing.get(message);
			const whole = `- ${oneQuote(isShort(message) ? text : shorten(text, roomFor(directives), directives).text)}${back}`;
			const short = bareForm(message, stands?.sentences ?? directives, taken);
			const item: Item = {
				text: whole,
				...(short.length < whole.length && { short }),
				order,
				words: text,
				...(stands && { stands: stands.sentences }),
				...(back ? { keep: true } : {}),
			};
			return { item, strength: stands?.strength ?? 0 };
		});
	return items.sort((a, b) => b.strength - a.strength).map(({ item }) => item);
}

/** The messages but for the request, newest first, of the same words only the newest. */
function onceEach({ messages }: SessionState, request: Message | null): Message[] {
	const seen = new Set<string>(request ? [normalised(request.text)] : []);
	return messages.toReversed().filter((message) => {
		const key = normalised(message.text);
		if (message === request || seen.has(key)) return false;
		seen.add(key);
		return true;
	});
}

/** Some sentences of a message and what was said of them later. */
function bareForm(message: Message, sentences: readonly string[], taken: readonly Withdrawal[]): string {
	const origin = isShort(message) ? "" : "of a longer message: ";
	const back = withdrawnBy(message, sentences.join(" "), taken);
	return `- ${origin}${sentences.map(oneQuote).join(" […] ")}${back}`;
}

/** All that the user said and decided, in order of time: of each message what they wrote themselves, of a long one what directs. */
export function saidLines(state: SessionState): { text: string; at: string; isRule: boolean }[] {
	const withdrawals = withdrawalsOf(state);
	const standing = standingOf(state, withdrawals);
	const said = onceEach(state, null).flatMap((message) => {
		const { text, directives, order, at } = message;
		const own = isShort(message) ? oneLine(ownText(text)) : "";
		// what holds no word of their own is told by its beginning, as no rule
		const sentences = own ? [own] : directives.length || !isShort(message) ? directives : [cut(oneLine(text), 160)];
		// "ok, go on" says nothing by itself
		if (sentences.length === 0 || (directives.length === 0 && tellingWords(sentences.join(" ")).length < 2)) return [];
		const bare = bareForm(message, sentences, withdrawals.get(message) ?? []);
		return [{ text: bare, order, at, isRule: standing.has(message) }];
	});
	const decided = state.decisions.map((one) => ({ ...one, text: decisionText(one), isRule: one.words !== "" }));
	return [...said, ...decided].sort((a, b) => a.order - b.order);
}

/** A long message takes what its directing sentences need, and some more for what they speak of. */
const roomFor = (directives: readonly string[]): number =>
	Math.min(3_000, LONG + directives.reduce((sum, { length }) => sum + length + 40, 0));

/** What the user said later against a directive, or against some of those in a message that is told. */
function withdrawnBy(message: Message, told: string, withdrawals: readonly Withdrawal[]): string {
	const line = oneLine(told);
	const taken = withdrawals.filter(({ directive }) => line.includes(oneLine(directive)));
	if (taken.length === 0) return "";
	if (taken.length === 1 && (taken[0]!.directive === message.text || message.directives.length === 1))
		return ` (the user later said: ${oneQuote(taken[0]!.by)})`;
	const each = taken.map(
		({ directive, by }) => `${oneQuote(cut(directive, 80))}: the user later said: ${oneQuote(by)}`,
	);
	return ` (of this, ${each.join("; ")})`;
}

export function questionItems(state: SessionState): Item[] {
	const asked = Object.values(state.open)
		.filter(({ tool }) => tool === "AskUserQuestion")
		.flatMap(({ input, order }) => {
			const questions = Array.isArray(input?.questions) ? input.questions : [];
			return questions.map((one: { question?: unknown } | null) => ({ text: String(one?.question ?? ""), order }));
		});
	return [...asked, ...state.questions]
		.filter(({ text }) => text.trim())
		.toReversed()
		.map(({ text, order }) => ({ text: `- ${foreign(cut(text, 300))}`, order, words: text }));
}

/** Messages that direct nothing, each once. */
export function messageItems(state: SessionState, request: Message | null): Item[] {
	const items = onceEach(state, request)
		.filter(({ directives }) => directives.length === 0)
		.map((message): Item => {
			const { text, order } = message;
			const isWhole = text.length <= WHOLE && !message.cut;
			const told = oneQuote(isWhole ? text : shorten(text, LONG).text);
			return { text: `- ${told}`, order, words: text };
		});
	// short ones first: they lose most in a summary and cost least
	return items.sort((a, b) => Number(a.text.length > 420) - Number(b.text.length > 420));
}

/** Decisions, those with a correction that stands for the work to come first. */
export function decisionItems(state: SessionState): Item[] {
	return state.decisions
		.toReversed()
		.map((decision): Item => {
			const { subject, words, order } = decision;
			const lasting = words ? lastingIn(words) : [];
			const text = decisionText(decision);
			const short = told(decision, brief(oneLine(subject), 60), lasting.map(oneQuote).join(" […] "));
			return {
				text,
				order,
				words: words || subject,
				...(lasting.length > 0 && { stands: lasting, ...(short.length < text.length && { short }) }),
			};
		})
		.sort((a, b) => Number(b.stands !== undefined) - Number(a.stands !== undefined));
}

/** `quote` puts the user's words into marks. */
export const decisionText = (decision: Decision, quote = oneQuote): string =>
	told(decision, cut(decision.subject, 200), decision.words && quote(decision.words));
const told = ({ kind }: Decision, of: string, quote: string): string =>
	`- ${kind}: ${foreign(of)}${quote && ` — the user: ${quote}`}`;

const isShort = (message: Message): boolean => message.text.length <= 420 && !message.cut;
const quoted = (message: Message): string =>
	message.text
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n");

const paragraphs = (text: string): string[] =>
	text
		.split(/\n{2,}/)
		.map(oneLine)
		.filter(Boolean);
