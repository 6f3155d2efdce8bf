import type * as z from "zod/mini";
import type { SessionState } from "../state/session-state.ts";
import { cut, oneLine } from "../text/text.ts";
import { type Asked, inventedApprovals } from "./claims/approvals.ts";
import { type Ranked, unsupportedDeeds } from "./claims/deeds.ts";
import { inventedQuotes } from "./claims/quotes.ts";
import { type SaidWords, saidWords } from "./claims/same-words.ts";
import type * as stored from "./stored-shapes.ts";

/** Something a summary says of the user or of the work that the session's record does not bear out. */
export type Claim = z.infer<typeof stored.claim>;

const MAX_CLAIMS = 5;
const CUT = /\[…\d+ more characters\]$/;

/**
 * What a summary says without support in the record: quotations and approvals of the user's, and things said to be done. The worst
 * first, five at most. Doubt is cheap and a wrong accusation is not: of the user is judged only what was read whole.
 */
export function claimsIn(summary: string, state: SessionState): Claim[] {
	const { decisions, dropped, partial, unheard } = state;
	const isWhole =
		!partial &&
		!unheard &&
		!dropped.messages &&
		!dropped.decisions &&
		!decisions.some(({ words, subject }) => CUT.test(words) || CUT.test(subject));
	const others = [
		state.plan?.text ?? "",
		state.lastSaid,
		...state.questions.map(({ text }) => text),
		...state.tasks.map(({ subject }) => subject),
	];
	return worstFirst([...unsupportedDeeds(summary, state), ...ofUser(summary, { ...state, others, isWhole })]);
}

/** `others`: texts that are not the user's; who quotes them took them for the user's, but invented nothing. */
interface Record extends Asked {
	others: readonly string[];
	isWhole: boolean;
}

function ofUser(summary: string, record: Record): Ranked[] {
	const { messages, decisions, others, isWhole } = record;
	const line = (sentence: string): string => cut(oneLine(sentence), 300);
	const canJudge = isWhole && messages.every((message) => !message.cut);
	let words: SaidWords | undefined;
	const said = (): SaidWords => {
		words ??= saidWords([
			...messages.map(({ text }) => text),
			...decisions.flatMap(({ words, subject }) => [words, subject]),
			...others,
		]);
		return words;
	};
	const quotes = canJudge ? inventedQuotes(summary, said) : [];
	return [
		...quotes.map(({ sentence, quote }) => ({
			sentence: line(sentence),
			quote,
			finding: "no message of the user says these words",
			rank: 2,
		})),
		...(isWhole ? inventedApprovals(summary, record) : []).map((sentence) => ({
			sentence: line(sentence),
			quote: "",
			finding: "no message of the user says so",
			rank: 3,
		})),
	];
}

const worstFirst = (claims: readonly Ranked[]): Claim[] =>
	[...claims]
		.sort((a, b) => a.rank - b.rank)
		.slice(0, MAX_CLAIMS)
		.map(({ rank: _, ...claim }) => claim);
