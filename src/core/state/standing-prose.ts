import { INSTEAD_OF, PROPOSES, REFUSES, REFUSES_UNSPACED, wordsFor } from "../text/acts.ts";
import { DENIAL, tellingWords, wordsOf } from "../text/telling-words.ts";
import { straight } from "../text/text.ts";
import { isQuestion } from "./directives.ts";
import { sentenceSpans, sentencesOf } from "./sentences.ts";
import type { SessionState } from "./session-state.ts";
import { NEGATED } from "./taking-back.ts";
import { subjectOf, withdrawalsOf } from "./withdrawals.ts";

type Prose = SessionState["prose"][number];
/** Tells which sentences of the agent's `nth` text do not stand any more; `null` where all do. */
type Test = (said: Prose, nth: number) => ((sentence: string, at: number) => boolean) | null;

/**
 * The agent's texts without the sentences that do not stand: its assent to what the user took back, what it proposed and the user
 * refused, causes and proposals that a later message denies.
 */
export function standingProse(state: SessionState): SessionState["prose"] {
	const tests = [isTakenBack(state), isRefused(state), isDenied(state)];
	return state.prose.flatMap((one, nth) => {
		const own = tests.flatMap((test) => test(one, nth) ?? []);
		const spans = own.length > 0 ? sentenceSpans(one.text) : [];
		const left = spans.filter(({ start, end }, at) => own.some((isGone) => isGone(one.text.slice(start, end), at)));
		if (left.length === 0) return [one];
		const text = left.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), one.text);
		return text.trim() ? [{ ...one, text }] : [];
	});
}

/** It speaks of what the user had said and took back behind it. */
function isTakenBack(state: SessionState): Test {
	const gone = [...withdrawalsOf(state)].flatMap(([{ order: from }, taken]) =>
		taken.map(({ directive, later }) => ({ from, to: later.order, words: subjectOf(directive) })),
	);
	return ({ order }) => {
		const own = gone.filter(({ from, to, words }) => order >= from && order < to && words.length > 1);
		if (own.length === 0) return null;
		return (sentence) => {
			const held = new Set(tellingWords(sentence));
			return own.some(({ words }) => words.filter((word) => held.has(word)).length >= words.length * MOST_OF);
		};
	};
}
const MOST_OF = 0.6;

/**
 * The user said no to the text, or to a call or plan behind it: no proposal and no question of it stands, nor what follows the first of
 * them, of a call the last; where it has none, a no means all of it.
 */
function isRefused({ prose, messages, decisions }: SessionState): Test {
	const refused = new Map<Prose, number>();
	const isOpen = (sentence: string): boolean => proposes(sentence) || isQuestion(sentence);
	const refuse = (order: number, since: number, isAll: boolean): void => {
		const last = prose.findLast((one) => one.order < order);
		if (!last || last.order < since) return;
		const sentences = sentencesOf(last.text);
		// a call is announced at the end; what was found stands before that
		const from = isAll ? Math.max(0, sentences.findIndex(isOpen)) : sentences.findLastIndex(isOpen);
		if (from >= 0) refused.set(last, Math.min(from, refused.get(last) ?? from));
	};
	for (const [i, { text, order, source }] of messages.entries())
		if (source !== "command" && REFUSAL.test(straight(text.slice(0, 60))))
			refuse(order, messages[i - 1]?.order ?? 0, true);
	for (const { kind, order } of decisions) if (/^(?:plan )?rejected$/.test(kind)) refuse(order, 0, false);
	return (said) => {
		const from = refused.get(said);
		return from === undefined ? null : (sentence, at) => at >= from || isOpen(sentence);
	};
}
const REFUSAL = new RegExp(`^\\P{L}*(?:(?:${wordsFor(REFUSES)})(?!\\p{L})|${wordsFor(REFUSES_UNSPACED)})`, "iu");
const PROPOSAL = new RegExp(`\\b(?:${wordsFor(PROPOSES)})\\b`, "i");
/** The same with the letters of the world, which takes eight times as long. */
const PROPOSAL_ABROAD = new RegExp(`(?<!\\p{L})(?:${wordsFor(PROPOSES)})(?!\\p{L})`, "iu");
const proposes = (text: string): boolean =>
	(/[^\x00-\x7f]/.test(straight(text)) ? PROPOSAL_ABROAD : PROPOSAL).test(straight(text));

