import { isSubstantial } from "../checkpoint/document-state.ts";
import { type Decision, isShellLine, lastOfEachKey, type Message } from "../state/session-state.ts";
import { excerpt, shortenPaste } from "../text/excerpt.ts";
import { inBackticks, quoteWithBars } from "../text/quoted.ts";
import { isMeantToLast } from "../text/sentences.ts";
import { agoSince, comparableWords, countWithNoun, minuteText, oneLine, truncate, whenText } from "../text/text.ts";
import { type Item, itemsInOrder, lineItem, quoteAfterColon, quoteLines, quoteOnOneLine } from "./item.ts";
import type { SectionFacts } from "./situation.ts";

const MAX_REQUEST = 4_000;
/** Characters of the agent's words that a short request answers, and of the last longer message. */
export const ANSWERED_CHARS = 600;
const MAX_EARLIER_REQUEST = 1_500;

/** The user's last message as items. A short one alone says little: the agent's words that it answers and the last longer message follow. */
export function requestItems(facts: SectionFacts): Item[] {
	const { request, state, maxChars } = facts;
	if (!request) return [];
	const items = [requestItem(request, Math.min(MAX_REQUEST, maxChars / 2 - 400))];
	if (isSubstantial(request.text)) return items;
	const answeredWords = state.prose.findLast(({ order }) => order < request.order);
	const earlier = earlierRequest(facts);
	if (answeredWords) {
		const ending = quoteWithBars(markedTail(answeredWords.text, ANSWERED_CHARS));
		const text = `The message below answers the agent's words, which end:\n${ending}`;
		// printed just before the request
		items.push({ text, order: request.order - 0.1 });
	}
	if (earlier) items.push(earlierRequestItem(earlier, request, facts));
	return items;
}

/** The last longer message before a short request, with its age and how many shorter messages came since, as an item. */
function earlierRequestItem(earlier: Message, request: Message, { state, now }: SectionFacts): Item {
	const { text, missing } = excerpt(earlier.text, MAX_EARLIER_REQUEST, isMeantToLast);
	const age = earlier.at && now && `, ${agoSince(earlier.at, now)}`;
	const shorter = state.messages.filter(({ order }) => order > earlier.order && order < request.order).length;
	const since = shorter > 0 ? `, with ${countWithNoun(shorter, "shorter one")} since` : "";
	return {
		text: `The user's last longer message${age}${since}${quoteAfterColon(text)}`,
		order: earlier.order,
		isShortened: isShortened(earlier, missing),
	};
}

/** The request as quoted lines of about `maxChars`. The mark before each line counts too: of many short lines less of the text is shown. */
function requestItem(request: Message, maxChars: number): Item {
	const makeItem = (maxExcerpt: number): Item => {
		const { text, missing } = excerpt(request.text, maxExcerpt, isMeantToLast);
		return { text: quoteLines(text), order: request.order, isShortened: isShortened(request, missing) };
	};
	const isShortEnough = ({ text }: Item): boolean => text.length < maxChars * 1.4;
	return [maxChars, maxChars / 2].map(makeItem).find(isShortEnough) ?? makeItem(maxChars / 3);
}

/** The last message of more than a few words before the request, where the request is short; else `undefined`. */
export function earlierRequest({ request, state }: SectionFacts): Message | undefined {
	if (!request || isSubstantial(request.text)) return undefined;
	const before = state.messages.filter(({ order }) => order < request.order);
	return before.findLast((message) => !isShellLine(message) && isSubstantial(message.text));
}

/** Whether characters of a message are missing in its excerpt (`missing`), or were already when the message was kept. */
const isShortened = (message: Message, missing: number): boolean => missing > 0 || message.cut !== undefined;

/** The index at which a text's last part of at most `maxChars` begins: at a paragraph, line or sentence where one begins early in it. */
export function tailStart(text: string, maxChars: number): number {
	if (text.length <= maxChars) return 0;
	const boundary = /\n\s*\n|\n|[.!?。！？]\s/.exec(text.slice(-maxChars, -maxChars / 2));
	return text.length - maxChars + (boundary ? boundary.index + boundary[0].length : 0);
}
/** The last part of a text, with `[…]` before it where its beginning is missing. */
function markedTail(text: string, maxChars: number): string {
	const start = tailStart(text, maxChars);
	return start === 0 ? text : `[…]\n${text.slice(start)}`.toWellFormed();
}

