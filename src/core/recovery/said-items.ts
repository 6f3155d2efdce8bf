import type { Message, SessionState } from "../state/session-state.ts";
import { shorten } from "../state/shorten.ts";
import { cut, normalised, oneLine } from "../text/text.ts";
import type { Item } from "./item.ts";
import { foreign, oneQuote } from "./item-text.ts";

const WHOLE = 1_200;
/** Of a longer message: its beginning, its end, and what directs in between. */
const LONG = 600;
const REQUEST = 2_000;

/** The last thing asked of the model; a shell line typed with `!` asks nothing. */
export function requestOf({ messages }: SessionState): Message | null {
	return messages.findLast(({ source, text }) => !(source === "command" && text.startsWith("! "))) ?? null;
}

export function requestItems(request: Message | null): Item[] {
	if (!request) return [];
	const quote = quoted(request);
	return quote.length <= REQUEST
		? [{ text: quote, order: 0 }]
		: paragraphs(shorten(request.text, REQUEST).text).map((text, order) => ({ text: `> ${text}`, order }));
}

/** Whole messages that direct, when short; else their directing sentences. Newest first: the latest word counts. */
export function directiveItems(state: SessionState, request: Message | null): Item[] {
	const seen = new Set<string>();
	const items: Item[] = [];
	for (const message of state.messages.toReversed()) {
		if (message === request && quoted(request).length <= REQUEST) continue;
		const texts = isShort(message) ? (message.directives.length ? [message.text] : []) : message.directives;
		for (const [i, text] of texts.entries()) {
			if (seen.has(normalised(text))) continue;
			seen.add(normalised(text));
			const back = withdrawnBy(message, text);
			items.push({
				text: `- ${oneQuote(text)}${back}`,
				order: message.order + i / 1000,
				words: text,
				...(back ? { keep: true } : {}),
			});
		}
	}
	return items;
}

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

export function messageItems(state: SessionState, request: Message | null): Item[] {
	const seen = new Set<string>(request ? [normalised(request.text)] : []);
	const items: Item[] = [];
	for (const message of state.messages.toReversed()) {
		if (message === request || (isShort(message) && message.directives.length) || seen.has(normalised(message.text)))
			continue;
		seen.add(normalised(message.text));
		if (message.text.length <= WHOLE && !message.cut)
			items.push({ text: `- ${oneQuote(message.text)}`, order: message.order, words: message.text });
		else
			items.push({
				text: `- ${oneQuote(shorten(message.text, LONG).text)}`,
				order: message.order,
				words: message.text,
			});
	}
	// short ones first: they lose most in a summary and cost least
	return items.sort((a, b) => Number(a.text.length > 420) - Number(b.text.length > 420));
}

export function decisionItems(state: SessionState): Item[] {
	return state.decisions.toReversed().map(({ kind, subject, words, order }) => ({
		text: `- ${kind}: ${foreign(cut(subject, 200))}${words ? ` — the user: ${oneQuote(words)}` : ""}`,
		order,
		words: words || subject,
	}));
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