/** Something said later denies all that it names. A cause is denied as a cause alone. */
function isDenied({ prose, messages }: SessionState): Test {
	const find = () => ({
		own: prose.flatMap(({ text }, n) => denialsIn(text).map((denial) => ({ ...denial, n, least: 2 }))).slice(-MOST),
		users: messages
			.filter(({ source, text }) => source !== "command" && text.length <= MAX_DENYING)
			.flatMap(({ text, order }) => denialsIn(text).map((denial) => ({ ...denial, order, least: 1 })))
			.slice(-MOST),
	});
	let denials: ReturnType<typeof find> | undefined;
	return ({ text, order }, nth) => {
		if (!CAUSE.test(text) && !proposes(text)) return null;
		denials ??= find();
		const { own, users } = denials;
		const later = [...users.filter((one) => one.order > order), ...own.filter(({ n }) => n > nth)];
		const beside = own.filter(({ n }) => n === nth);
		if (later.length + beside.length === 0) return null;
		return (sentence, at) => {
			const isProposal = proposes(sentence);
			if (!isProposal && !CAUSE.test(sentence)) return false;
			const held = clausesOf(sentence).map((clause) => named(clause.split(AGAINST, 1)[0]!));
			return [...later, ...beside.filter((one) => one.at > at)].some(
				({ words, isOfCause, least }) =>
					(isProposal || isOfCause) &&
					words.length >= (isOfCause ? 1 : least) &&
					held.some((one) => isMost(words, one)),
			);
		};
	};
}

/** A clause that names far more than a denial does is about something else. */
const isMost = (words: readonly string[], held: readonly string[]): boolean =>
	words.length >= held.length / 4 && words.every((word) => held.includes(word));
/** From here on a clause says no itself: it agrees with a denial of that. */
const AGAINST = new RegExp(`${NEGATED.source}|\\b(?:${wordsFor(INSTEAD_OF)})`, "i");
const clausesOf = (sentence: string): string[] => straight(sentence).split(/[,;:!–—]\s|\b(?:but|because|since)\b/);

/** The clauses of a text that say no to something, with what they name. */
const denialsIn = (text: string) =>
	(DENIES.test(text) ? sentencesOf(text) : []).flatMap((sentence, at) =>
		(DENIES.test(sentence) ? clausesOf(sentence) : [])
			.filter((clause) => wordsOf(clause).some((word) => DENIAL.test(word)) || REFUTED.test(clause))
			.map((clause) => ({ at, isOfCause: CAUSE.test(clause) || IS_NOT.test(clause), words: named(clause) })),
	);
/** A glance, before a text is taken apart: a sign of each word by which a sentence denies. */
const DENIES =
	/\bno|\bnever|n['’]t\b|dont|cannot|without|avoid|forbid|prohibit|instead|refus|reject|wrong|false|disproved|refuted|ruled out|red herring/i;
const REFUTED = /\b(?:wrong|false|disproved|refuted|ruled out|red herring)\b/i;
/** A longer message of the user's tells more than it denies; and of all that was denied the last. */
const [MAX_DENYING, MOST] = [2_000, 400];
const CAUSE = /\b(?:causes?d?|reasons?|culprit|problem|issue|bug|fault|because|due to|suspect\w*|theory)\b/i;
/** "It was not the …". */
const IS_NOT = /\b(?:it|that|this)(?:'s| is| was) not\b|\b(?:it|that|this) (?:isn't|wasn't)\b/i;
const GENERIC = new Set(
	tellingWords(
		"root cause caused reason culprit problem issue bug fault suspected theory wrong false refuted disproved ruled herring red",
	),
);
/** ("it's" names nothing) */
const named = (clause: string): string[] =>
	subjectOf(clause).filter((word) => !GENERIC.has(word) && !word.includes("'"));
