import { ABOUT, EVERYTHING, SAID_OR_RULE, SAID_OR_RULE_UNSPACED, wordsFor } from "../text/acts.ts";
import { stem, tellingWords, weightOf, wordsOf } from "../text/telling-words.ts";
import { cut, oneLine } from "../text/text.ts";
import { WIDE } from "./agent-words.ts";
import { standingStrength } from "./directives.ts";
import { type Decision, type Message, oncePer, type SessionState } from "./session-state.ts";
import {
	type Act,
	actsIn,
	isAsked,
	keptIn,
	LAST,
	NEGATED,
	ownSentences,
	POINTS,
	plain,
	retracts,
} from "./taking-back.ts";

/** A sentence of the user's that they took back later, and the sentence and message that did. */
export interface Withdrawal {
	directive: string;
	by: string;
	later: Message;
	/** Everything was taken back at once: what was meant of it is for who reads both. */
	isAll: boolean;
}

/** It is words or a rule that are meant. */
const SPOKEN = new RegExp(
	[
		"\\b(?:what|everything|anything|all|things?|stuff|part)\\b[^.!?]{0,30}\\b(?:said|told|asked|wanted|wrote)\\b|\\b(?:thing|stuff|part|point|mind) about\\b|",
		"\\b(?:rule|instruction|request)\\b|\\bmy [^.!?]{0,30}(?:rules|instructions|requests)\\b|",
		`(?<!\\p{L})(?:${wordsFor(SAID_OR_RULE)})(?!\\p{L})|${wordsFor(SAID_OR_RULE_UNSPACED)}`,
	].join(""),
	"iu",
);
/** Of what they name, the words that only say that it was said. */
const META = new Set(wordsFor(ABOUT).split("|").map(stem));
const ALL = new RegExp(`(?<!\\p{L})(?:${wordsFor(EVERYTHING)}|both)(?!\\p{L})`, "iu");

/** How many of the last directives are looked at: what stands for long is taken back late. */
const REACH = 1_000;

type Said = Message | Decision;
type Rule = ReturnType<typeof rulesOf>[number] & { by?: { message: Message; sentence: string; isAll: boolean } };

/**
 * Of each message the sentences that the user took back later, with the one that says so. One counts only for what it names: by the
 * words of one rule alone, or as the message right before it. A permission, an exception or the opposite may be meant for once: what
 * is not said to be taken back is left to who reads both.
 */
export function withdrawalsOf({ messages, decisions, prose }: Spoken): Map<Said, Withdrawal[]> {
	if (!messages.some(({ revokes }) => revokes)) return new Map();
	const all: Rule[] = [];
	let before: Said | undefined;
	const said = [...messages.filter(({ source }) => source !== "command"), ...decisions.filter(isAnswer)];
	for (const message of said.toSorted((a, b) => a.order - b.order)) {
		if (!("text" in message)) {
			all.push(...rulesOf(message, message.words ? [message.words] : [], []));
			before = message;
			continue;
		}
		const { acts, rules, isAnew } = readingOf(message);
		for (const act of acts) {
			if (restored(act, all, before, message)) continue;
			const standing = all.slice(-REACH).filter(({ by }) => !by || by.isAll);
			const last = standing.filter((rule) => rule.message === before);
			const isAll = meansAll(act);
			const mayBeMeant = (): Rule[] => {
				if (!asksAfter(before, message, prose)) return last;
				return isAnew ? last.filter(isOfTheWork) : [];
			};
			const taken = isAll ? standing.filter(isOfTheWork) : named(act, standing, last, mayBeMeant);
			for (const rule of taken) {
				rule.by = { message, sentence: act.sentence, isAll };
				// what took back is taken back itself: what it took stands again
				for (const one of isAnew ? [] : all)
					if (one.by?.message === rule.message && (act.isPointing || one.by.sentence === rule.directive)) delete one.by;
			}
		}
		all.push(...rules.map((rule) => ({ ...rule })));
		before = message;
	}
	const found = new Map<Said, Withdrawal[]>();
	for (const { message, directive, by } of all) {
		if (!by) continue;
		const withdrawal = { directive, by: cut(oneLine(by.sentence), 160), later: by.message, isAll: by.isAll };
		found.set(message, [...(found.get(message) ?? []), withdrawal]);
	}
	return found;
}

/**
 * "Never mind, keep the … rule": what was taken back of it stands again, and what took back nothing else does not. Behind a message that
 * put something in its place "leave it" may mean either, and changes nothing.
 */
