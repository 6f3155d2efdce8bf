import { ABOUT, IGNORE, IGNORE_UNSPACED, PLEASE, SAID_OR_RULE, SAID_OR_RULE_UNSPACED, wordsFor } from "../text/acts.ts";
import { stem, tellingWords, weightOf, wordsOf } from "../text/telling-words.ts";
import { cut, normalised, oneLine, straight } from "../text/text.ts";
import { WIDE } from "./agent-words.ts";
import { ownText, withoutQuotations } from "./own-text.ts";
import { sentencesOf } from "./sentences.ts";
import { type Message, oncePerMessage, type SessionState } from "./session-state.ts";

/** A directive that the user took back later, and the sentence that did. */
export interface Withdrawal {
	directive: string;
	by: string;
}

/** Acts that take back what was said, told to the agent at the beginning of a clause: behind them stands what they name. */
const RETRACTS = new RegExp(
	[
		"(?:^|[,;:.!–—] ?|- )(?:(?:(?:no|yes|oh|hm+|sorry|well),|ok(?:ay)?,?|just|now|so|and|but|actually|also|then|you can|you may|(?:we|i) can|let's|",
		wordsFor(PLEASE),
		") ){0,4}(?:(?<act>never ?mind|scratch|forget|i take back|i take (?=(?:that|it) back)|i(?:'ve)? changed my mind)|",
		`(?<ignores>${wordsFor(IGNORE)})|(?<ends>(?:we|i|you) no longer (?:need|have to|want)))`,
		"(?![\\p{L}\\p{N}-])(?! *(?:not|never|nicht|nie|pas|jamais)\\b)",
		`|^[^不别別勿没沒]*(?:${IGNORE_UNSPACED.zh})|${IGNORE_UNSPACED.ja}`,
	].join(""),
	"iu",
);
/** A negation before an act; a limit in time or to a part: both leave what was said as it is. */
const NEGATED = /\b(?:never|not|\w+n't|without)\b(?! ?mind)/i;
/** Before an act: it is told what somebody else said. So may what stands behind a colon. */
const OTHERS = /\b(?:says?|said|tells?|told|wr(?:ites?|ote)|asks?|asked|suggest(?:s|ed)?|according to)\b/i;
const LIMITED =
	/\bfor (?:now|once|today|a |the (?:moment|time)|this )|\b(?:today|this time|until|unless|except|otherwise)\b/i;
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
/** Points at the message before; the second at all of it. */
const POINTS = /^\W*(?:about )?(?:that|it|this)(?: (?:one|rule|please|entirely|back))?(?=[\s.,!;:]|$)/i;
const LAST = /^\W*(?:about )?(?:my (?:last|previous) (?:message|instruction|request|rule)|what i (?:just )?said)\W*$/i;
const ALL = /\b(?:everything|anything|all|both)\b/i;

/** Taking back is short; what is longer is a paste or a new task. */
const MAX_MESSAGE = 600;
const MAX_SENTENCE = 240;
/** How many of the last directives are looked at: what stands for long is taken back late. */
const REACH = 1_000;

type Rule = ReturnType<typeof readingOf>["rules"][number] & { by?: { message: Message; sentence: string } };

/** A sentence that takes something back; `rest` is what stands behind its act, `next` the sentence behind it. */
type Act = ReturnType<typeof actsIn>[number];

/** Whether a sentence takes back something, whatever that is. */
export const retracts = (sentence: string): boolean => actOf(plain(sentence)) !== null;

function actOf(line: string): RegExpExecArray | null {
	const act = RETRACTS.exec(line);
	if (!act) return null;
	const before = line.slice(0, act.index);
	return NEGATED.test(before) || OTHERS.test(before) || act[0].startsWith(":") ? null : act;
}

/**
 * Of each message the directives that the user took back later, with the sentence that says so. One counts only for what it names: by
 * the words of one rule alone, or as the message right before it. A permission, an exception or the opposite may be meant for once: what
 * is not said to be taken back is left to who reads both.
 */
export function withdrawalsOf({
	messages,
	prose,
}: Pick<SessionState, "messages" | "prose">): Map<Message, Withdrawal[]> {
	const all: Rule[] = [];
	let before: Message | undefined;
	for (const message of messages) {
		if (message.source === "command") continue;
		const { acts, rules } = readingOf(message);
		for (const act of acts) {
			const standing = all.slice(-REACH).filter(({ by }) => !by);
			const last = standing.filter((rule) => rule.message === before);
			for (const rule of named(act, standing, last, () => asksAfter(before, message, prose))) {
				rule.by = { message, sentence: act.sentence };
				// what took back is taken back itself: what it took stands again
				for (const one of all)
					if (one.by?.message === rule.message && one.by.sentence === rule.directive) delete one.by;
			}
		}
		all.push(...rules.map((rule) => ({ ...rule })));
		before = message;
	}
	const found = new Map<Message, Withdrawal[]>();
	for (const { message, directive, by } of all) {
		if (!by) continue;
		const withdrawal = { directive, by: cut(oneLine(by.sentence), 160) };
		found.set(message, [...(found.get(message) ?? []), withdrawal]);
	}
	return found;
}

/** Asked for several times of each message. */
const readingOf = oncePerMessage((message) => ({
	acts: message.text.length <= MAX_MESSAGE ? actsIn(message.text) : [],
	rules: message.directives.map((directive) => {
		const line = plain(directive);
		return { message, directive, words: tellingWords(line), retracts: retracts(line) };
	}),
}));

function actsIn(text: string) {
	const sentences = sentencesOf(ownText(text));
	return sentences.flatMap((sentence, at) => {
		const line = plain(sentence);
		const act = line.length > MAX_SENTENCE || isAsked(line) || LIMITED.test(line) ? null : actOf(line);
		if (!act) return [];
		const rest = line.slice(act.index + act[0].length);
		return [{ sentence, line, rest, groups: act.groups ?? {}, next: sentences[at + 1] ?? "" }];
	});
}

/** The agent asked something behind a message: what the next one points at may be that. */
const asksAfter = (before: Message | undefined, message: Message, prose: SessionState["prose"]): boolean =>
	prose.some(
		({ order, text }) => before && order >= before.order && order < message.order && isAsked(text.slice(-400)),
	);

function named(act: Act, standing: Rule[], last: Rule[], isAsked: () => boolean): Rule[] {
	if (LAST.test(act.rest)) return last;
	if (POINTS.test(act.rest)) return isAsked() ? [] : pointed(last, act);
	return about(standing, act);
}

/** "Scratch that": the one rule of the message right before, when nothing else can be meant. */
function pointed(last: readonly Rule[], { rest, next, groups }: Act): Rule[] {
	const [rule] = last;
	if (!rule || last.length > 1) return [];
	const behind = rest.replace(POINTS, "");
	const noun = /^\s+[^,;:.!–—]+/.exec(behind)?.[0] ?? "";
	if (!subjectOf(noun).every((word) => holds(rule, word))) return [];
	const words = subjectOf(behind);
	if (words.length === 0 && groups.ignores) return next ? [] : [rule];
	const instead = groups.act ? INSTEAD.exec(words.length ? behind : next) : null;
	if (instead) return !instead[1] || wordsOf(rule.directive).includes(instead[1].toLowerCase()) ? [rule] : [];
	return words.length === 0 || words.some((word) => holds(rule, word)) ? [rule] : [];
}
/** Something in the place of a rule says the same verb. */
const INSTEAD =
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

const areOne = (rules: readonly Rule[]): boolean =>
	new Set(rules.map(({ words }) => [...words].sort().join(" "))).size === 1;

const subjectOf = (text: string): string[] => tellingWords(text).filter((word) => !META.has(word));
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

export const isAsked = (text: string): boolean => text.includes("?") || text.includes("？");
const plain = (text: string): string => normalised(straight(withoutQuotations(text)));