/** Characters that the user's words may take in a block. */
export const USERS_WORDS_CHARS = 6_500;
/** How many of the user's words count as the newest. */
const NEWEST = 8;
/** Characters of one of the newest, of a lasting one, of any other (on one line); a later row is tried where all of them don't fit. */
const MAX_CHARS_BY_RANK = [
	[2_500, 2_500, 2_500],
	[1_200, 1_000, 700],
	[700, 450, 400],
] as const;
const MAX_LATER_DECISION = 700;

/** The user's messages and decisions before the request, each once: the newest first, then the lasting ones, then the others by age. */
export function usersWordsItems(facts: SectionFacts, maxChars = Infinity): Item[] {
	const before = distinctUsersWords(facts).filter(({ order }) => order < (facts.request?.order ?? Infinity));
	const [newest, older] = [before.slice(0, NEWEST), before.slice(NEWEST)];
	const isLasting = (entry: Message | Decision): boolean =>
		"text" in entry ? entry.lasts === true : isMeantToLast(entry.words);
	const [lasting, others] = [older.filter(isLasting), older.filter((entry) => !isLasting(entry))];
	const isOneLine = (rank: number): boolean => rank === 2;
	const ranked = [newest, lasting, others].flatMap((words, rank) => words.map((entry) => ({ entry, rank })));
	let items: Item[] = [];
	for (const maxCharsByRank of MAX_CHARS_BY_RANK) {
		items = ranked.map(({ entry, rank }) => usersWordsItem(entry, facts.now, maxCharsByRank[rank]!, isOneLine(rank)));
		if (items.reduce((sum, { text }) => sum + text.length + 1, 0) <= maxChars) break;
	}
	return items;
}

/** The user's decisions since the request, as items: refused, answered, approved. */
export const laterDecisionItems = (facts: SectionFacts): Item[] =>
	distinctUsersWords(facts)
		.filter(({ order }) => facts.request && order > facts.request.order)
		.map((decision) => usersWordsItem(decision, facts.now, MAX_LATER_DECISION));

/**
 * The user's messages and decisions, the newest first, the same words once. Left out are the request and the earlier message shown with it,
 * a message that is only an image, and rejections without words.
 */
function distinctUsersWords(facts: SectionFacts): (Message | Decision)[] {
	const { state, request } = facts;
	const shownAbove = [request, earlierRequest(facts)].flatMap((message) => message?.text ?? []);
	const leftOut = new Set<string>(["[image]", ...shownAbove.map(comparableWords)]);
	const keyOf = (entry: Message | Decision): string =>
		comparableWords("text" in entry ? entry.text : `${entry.kind} ${entry.subject} ${entry.words}`);
	const decisions = state.decisions.filter(({ kind, words }) => kind !== "rejected" || words);
	const inOrder = [...state.messages, ...decisions].sort((a, b) => a.order - b.order);
	return lastOfEachKey(inOrder, keyOf)
		.filter((entry) => !leftOut.has(keyOf(entry)))
		.toReversed();
}
/** A message or decision as an item of about `maxChars` at most, with its time; a long paste is shortened to one line. */
function usersWordsItem(entry: Message | Decision, now: string, maxChars: number, isOneLine = false): Item {
	const { at, order } = entry;
	const time = at && whenText(at, now);
	const isDecision = !("text" in entry);
	if (isDecision) return { text: `- ${time && `${time}, `}${decisionText(entry, quoteOnOneLine, maxChars)}`, order };
	const { text, missing } = excerpt(entry.text, maxChars, isMeantToLast);
	const lines = text.split("\n");
	const hasManyLines = charsOfLines(lines) > maxChars || (missing > 0 && lines.length > MAX_CUT_LINES);
	const isPaste = hasManyLines && !entry.lasts;
	const shown = isPaste ? shortenPaste(entry.text) : text;
	return {
		text: `- ${time || "said"}${quoteAfterColon(isOneLine ? oneLine(shown) : shown)}`,
		order,
		isShortened: isPaste || isShortened(entry, missing),
	};
}