function restored({ rest, next, sentence }: Act, all: Rule[], before: Said | undefined, message: Message): boolean {
	const kept = keptIn(rest) ?? (/\p{L}/u.test(rest) ? undefined : keptIn(next));
	if (kept === undefined) return false;
	const words = subjectOf(kept);
	const isBare = words.length === 0 && before !== undefined && "text" in before && onlyTakesBack(before);
	const isMeant = (rule: Rule): boolean =>
		words.length > 0 ? words.every((word) => holds(rule, word)) : isBare && rule.by?.message === before;
	const back = all.filter((rule) => rule.by && isMeant(rule));
	const acts = back.map((rule) => rule.by!);
	for (const rule of back) delete rule.by;
	for (const by of acts) {
		if (all.some((one) => one.by?.message === by.message && one.by.sentence === by.sentence)) continue;
		const taking = all.filter((one) => one.message === by.message && one.directive === by.sentence);
		for (const one of taking) one.by = { message, sentence, isAll: false };
	}
	return back.length > 0 || words.length === 0;
}

type Spoken = Pick<SessionState, "messages" | "decisions" | "prose">;

/** Something was said with it, or "that" may mean it: a plan, an answer, the reason of a refusal. */
const isAnswer = ({ kind, words }: Decision): boolean =>
	/^(?:answer|plan)/.test(kind) || (kind === "rejected" && words !== "");

/** Of all that a message lays down nothing is left. */
export const isTakenWhole = (message: Message, taken: readonly Withdrawal[]): boolean =>
	readingOf(message).rules.every(
		(rule) => !rule.says || taken.some(({ directive, isAll }) => !isAll && directive === rule.directive),
	);

/** It says nothing but that something is taken back. */
export const onlyTakesBack = (message: Message): boolean =>
	readingOf(message).acts.length > 0 && !readingOf(message).isAnew;

/**
 * What a message takes back, and what it lays down: of a short one every sentence that says something. `isAnew`: it puts something in
 * the place of what it takes back. Asked for several times of each message.
 */
const readingOf = oncePer((message: Message) => {
	const sentences = ownSentences(message.text);
	const acts = message.revokes ? actsIn(sentences) : [];
	const said = sentences.filter((one) => !isAsked(one) && subjectOf(one).length > 0);
	const rules = rulesOf(message, [...new Set([...said, ...message.directives])], message.directives);
	const isAnew =
		rules.some(({ retracts }) => !retracts) ||
		acts.some(({ rest, isPointing }) => isPointing && subjectOf(rest.replace(POINTS, "")).length > 0);
	return { acts, rules, isAnew };
});

const rulesOf = (message: Said, sentences: readonly string[], directives: readonly string[]) =>
	sentences.map((directive) => {
		const line = plain(directive);
		const isAct = retracts(line);
		const says = !isAct || subjectOf(directive).length > 0;
		const isRule = directives.includes(directive);
		return { message, directive, isRule, words: tellingWords(line), retracts: isAct, says };
	});

/** "Scratch all of this", and nothing that it names. */
const meansAll = ({ rest, groups }: Act): boolean =>
	Boolean(groups.act || groups.ignores) &&
	ALL.test(rest.slice(0, 20)) &&
	subjectOf(rest.split(/[,;:.!–—]/, 1)[0]!).length === 0;

/** A rule for longer is not meant where a plan is dropped. */
const isOfTheWork = ({ isRule, retracts, directive }: Rule): boolean =>
	!isRule || retracts || standingStrength(directive) === 0;

/** The agent asked something behind a message: what the next one points at may be that. */
const asksAfter = (before: Said | undefined, message: Message, prose: SessionState["prose"]): boolean =>
	prose.some(
		({ order, text }) => before && order >= before.order && order < message.order && isAsked(text.slice(-400)),
	);

function named(act: Act, standing: Rule[], last: Rule[], mayBeMeant: () => Rule[]): Rule[] {
	const { ended, instead, revises, doubts } = act.groups;
	if (LAST.test(act.rest)) return last;
	if (revises || doubts) return revised(last.filter(isOfTheWork), act);
	if (ended) return endedBy(standing, act);
	if (instead) return replaced(standing, act);
	if (POINTS.test(act.rest)) return pointed(mayBeMeant(), act);
	const rules = standing.filter(({ isRule }) => isRule);
	return [rules, standing].map((some) => about(some, act)).find(({ length }) => length > 0) ?? [];
}

/** "Final answer: …": what is said of one thing in the message right before. After a mere "no, …" it is the same with another object. */
function revised(last: Rule[], { rest, next, groups }: Act): Rule[] {
	const text = groups.doubts ? rest : `${rest} ${next}`;
	const words = subjectOf(text);
	const verb = CHOICE.exec(text)?.[1]?.toLowerCase();
	const isSame = (rule: Rule): boolean => {
		const names = words.some((word) => holds(rule, word));
		const does = verb !== undefined && wordsOf(rule.directive).includes(verb);
		return groups.doubts ? names && does && !ADDS.test(text) && mayBeAnew(rule, new Set(words)) : names || does;
	};
	const said = last.filter(({ says }) => says);
	const same = said.length > 1 || groups.doubts ? said.filter(isSame) : said;
	return same.length === 1 ? same : [];
}
const ADDS = /\b(?:also|too|as well)\b/;

