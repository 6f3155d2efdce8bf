import { ENDED, FORGET, IGNORE, IGNORE_UNSPACED, INSTEAD_OF, PLEASE, REVISES, wordsFor } from "../text/acts.ts";
import { normalised, straight } from "../text/text.ts";
import { withoutQuotations } from "./own-text.ts";

/** Whether a sentence takes back something, whatever that is. */
export const retracts = (sentence: string): boolean => actOf(plain(sentence)) !== null;

/** Where it does, with what stands for the act: behind it stands what it names. */
export function actOf(line: string): RegExpExecArray | null {
	const act = RETRACTS.exec(line);
	const before = line.slice(0, act?.index);
	return !act || NEGATED.test(before) || OTHERS.test(before) || act[0].startsWith(":") ? null : act;
}

/** The same where the name stands before it. */
export function endOf(line: string): RegExpExecArray | null {
	const act = ENDS.exec(line);
	return act && !OTHERS.test(line.slice(0, act.index)) ? act : null;
}

/** The same where something else takes its place. */
export const insteadOf = (line: string): RegExpExecArray | null => INSTEAD.exec(line);

/** The beginning of a sentence that may correct the one right before. */
export const doubtOf = (line: string): RegExpExecArray | null => DOUBTS.exec(line);
const DOUBTS = /^(?<doubts>actually|wait|sorry|hm+|no)(?:[,.:;–— ]+(?:no|wait))?[,.:;–— ]+/;

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
const INSTEAD = new RegExp(`(?<instead>(?<!\\p{L})(?:${wordsFor(INSTEAD_OF)})(?![\\p{L}-])|而不是)`, "iu");
/** A negation before an act leaves what was said as it is. */
export const NEGATED = /\b(?:never|not|\w+n't|without)\b(?! ?mind)/i;
/** Before an act: it is told what somebody else said. So may what stands behind a colon. */
const OTHERS = /\b(?:says?|said|tells?|told|wr(?:ites?|ote)|asks?|asked|suggest(?:s|ed)?|according to)\b/i;

export const isAsked = (text: string): boolean => text.includes("?") || text.includes("？");
export const plain = (text: string): string => normalised(straight(withoutQuotations(text)));
