import {
	ENDED,
	FORGET,
	IGNORE,
	IGNORE_UNSPACED,
	INSTEAD_OF,
	KEEP,
	PLEASE,
	REVISES,
	THAT,
	wordsFor,
} from "../text/acts.ts";
import { normalised, straight } from "../text/text.ts";
import { ownText, withoutQuotations } from "./own-text.ts";
import { sentencesOf } from "./sentences.ts";

/** Whether a sentence takes back something, whatever that is. */
export const retracts = (sentence: string): boolean => actOf(plain(sentence)) !== null;

/** Where it does, with what stands for the act: behind it stands what it names. */
function actOf(line: string): RegExpExecArray | null {
	const act = RETRACTS.exec(line);
	const before = line.slice(0, act?.index);
	return !act || NEGATED.test(before) || OTHERS.test(before) || act[0].startsWith(":") ? null : act;
}

/** The same where the name stands before it. */
function endOf(line: string): RegExpExecArray | null {
	const act = ENDS.exec(line);
	return act && !OTHERS.test(line.slice(0, act.index)) ? act : null;
}

/** The beginning of a sentence that may correct the one right before. */
const DOUBTS = /^(?<doubts>actually|wait|sorry|hm+|no)(?:[,.:;–— ]+(?:no|wait))?[,.:;–— ]+/;

/** What is to be kept, where what stands behind an act begins so: "never mind, keep the … rule". */
export const keptIn = (text: string): string | undefined =>
	KEEPS.exec(text)
		?.input.replace(KEEPS, "")
		.split(/[,;:.!–—]/, 1)[0];
const KEEPS = new RegExp(
	`^[\\s,;:.!–—-]*(?:(?:and|just|please|then|do|we|let's) ){0,3}(?:${wordsFor(KEEP)})(?!\\p{L})`,
	"iu",
);

/** Acts that take back what was said, told to the agent at the beginning of a clause: behind them stands what they name. */
const RETRACTS = new RegExp(
	[
		"(?:^|[,;:.!–—] ?|- )(?:(?:(?:no|yes|oh|hm+|sorry|well),|ok(?:ay)?,?|just|now|so|and|but|actually|also|then|you can|you may|(?:we|i) can|let's|",
		wordsFor(PLEASE),
		") ){0,4}(?:(?<act>never ?mind|scratch|forget|i take back|i take (?=(?:that|it) back)|",
		`${wordsFor(FORGET)})|`,
		`(?<revises>(?:${wordsFor(REVISES)})(?= *(?:[,;:.!–—-]|$)))|(?<ignores>${wordsFor(IGNORE)})|(?<ends>(?:we|i|you) no longer (?:need|have to|want)))`,
		"(?![\\p{L}\\p{N}-])(?! *(?:not|never|nicht|nie|pas|jamais)\\b)",
		`|^[^不别別勿没沒]*(?:${IGNORE_UNSPACED.zh})|${IGNORE_UNSPACED.ja}`,
	].join(""),
	"iu",
);
const ENDS = new RegExp(`(?<!\\p{L})(?<ended>${wordsFor(ENDED)})(?!\\p{L})`, "iu");
/** The same where something else takes its place. */
const INSTEAD = new RegExp(`(?<instead>(?<!\\p{L})(?:${wordsFor(INSTEAD_OF)})(?![\\p{L}-])|而不是)`, "iu");
/** A negation before an act leaves what was said as it is. */
export const NEGATED = /\b(?:never|not|\w+n't|without)\b(?! ?mind)/i;
/** Before an act: it is told what somebody else said. So may what stands behind a colon. */
const OTHERS = /\b(?:says?|said|tells?|told|wr(?:ites?|ote)|asks?|asked|suggest(?:s|ed)?|according to)\b/i;

export const isAsked = (text: string): boolean => text.includes("?") || text.includes("？");
export const plain = (text: string): string => normalised(straight(withoutQuotations(text)));

/** Taking back is short; what is longer is a paste or a new task. */
const MAX_MESSAGE = 600;
const MAX_SENTENCE = 240;

/** The sentences of a short message, without what was pasted. */
export const ownSentences = (text: string): string[] => (text.length <= MAX_MESSAGE ? sentencesOf(ownText(text)) : []);

/** Whether a message takes something back that was said before. */
export const revokes = (text: string): boolean => actsIn(ownSentences(text)).length > 0;

/** A sentence that takes something back; `rest` is what stands behind its act, `next` the sentence behind it. */
export type Act = ReturnType<typeof actsIn>[number];

export function actsIn(sentences: readonly string[]) {
	return sentences.flatMap((sentence, at) => {
		const line = plain(sentence);
		if (line.length > MAX_SENTENCE || isAsked(line) || LIMITED.test(line)) return [];
		const found = actOf(line) ?? endOf(line) ?? INSTEAD.exec(line) ?? DOUBTS.exec(line);
		if (!found) return [];
		const { 0: told, index, groups = {} } = found;
		const rest = groups.ended ? line.slice(0, index) : line.slice(index + told.length);
		const isPointing = !!groups.revises || POINTS.test(rest) || LAST.test(rest);
		return [{ sentence, line, rest, groups, isPointing, next: sentences[at + 1] ?? "" }];
	});
}

/** A limit in time or to a part leaves what was said as it is. */
const LIMITED =
	/\bfor (?:now|once|today|a |the (?:moment|time)|this )|\b(?:today|this time|until|unless|except|otherwise)\b/i;
/** Points at the message before; the second at all of it. */
export const POINTS = new RegExp(
	`^\\P{L}*(?:about )?(?:(?:${wordsFor(THAT)})(?: (?:one|rule|please|entirely|back))?|(?:the|my) earlier (?:one|instruction|message|request|plan|idea))(?=[\\s.,!;:–—]|$)`,
	"iu",
);
export const LAST =
	/^\W*(?:about )?(?:my (?:last|previous) (?:message|instruction|request|rule)|what i (?:just )?said)\W*$/i;
