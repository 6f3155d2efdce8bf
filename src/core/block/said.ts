import { isSubstantial } from "../checkpoint/document-state.ts";
import { type Decision, isShellLine, lastOfEach, type Message } from "../state/session-state.ts";
import { excerpt, shortenPaste } from "../text/excerpt.ts";
import { lasts } from "../text/lasting.ts";
import { barred, foreign } from "../text/quoted.ts";
import { agoSince, counted, cut, minuteOf, oneLine, sameWords, whenText } from "../text/text.ts";
import { type Item, inOrder, lineItem, oneQuote, quote, quoteLines } from "./item.ts";
import type { Situation } from "./situation.ts";

const REQUEST = 4_000;
/** Characters of the agent's words that a short request answers, and of the last longer message. */
export const ANSWERED = 600;
const EARLIER = 1_500;

/** The user's last message as items. A short one alone says little: the agent's words that it answers and the last longer message follow. */
export function requestItems(of: Situation): Item[] {
	const { request, state, now } = of;
	if (!request) return [];
	const { text, order } = request;
	const own = ownRequest(request, Math.min(REQUEST, of.maxChars / 2 - 400));
	if (isSubstantial(text)) return [own];
	const earlier = earlierRequest(of);
	const answered = state.prose.findLast((one) => one.order < order);
	const earlierExcerpt = earlier && excerpt(earlier.text, EARLIER, lasts);
	const shorter = earlier ? state.messages.filter((one) => one.order > earlier.order && one.order < order).length : 0;
	const between = shorter > 0 ? `, with ${counted(shorter, "shorter one")} since` : "";
	return [
		own,
		...(answered
			? [
					{
						text: `The message below answers the agent's words, which end:\n${barred(lastPart(answered.text, ANSWERED))}`,
						order: order - 0.1,
					},
				]
			: []),
		...(earlier && earlierExcerpt
			? [
					{
						text: `The user's last longer message${earlier.at && now && `, ${agoSince(earlier.at, now)}`}${between}${quote(earlierExcerpt.text)}`,
						order: earlier.order,
						isPart: isCut(earlier, earlierExcerpt.missing),
					},
				]
			: []),
	];
}

/** The request as quoted lines, as much of it as `room` characters hold: of many short lines less, since a mark stands before each. */
function ownRequest(request: Message, room: number): Item {
	const itemOf = (max: number): Item => {
		const { text, missing } = excerpt(request.text, max, lasts);
		return { text: quoteLines(text), order: request.order, isPart: isCut(request, missing) };
	};
	return [room, room / 2].map(itemOf).find(({ text }) => text.length < room * 1.4) ?? itemOf(room / 3);
}

/** The last message of more than a few words before the request, where the request is short; else `undefined`. */
export function earlierRequest({ request, state }: Situation): Message | undefined {
	if (!request || isSubstantial(request.text)) return undefined;
	return state.messages.findLast((one) => one.order < request.order && !isShellLine(one) && isSubstantial(one.text));
}

const isCut = (message: Message, missing: number): boolean => missing > 0 || message.cut !== undefined;

/** The index at which the last part of a text (`max` characters at most) begins: at a paragraph or sentence where there is one. */
export function beginOfLast(text: string, max: number): number {
	if (text.length <= max) return 0;
	const at = /\n\s*\n|\n|[.!?。！？]\s/.exec(text.slice(-max, -max / 2));
	return text.length - max + (at ? at.index + at[0].length : 0);
}
/** The last part of a text, with a mark where its beginning is missing. */
function lastPart(text: string, max: number): string {
	const at = beginOfLast(text, max);
	return at === 0 ? text : `[…]\n${text.slice(at)}`.toWellFormed();
}

/** Characters that the user's words may take in a block. */
export const ROOM = 6_500;
/** How many of the user's words count as the newest. */
const NEWEST = 8;
/** Characters of one of the newest, of a lasting one, of any other (on one line); a later row is tried where all of them don't fit. */
const SIZES = [
	[2_500, 2_500, 2_500],
	[1_200, 1_000, 700],
	[700, 450, 400],
] as const;

/** The user's messages and decisions before the request, each once: the newest first, then the lasting ones, then the others by age. */
export function saidItems(of: Situation, room = Infinity): Item[] {
	const all = saidOnce(of).filter(({ order }) => order < (of.request?.order ?? Infinity));
	const [newest, older] = [all.slice(0, NEWEST), all.slice(NEWEST)];
	const isLasting = (one: Message | Decision): boolean => ("text" in one ? one.lasts === true : lasts(one.words));
	const [lasting, others] = [older.filter(isLasting), older.filter((one) => !isLasting(one))];
	const ranks = [newest, lasting, others].flatMap((group, rank) => group.map((one) => ({ one, rank })));
	let items: Item[] = [];
	for (const sizes of SIZES) {
		items = ranks.map(({ one, rank }) => saidItem(one, sizes[rank]!, of.now, rank === 2));
		if (items.reduce((sum, { text }) => sum + text.length + 1, 0) <= room) break;
	}
	return items;
}

/** The user's decisions since the request, as items: refused, answered, approved. */
export const sinceItems = (of: Situation): Item[] =>
	saidOnce(of)
		.filter(({ order }) => of.request && order > of.request.order)
		.map((one) => saidItem(one, SIZES[2][0], of.now));

