import { lastingIn } from "../state/decisions.ts";
import type { Message, SessionState } from "../state/session-state.ts";
import { shorten } from "../state/shorten.ts";
import { cut, normalised, oneLine } from "../text/text.ts";
import { briefForms } from "./brief-form.ts";
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
	const seen = new Set<string>(request ? [normalised(request.text)] : []);
	const standing = standingOf(state.messages);
	const asked = briefForms(state);
	const items: { item: Item; strength: number }[] = [];
	for (const message of state.messages.toReversed()) {
		if (message.directives.length === 0 || message === request) continue;
		const { text, directives } = message;
		const key = normalised(text);
		if (seen.has(key)) continue;
		seen.add(key);
		const back = withdrawnBy(message, text);
		const stands = standing.get(message);
		const whole = `- ${oneQuote(isShort(message) ? text : shorten(text, roomFor(directives), directives).text)}${back}`;
		const short = stands
			? bareForm(message, stands.sentences)
			: isShort(message)
				? asked(message, back)
				: bareForm(message, directives);
		items.push({
			item: {
				text: whole,
				...(short && short.length < whole.length && { short }),
				order: message.order,
				words: text,
				...(stands && { stands: stands.sentences }),
				...(back ? { keep: true } : {}),
			},
			strength: stands?.strength ?? 0,
		});
	}
	return items.sort((a, b) => b.strength - a.strength).map(({ item }) => item);
}

/** Some sentences of a message and what was said of them later. */
function bareForm(message: Message, sentences: readonly string[]): string {
	const origin = isShort(message) ? "" : "of a longer message: ";
	const back = withdrawnBy(message, sentences.join(" "));
	return `- ${origin}${sentences.map(oneQuote).join(" […] ")}${back}`;
}

/** A long message takes what its directing sentences need, and some more for what they speak of. */
const roomFor = (directives: readonly string[]): number =>
	Math.min(3_000, LONG + directives.reduce((sum, { length }) => sum + length + 40, 0));

/** What the user said later against a directive, or against some of those in a message injected whole. */
function withdrawnBy(message: Message, text: string): string {
	const taken = (message.withdrawn ?? []).filter(({ directive }) => text.includes(directive));
	if (taken.length === 0) return "";
	if (taken.length === 1 && (taken[0]!.directive === text || message.directives.length === 1))
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
	const seen = new Set<string>(request ? [normalised(request.text)] : []);
	const items: Item[] = [];
	const brief = briefForms(state);
	for (const message of state.messages.toReversed()) {
		if (message === request || message.directives.length || seen.has(normalised(message.text))) continue;
		seen.add(normalised(message.text));
		const { text } = message;
		const isWhole = text.length <= WHOLE && !message.cut;
		const short = brief(message);
		items.push({
			text: `- ${oneQuote(isWhole ? text : shorten(text, LONG).text)}`,
			...(short && { short }),
			order: message.order,
			words: text,
		});
	}
	// short ones first: they lose most in a summary and cost least
	return items.sort((a, b) => Number(a.text.length > 420) - Number(b.text.length > 420));
}

/** Decisions, those with a correction that stands for the work to come first. */
export function decisionItems(state: SessionState): Item[] {
	return state.decisions
		.toReversed()
		.map(({ kind, subject, words, order }): Item => {
			const lasting = words ? lastingIn(words) : [];
			const told = (of: string, quote: string): string =>
				`- ${kind}: ${foreign(of)}${quote && ` — the user: ${quote}`}`;
			const text = told(cut(subject, 200), words && oneQuote(words));
			const short = told(brief(oneLine(subject), 60), lasting.map(oneQuote).join(" […] "));
			return {
				text,
				order,
				words: words || subject,
				...(lasting.length > 0 && { stands: lasting, ...(short.length < text.length && { short }) }),
			};
		})
		.sort((a, b) => Number(b.stands !== undefined) - Number(a.stands !== undefined));
}

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
