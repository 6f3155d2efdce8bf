import { PROPOSES, REFUSES, REFUSES_UNSPACED, wordsFor } from "../text/acts.ts";
import { DENIAL, tellingWords, wordsOf } from "../text/telling-words.ts";
import { straight } from "../text/text.ts";
import { isQuestion } from "./directives.ts";
import { sentencesOf } from "./sentences.ts";
import { oncePer, type SessionState } from "./session-state.ts";
import { subjectOf, withdrawalsOf } from "./withdrawals.ts";

type Prose = SessionState["prose"][number];
/** Whether a sentence, the `at`th of the agent's `nth` text, does not stand any more. */
type IsGone = (sentence: string, said: Prose, nth: number, at: number) => boolean;

/**
 * The agent's texts without the sentences that do not stand: its assent to what the user took back, what it proposed and the user
 * refused, causes and proposals that a later message denies.
 */
export const standingProse = /* @__PURE__ */ oncePer((state: SessionState): SessionState["prose"] => {
	const tests = [isTakenBack(state), isRefused(state), isDenied(state)];
	return state.prose.flatMap((one, nth) => {
		const sentences = sentencesOf(one.text);
		const left = sentences.filter((sentence, at) => tests.some((isGone) => isGone(sentence, one, nth, at)));
		const text = left.reduce((rest, sentence) => rest.split(sentence).join(""), one.text);
		return text.trim() ? [left.length > 0 ? { ...one, text } : one] : [];
	});
});

/** It speaks of what the user had said and took back behind it. */
function isTakenBack(state: SessionState): IsGone {
	const gone = [...withdrawalsOf(state)].flatMap(([{ order: from }, taken]) =>
		taken.map(({ directive, later }) => ({ from, to: later.order, words: subjectOf(directive) })),
	);
	return (sentence, { order }) =>
		gone.some(({ from, to, words }) => {
			if (order < from || order >= to || words.length < 2) return false;
			const held = new Set(tellingWords(sentence));
			return words.filter((word) => held.has(word)).length >= words.length * MOST_OF;
		});
}
const MOST_OF = 0.6;

/**
 * The user said no to the text, or to a call or plan behind it: from its first proposal or question on it does not stand; where it has
 * none, a no means all of it.
 */
function isRefused({ prose, messages, decisions }: SessionState): IsGone {
	const from = new Map<Prose, number>();
	const refuse = (order: number, isAll: boolean): void => {
		const last = prose.findLast((one) => one.order < order);
		if (!last) return;
		const first = sentencesOf(last.text).findIndex((one) => proposes(one) || isQuestion(one));
		if (first >= 0 || isAll) from.set(last, Math.max(0, first));
	};
	for (const { text, order, source } of messages)
		if (source !== "command" && REFUSAL.test(straight(text.slice(0, 60)))) refuse(order, true);
	for (const { kind, order } of decisions) if (/^(?:plan )?rejected$/.test(kind)) refuse(order, false);
	return (_, one, __, at) => at >= (from.get(one) ?? Infinity);
}
const REFUSAL = new RegExp(`^\\P{L}*(?:(?:${wordsFor(REFUSES)})(?!\\p{L})|${wordsFor(REFUSES_UNSPACED)})`, "iu");
const PROPOSAL = new RegExp(`(?<!\\p{L})(?:${wordsFor(PROPOSES)})(?!\\p{L})`, "iu");
const proposes = (sentence: string): boolean => PROPOSAL.test(straight(sentence));

/** Something said later denies all that it names. A cause is denied as a cause alone. */
function isDenied({ prose, messages }: SessionState): IsGone {
	const own = prose.map(({ text }) => denialsIn(text));
	const users = messages
		.filter(({ source, text }) => source !== "command" && text.length <= MAX_DENYING)
		.map(({ text, order }) => ({ order, denials: denialsIn(text) }));
	return (sentence, { order }, nth, at) => {
		const isProposal = proposes(sentence);
		if (!isProposal && !CAUSE.test(sentence)) return false;
		const held = new Set(tellingWords(sentence));
		const denies =
			(least: number) =>
			({ words, isOfCause }: Denial): boolean =>
				(isProposal || isOfCause) && words.length >= (isOfCause ? 1 : least) && words.every((word) => held.has(word));
		return (
			users.some((one) => one.order > order && one.denials.some(denies(1))) ||
			own.some((denials, n) => n >= nth && denials.some((one) => (n > nth || one.at > at) && denies(2)(one)))
		);
	};
}

type Denial = ReturnType<typeof denialsIn>[number];

/** The clauses of a text that say no to something, with what they name. */
const denialsIn = (text: string) =>
	sentencesOf(text).flatMap((sentence, at) =>
		straight(sentence)
			.split(/[,;:!–—]\s|\b(?:but|because|since)\b/)
			.filter((clause) => wordsOf(clause).some((word) => DENIAL.test(word)) || REFUTED.test(clause))
			.map((clause) => ({ at, isOfCause: CAUSE.test(clause) || IS_NOT.test(clause), words: named(clause) })),
	);
const REFUTED = /\b(?:wrong|false|disproved|refuted|ruled out|red herring)\b/i;
/** A longer message of the user's tells more than it denies. */
const MAX_DENYING = 2_000;
const CAUSE = /\b(?:causes?d?|reasons?|culprit|problem|issue|bug|fault|because|due to|suspect\w*|theory)\b/i;
/** "It was not the …". */
const IS_NOT = /\b(?:it|that|this)(?:'s| is| was) not\b|\b(?:it|that|this) (?:isn't|wasn't)\b/i;
const GENERIC = new Set(
	tellingWords(
		"root cause caused reason culprit problem issue bug fault suspected theory wrong false refuted disproved ruled herring red",
	),
);
const named = (clause: string): string[] => subjectOf(clause).filter((word) => !GENERIC.has(word));
