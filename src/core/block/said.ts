import { lastingIn } from "../state/decisions.ts";
import { isQuestion, standingStrength } from "../state/directives.ts";
import { withPastesTold } from "../state/own-text.ts";
import { type Decision, type Message, oncePer, type SessionState } from "../state/session-state.ts";
import { shorten } from "../state/shorten.ts";
import { isTakenWhole, onlyTakesBack, type Withdrawal, withdrawalsOf } from "../state/withdrawals.ts";
import { foreign } from "../text/quoted.ts";
import { tellingWords } from "../text/telling-words.ts";
import { cut, oneLine, sameWords } from "../text/text.ts";
import { brief, type Item, inOrder, line, oneQuote } from "./item.ts";
import type { Situation } from "./situation.ts";

const WHOLE = 1_200;
/** Of a longer message: its beginning, its end, and what directs in between. */
const LONG = 600;
const REQUEST = 2_000;

export function requestItems({ request }: Situation): Item[] {
	if (!request) return [];
	const { text, directives, order } = request;
	const quote = barOf(text);
	if (quote.length <= REQUEST) return [{ text: quote, order }];
	const paragraphs = shorten(text, REQUEST, directives)
		.text.split(/\n{2,}/)
		.map(oneLine)
		.filter(Boolean);
	return paragraphs.map((one, i) => ({ text: `> ${one}`, order: order + i / 1000 }));
}

const barOf = (text: string): string => text.replace(/^/gm, "> ");

/**
 * Messages that direct or take the place of others, each once: short ones whole, of long ones the directing sentences whole and the
 * rest shortened where it stands. Those that stand for the work to come first, by how firmly they do; of each the newest first.
 */
export function directiveItems(of: Situation): Item[] {
	const { shown, takenOf, backOf, markOf } = saidOf(of);
	const items = shown
		.filter((message) => message.directives.length > 0 || backOf(message))
		.flatMap((message) => {
			const { text, directives, order } = message;
			const back = backOf(message);
			const taken = takenOf(message).map(({ directive }) => directive);
			const standing = directives.filter((one) => standingStrength(one) > 0 && !taken.includes(one));
			// what took the place of something else stands with it
			const stands = standing.length > 0 || !back ? standing : [text];
			const told = isShort(message) ? text : shorten(withPastesTold(text), roomFor(directives), directives).text;
			const whole = `- ${oneQuote(told)}${markOf(message, text)}${back}`;
			const bare = stands.length > 0 ? stands : directives;
			const origin = isShort(message) ? "" : "[…] ";
			const together = bare.join("").length > MANY ? TOGETHER : bare.length;
			const firmest = bare.toSorted((a, b) => standingStrength(b) - standingStrength(a));
			return Array.from({ length: Math.ceil(bare.length / together) }, (_, i) => {
				const part = together < bare.length ? firmest.slice(i * together, (i + 1) * together) : bare;
				const told = `- ${origin}${part.map(oneQuote).join(" […] ")}${markOf(message, part.join(" "))}`;
				const short = i > 0 ? told : told + back;
				const item: Item = {
					text: part === bare ? whole : short,
					...(part === bare && short.length < whole.length && { short }),
					order: order + i / 1000,
					words: text,
					...(stands.length > 0 && { stands: part }),
					...(back || taken.length > 0 ? { keep: true } : {}),
					states: true,
				};
				return { item, strength: Math.max(back ? 1 : 0, ...(item.stands ?? []).map(standingStrength)) };
			});
		});
	return items.sort((a, b) => b.strength - a.strength).map(({ item }) => item);
}

/** Of a message whose rules are longer than this, so many find room together. */
const [MANY, TOGETHER] = [2_000, 8];

/**
 * The messages that are shown each by itself, and what is told with one: `backOf` those that it took the place of, which stand in its
 * line, the latest first; `markOf` what the user said later against some of what is told of it. Found once for the sections that ask.
 */