/** "Use … instead of …": the one sentence that says it, and hardly more that is not said anew. */
function replaced(standing: Rule[], { line, rest }: Act): Rule[] {
	const words = subjectOf(rest.split(/[,;:.!–—()]/, 1)[0]!);
	const kept = new Set(tellingWords(line));
	const found = standing.filter(
		(rule) =>
			words.length > 0 &&
			standingStrength(rule.directive) < 2 &&
			words.every((word) => holds(rule, word)) &&
			mayBeAnew(rule, kept) &&
			!NEGATED.test(plain(rule.directive)),
	);
	return areOne(found) ? found : [];
}
/** Said anew with another object: nothing of it is left out, or little is and nothing but the object is new. */
const mayBeAnew = ({ words }: Rule, later: ReadonlySet<string>): boolean => {
	const missing = words.filter((word) => !later.has(word)).length;
	return missing === 0 || (missing <= 2 && later.difference(new Set(words)).size <= 1);
};

/** "The … plan is off the table": the one sentence of which it says most. */
function endedBy(standing: Rule[], { rest }: Act): Rule[] {
	const words = subjectOf(rest);
	const found = standing.filter(
		(rule) =>
			words.every((word) => holds(rule, word)) &&
			words.length >= Math.max(2, subjectOf(rule.directive).length * MOST_OF),
	);
	return areOne(found) ? found : [];
}

/** "Scratch that": the one rule of the message right before, when nothing else can be meant. */
function pointed(last: Rule[], { rest, next, groups }: Act): Rule[] {
	const [rule, ...others] = last.filter(({ says }) => says);
	if (!rule || others.length > 0) return [];
	const behind = rest.replace(POINTS, "");
	const noun = /^\s+[^,;:.!–—]+/.exec(behind)?.[0] ?? "";
	if (!subjectOf(noun).every((word) => holds(rule, word))) return [];
	if (groups.act && isOfTheWork(rule)) return [rule];
	const words = subjectOf(behind);
	if (words.length === 0 && groups.ignores) return next ? [] : [rule];
	const instead = groups.act ? CHOICE.exec(words.length ? behind : next) : null;
	if (instead) return !instead[1] || wordsOf(rule.directive).includes(instead[1].toLowerCase()) ? [rule] : [];
	return words.length === 0 || words.some((word) => holds(rule, word)) ? [rule] : [];
}
/** Something in the place of a rule says the same verb. */
const CHOICE =
	/^\W*(?:(?:we|you|i|let's|and|just|please|rather) ){0,2}(?:go with|stick (?:to|with)|(use|take|make|keep|put|call|name|write))\b/i;

/** "Forget what I said about X": the one rule of X, all of them where it says all. */
function about(standing: readonly Rule[], { line, rest, groups }: Act): Rule[] {
	const isUnspaced = WIDE.test(line);
	const clauses = isUnspaced
		? [line.replace(/[^\x00-\x7f]+/g, " ")]
		: rest.split(/[,;:.!–—]| - |\b(?:because|since|and)\b/);
	// "forget, what I said about it"
	const clause = clauses.find((one) => subjectOf(one).length > 0) ?? "";
	const words = subjectOf(clause);
	if (
		words.length === 0 ||
		!(groups.ends || SPOKEN.test(isUnspaced ? line : clause) || /\bwhat i said\W*$/i.test(rest))
	)
		return [];
	const found = standing.filter((rule) => !rule.retracts && words.every((word) => holds(rule, word)));
	return found.length === 1 || ALL.test(clauses[0]!) || areOne(found) ? found : [];
}

const MOST_OF = 0.6;

const areOne = (rules: readonly Rule[]): boolean =>
	new Set(rules.map(({ words }) => [...words].sort().join(" "))).size === 1;

/** What a text names, without the words that only say that it was said. */
export const subjectOf = (text: string): string[] => tellingWords(text).filter((word) => !META.has(word));
const holds = ({ words }: Rule, word: string): boolean => words.some((one) => isAlike(one, word));

/** The same word in another form: what differs is at most three letters at its end. */
function isAlike(one: string, other: string): boolean {
	if (one === other || one[0] !== other[0]) return one === other;
	const most = Math.max(one.length, other.length);
	let same = 0;
	while (same < most && one[same] === other[same]) same++;
	// of a name each letter counts
	return same >= 4 && same >= most - 3 && weightOf(one + other) <= 1;
}