/** All messages and decisions of the user but the request, the newest first, the same words once; rejections without words are left out. */
function saidOnce(of: Situation): (Message | Decision)[] {
	const { state, request } = of;
	const shownAbove = [request, earlierRequest(of)];
	const shown = new Set<string>(["[image]", ...shownAbove.flatMap((one) => (one ? [sameWords(one.text)] : []))]);
	const keyOf = (one: Message | Decision): string =>
		sameWords("text" in one ? one.text : `${one.kind} ${one.subject} ${one.words}`);
	const decisions = state.decisions.filter(({ kind, words }) => kind !== "rejected" || words);
	const all = [...state.messages, ...decisions].sort((a, b) => a.order - b.order);
	return lastOfEach(all, keyOf)
		.filter((one) => !shown.has(keyOf(one)))
		.toReversed();
}
/** A message or decision as an item of at most about `most` characters; a long paste is shortened to one line. */
function saidItem(one: Message | Decision, most: number, now: string, isOneLine = false): Item {
	const { at, order } = one;
	const when = at && whenText(at, now);
	if (!("text" in one))
		return { text: `- ${[when, decisionText(one, oneQuote, most)].filter(Boolean).join(", ")}`, order };
	const { text, missing } = excerpt(one.text, most, lasts);
	const lines = text.split("\n");
	const isPasted = !one.lasts && (roomOfLines(lines) > most || (missing > 0 && lines.length > LINES));
	const shown = isPasted ? shortenPaste(one.text) : text;
	return {
		text: `- ${when || "said"}${quote(isOneLine ? oneLine(shown) : shown)}`,
		order,
		isPart: isPasted || isCut(one, missing),
	};
}

/** A short line counts as so many characters: a log that was pasted has many of them. */
const LINE = 40;
const roomOfLines = (lines: readonly string[]): number =>
	lines.reduce((sum, one) => sum + Math.max(one.length, LINE), 0);
/** A text that was cut and still has more lines counts as pasted. */
const LINES = 6;

/** The user's decisions for others to read: no mark in them is markup. */
export const decidedItems = ({ state }: Situation): Item[] =>
	state.decisions.map((one) => lineItem(decisionText(one, foreign, ANSWERED), one.order));

const DECISIONS: Record<Decision["kind"], string> = {
	answer: "answered",
	allowed: "allowed",
	rejected: "refused",
	"plan approved": "approved the plan",
	"plan rejected": "refused the plan",
};

/** A decision as a phrase: what the user did, with what, and their words, which `mark` puts into quotation marks or code. */
const decisionText = ({ kind, subject, words }: Decision, mark: (text: string) => string, most: number): string => {
	const of = kind === "plan rejected" ? "" : ` ${foreign(cut(oneLine(subject), 200))}`;
	return `${DECISIONS[kind]}${of}${words && `: ${mark(excerpt(words, most, lasts).text)}`}`;
};
/** Questions of the agent that the user has not answered yet, the newest first. */
export const questionItems = ({ state }: Situation): Item[] =>
	Object.values(state.open)
		.filter(({ tool }) => tool === "AskUserQuestion")
		.flatMap(({ input, order }) => {
			const questions = Array.isArray(input?.questions) ? input.questions : [];
			return questions.map((one: { question?: unknown } | null) => ({ text: String(one?.question ?? ""), order }));
		})
		.filter(({ text }) => text.trim())
		.toReversed()
		.map(({ text, order }) => lineItem(foreign(cut(text, 300)), order));

const ASKED = 6_000;

/** For a handoff: the task's goal, the user's first message, the last longer one where the last message is short, and the last message. */
export function askedItems(of: Situation): Item[] {
	const { state, request: last, workspace } = of;
	const first = state.messages.find((message) => !isShellLine(message));
	const goal = workspace?.task?.goal;
	const earlier = earlierRequest(of);
	const messageText = (name: string, { at, text }: Message): string =>
		`${name}${at ? ` (${minuteOf(at)})` : ""}:\n\n${quoteLines(excerpt(text, ASKED, lasts).text)}`;
	return inOrder(
		goal && `The task (ccg task): ${foreign(goal)}`,
		first && first !== last && messageText("First message", first),
		earlier && earlier !== first && messageText("Last longer message", earlier),
		last ? messageText("Last message", last) : "No message of the user was read.",
	);
}

/**
 * The reason of the work, for a pull request: the task's goal, else the first message of more than a few words after which a file was
 * edited; no items where there is neither. Each line stands as code, so that nothing in it is markup.
 */
export function whyItems({ state: { messages, files }, workspace }: Situation): Item[] {
	const requests = messages.filter((message) => !isShellLine(message) && isSubstantial(message.text));
	const isEdited = (from: number, to: number): boolean => files.some(({ edited = -1 }) => edited > from && edited < to);
	const first = requests.find(({ order }, n) => isEdited(order, requests[n + 1]?.order ?? Infinity));
	const text = workspace?.task?.goal || first?.text || "";
	return inOrder(
		...excerpt(text, 2_000, lasts)
			.text.split(/\n+/)
			.map((one) => one.trim() && foreign(one)),
	);
}