const saidOf = /* @__PURE__ */ oncePer(({ session, state, request }: Situation) => {
	const withdrawals = withdrawalsOf(session);
	const today = session.messages.at(-1)?.at.slice(0, 10);
	const takenOf = (message: Message | Decision): readonly Withdrawal[] => withdrawals.get(message) ?? [];
	const once = onceEach(state, request);
	const laterOf = new Map<Message, Message>();
	for (const message of once) {
		const later = takenOf(message).at(-1)?.later;
		if (later && once.includes(later) && isTakenWhole(message, takenOf(message))) laterOf.set(message, later);
	}
	const replaced = Map.groupBy(laterOf.keys(), (message) => laterOf.get(message)!);
	const backOf = (message: Message, rest = MOST_REPLACED): string => {
		// of what only took something back, and was taken back, nothing is left to tell
		const before = (replaced.get(message) ?? []).filter((one) => !onlyTakesBack(one));
		if (rest <= 0 && before.length > 0) return "; others before that";
		return before
			.map((one, i) => {
				const told = isShort(one) ? one.text : shorten(one.text, LONG, one.directives).text;
				return i < rest ? `; ${untilOf(message, today)} ${oneQuote(told)}${backOf(one, rest - i - 1)}` : "";
			})
			.join("");
	};
	const markOf = (message: Message | Decision, told: string): string => withdrawnBy(told, takenOf(message), today);
	return { shown: once.filter((message) => !laterOf.has(message)), takenOf, backOf, markOf };
});
/** So many that a message took the place of are told. */
const MOST_REPLACED = 4;

/** When a message put an end to what was said before; with the day where that is not the last one. */
function untilOf({ at }: Message, today: string | undefined): string {
	const [day, time] = at.split("T");
	return time ? `until ${day === today ? "" : `${day} `}${time.slice(0, 5)} UTC` : "before that";
}

/** The messages but for the request, newest first, of the same words only the newest. */
function onceEach({ messages }: SessionState, request: Message | null): Message[] {
	const seen = new Set<string>(request ? [sameWords(request.text)] : []);
	return messages.toReversed().filter((message) => {
		const key = sameWords(message.text);
		if (message === request || seen.has(key)) return false;
		seen.add(key);
		return true;
	});
}

const isShort = (message: Message): boolean => message.text.length <= 420 && !message.cut;

/** A long message takes what its directing sentences need, and some more for what they speak of. */
const roomFor = (directives: readonly string[]): number =>
	Math.min(3_000, LONG + directives.reduce((sum, { length }) => sum + length + 40, 0));

/** What the user said later against some of what is told of a message. */
function withdrawnBy(told: string, withdrawals: readonly Withdrawal[], today: string | undefined): string {
	const taken = withdrawals.filter(({ directive }) => oneLine(told).includes(oneLine(directive)));
	const [first] = taken;
	if (!first) return "";
	const by = (one: Withdrawal): string => `${untilOf(one.later, today)}, the user later said: ${oneQuote(one.by)}`;
	if (first.isAll || (taken.length === 1 && oneLine(told) === oneLine(first.directive))) return ` (${by(first)})`;
	return ` (of this, ${taken.map((one) => `${oneQuote(cut(one.directive, 80))}: ${by(one)}`).join("; ")})`;
}

/** Messages that direct nothing and took the place of nothing, each once. */
export function messageItems(of: Situation): Item[] {
	const { shown, backOf, markOf } = saidOf(of);
	const items = shown
		.filter((message) => message.directives.length === 0 && !backOf(message))
		.map((message) => {
			const { text, order, cut: isCut } = message;
			const own = isShort(message) ? text : withPastesTold(text);
			const told = oneQuote(own.length <= WHOLE && !isCut ? own : shorten(own, LONG).text);
			const mark = markOf(message, text);
			const states = isStatement(text) && { states: true as const };
			return { ...line(told + mark, order, text), ...states, ...(mark && { keep: true as const }) };
		});
	// what states something may decide something; questions and nods do not
	return items.sort((a, b) => Number(b.states ?? 0) - Number(a.states ?? 0));
}