const MIN_LINE_CHARS = 40;
/** The characters of these lines; a short line counts as 40, since a log that was pasted has many of them. */
const charsOfLines = (lines: readonly string[]): number =>
	lines.reduce((sum, line) => sum + Math.max(line.length, MIN_LINE_CHARS), 0);
/** A text that was cut and still has more lines counts as pasted. */
const MAX_CUT_LINES = 6;

/** The user's decisions for others to read: nothing in them is read as markup. */
export const decisionItems = ({ state }: SectionFacts): Item[] =>
	state.decisions.map((decision) => lineItem(decisionText(decision, inBackticks, ANSWERED_CHARS), decision.order));

const DECISIONS: Record<Decision["kind"], string> = {
	answer: "answered",
	allowed: "allowed",
	rejected: "refused",
	"plan approved": "approved the plan",
	"plan rejected": "refused the plan",
};

/** A decision as a phrase: what the user did, with what, and their words, which `quoteWords` puts into quotation marks or code. */
function decisionText({ kind, subject, words }: Decision, quoteWords: typeof inBackticks, maxChars: number): string {
	const object = kind === "plan rejected" ? "" : ` ${inBackticks(truncate(oneLine(subject), 200))}`;
	const quotedWords = words && `: ${quoteWords(excerpt(words, maxChars, isMeantToLast).text)}`;
	return `${DECISIONS[kind]}${object}${quotedWords}`;
}
/** Questions of the agent that the user has not answered yet, the newest first. */
export const questionItems = ({ state }: SectionFacts): Item[] =>
	Object.values(state.open)
		.filter(({ tool }) => tool === "AskUserQuestion")
		.flatMap(({ input, order }) => {
			const questions = Array.isArray(input?.questions) ? input.questions : [];
			return questions.map((entry: { question?: unknown } | null) => ({ text: String(entry?.question ?? ""), order }));
		})
		.filter(({ text }) => text.trim())
		.toReversed()
		.map(({ text, order }) => lineItem(inBackticks(truncate(text, 300)), order));

const MAX_HANDOFF_MESSAGE = 6_000;

/** For a handoff: the task's goal, the user's first message, the last longer one where the last message is short, and the last message. */
export function handoffRequestItems(facts: SectionFacts): Item[] {
	const { state, request: last, workspace } = facts;
	const first = state.messages.find((message) => !isShellLine(message));
	const goal = workspace?.task?.goal;
	const earlier = earlierRequest(facts);
	const messageText = (name: string, { at, text }: Message): string =>
		`${name}${at ? ` (${minuteText(at)})` : ""}:\n\n${quoteLines(excerpt(text, MAX_HANDOFF_MESSAGE, isMeantToLast).text)}`;
	return itemsInOrder(
		goal && `The task (ccg task): ${inBackticks(goal)}`,
		first && first !== last && messageText("First message", first),
		earlier && earlier !== first && messageText("Last longer message", earlier),
		last ? messageText("Last message", last) : "No message of the user was read.",
	);
}

/**
 * The reason of the work, for a pull request: the task's goal, else the first message of more than a few words after which a file was
 * edited; no items where there is neither. Each line stands as code, so that nothing in it is markup.
 */
export function reasonItems({ state: { messages, files }, workspace }: SectionFacts): Item[] {
	const requests = messages.filter((message) => !isShellLine(message) && isSubstantial(message.text));
	const hasEditBetween = (from: number, to: number): boolean =>
		files.some(({ edited = -1 }) => edited > from && edited < to);
	const firstWithEdit = requests.find(({ order }, n) => hasEditBetween(order, requests[n + 1]?.order ?? Infinity));
	const text = workspace?.task?.goal || firstWithEdit?.text || "";
	return itemsInOrder(
		...excerpt(text, 2_000, isMeantToLast)
			.text.split(/\n+/)
			.map((line) => line.trim() && inBackticks(line)),
	);
}