const isStatement = (text: string): boolean => !isQuestion(text) && tellingWords(text).length >= TELLING;
/** A message of fewer words that tell something is an answer to what was asked. */
const TELLING = 7;

/** Decisions, those with a correction that stands for the work to come first. */
export function decisionItems(of: Situation): Item[] {
	const { markOf } = saidOf(of);
	return of.state.decisions
		.toReversed()
		.map((decision): Item => {
			const { subject, words, order } = decision;
			const stands = words ? lastingIn(words) : [];
			const mark = markOf(decision, words);
			const text = decisionText(decision, oneQuote) + mark;
			const short = decided(decision, brief(oneLine(subject), 60), stands.map(oneQuote).join(" […] ")) + mark;
			return {
				text,
				order,
				words: words || subject,
				...(mark && { keep: true as const }),
				...(stands.length > 0 && { stands, states: true as const, ...(short.length < text.length && { short }) }),
			};
		})
		.sort((a, b) => Number(b.stands !== undefined) - Number(a.stands !== undefined));
}

/** The user's decisions for others to read: no mark in them is markup. */
export const decidedItems = ({ state }: Situation): Item[] =>
	state.decisions.map((one) => ({ text: decisionText(one, foreign), order: one.order }));

/** `quote` puts the user's words into marks. */
const decisionText = (decision: Decision, quote: (text: string) => string): string =>
	decided(decision, cut(decision.subject, 200), decision.words && quote(decision.words));
const decided = ({ kind }: Decision, of: string, quote: string): string =>
	`- ${kind}: ${foreign(of)}${quote && ` — the user: ${quote}`}`;

export function questionItems({ state }: Situation): Item[] {
	const asked = Object.values(state.open)
		.filter(({ tool }) => tool === "AskUserQuestion")
		.flatMap(({ input, order }) => {
			const questions = Array.isArray(input?.questions) ? input.questions : [];
			return questions.map((one: { question?: unknown } | null) => ({ text: String(one?.question ?? ""), order }));
		});
	return [...asked, ...state.questions]
		.filter(({ text }) => text.trim())
		.toReversed()
		.map(({ text, order }) => line(foreign(cut(text, 300)), order, text));
}

const ASKED = 6_000;

/** The task's goal, the first request, and the last message. */
export function askedItems({ state, request: last, workspace }: Situation): Item[] {
	const first = state.messages.find(({ source }) => source !== "command");
	const goal = workspace?.task?.goal;
	const told = (name: string, { at, text }: Message): string =>
		`${name}${at ? ` (${at})` : ""}:\n\n${barOf(cut(text, ASKED))}`;
	return inOrder(
		goal && `The task (ccg task): ${foreign(goal)}`,
		first && first !== last && told("First message", first),
		last ? told("Last message", last) : "No message of the user was read.",
	);
}

/** The request line by line as code: others read it, and nothing in it is markup. */
export const whyItems = ({ request }: Situation): Item[] =>
	inOrder(
		...cut(request?.text ?? "", REQUEST)
			.split(/\n+/)
			.map((text) => text.trim() && foreign(text)),
	);

/** Each directive once, the newest first, without those taken back and what stands in the request. */
export function steeredItems({ state, request }: Situation): Item[] {
	const withdrawals = withdrawalsOf(state);
	const asked = sameWords(request?.text ?? "");
	const lines = new Map<string, string>();
	for (const message of state.messages.toReversed()) {
		const back = new Set(withdrawals.get(message)?.map(({ directive }) => directive));
		for (const text of message.directives.toReversed()) {
			const key = sameWords(text);
			if (!back.has(text) && !asked.includes(key) && !lines.has(key)) lines.set(key, `- ${oneQuote(text)}`);
		}
	}
	return [...lines.values()].map((text, i) => ({ text, order: -i }));
}
