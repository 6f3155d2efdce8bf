import { straight } from "../text/text.ts";
import words from "./directives.json";
import { ownText, withoutQuotations } from "./own-text.ts";
import { sentencesOf } from "./sentences.ts";
import { isAsked, retracts } from "./taking-back.ts";

/**
 * The sentences of a message in which the user demands, forbids allows, prefers or takes back something, verbatim,
 * in order. What no rule knows is still a message, and comes back as one. What was pasted or quoted is passed over.
 */
export function directivesOf(text: string): string[] {
	return sentencesOf(ownText(text)).filter((one) => one.length > 3 && one.length < MAX && isRule(one));
}

/** Sentences that may direct: wider, for what must not be cut out of a long message. */
export function mayDirect(sentence: string): boolean {
	const line = straight(sentence);
	return isWide(line) || isAbroad(line);
}

/**
 * How firmly a directive stands for the work to come: 2 what holds always or everywhere, 1 what may be meant for longer, 0 a request
 * of the moment.
 */
export function standingStrength(directive: string): 0 | 1 | 2 {
	if (retracts(directive)) return 1;
	const line = straight(directive);
	if (isOfTheMoment(line)) return 0;
	if (holdsAlways(line) || isAbroad(line)) return 2;
	return mayStand(line) ? 1 : 0;
}

const MAX = 700;

function isRule(sentence: string): boolean {
	const line = straight(withoutQuotations(sentence));
	if (retracts(line) && !isAsked(line)) return true;
	// remarks of the moment whose words look like a rule's
	const rest = withoutRemarks(line);
	if (rest !== line) return isEnglishRule(rest);
	if (isQuestion(line) && !POLITE.test(line)) return false;
	return isEnglishRule(line) || isShortRule(line) || isAbroad(line);
}

export const isQuestion = (line: string): boolean => /[?？؟]["'”’)\]*_`]*\s*$/.test(line);
const POLITE = /\b(?:please|bitte|por favor|s'il (?:te|vous)|пожалуйста)\b/iu;

/** Rules without a word of rules: "pnpm, not npm!", "No emojis.", "prod is off", "tabs over spaces". */
const isShortRule = (line: string): boolean => SHORT_RULES.some((one) => one.test(line));
const SHORT_RULES = [
	/(?:^|:\s)(?:[-*•]\s+)?(?:no|zero|not a single)\s+[\p{L}\d`"][^?]{1,80}$|[,;–—-]\s*(?:not|never|no)\s+\S[^?]{0,80}$/iu,
	/\bis (?:off|taboo|sacred|untouchable)\b|^\S{2,40} (?:over|beats|>) \S{2,40}[.!]?$/i,
	/(?:^(?:use|write|name|call|format|target)|(?:^|:\s)(?:answer|reply|respond|speak|keep)) [^?]{2,160}[.!]?$/i,
];

/**
 * Takes the phrases of `directives.json` out of a line; their patterns are made when they are first asked for. There `|` stands
 * between phrases and within `( )`, `*` for a word or what is left of one, `#` for a number, `…` for up to 60 characters of the
 * sentence. What is unspaced may stand inside of a word. For a line of ASCII alone the pattern has no letters of the world, and is
 * made in a sixth of the time: most sessions meet no other line.
 */
function without(spaced: string, unspaced = ""): (line: string) => string {
	const made = new Map<string, RegExp>();
	const patternOf = (letters: string): RegExp => {
		const forms = spaced.replace(/\((?!\?)|[…*#]/g, (sign) => SIGNS[sign]!.replaceAll("LETTERS", letters));
		const source = `(?<![${letters}])(?:${forms})(?![${letters}])`;
		return letters === ASCII
			? new RegExp(source, "gi")
			: new RegExp(unspaced ? `${source}|${unspaced}` : source, "giu");
	};
	return (line) => {
		const letters = /^[\x00-\x7f]*$/.test(line) ? ASCII : "\\p{L}\\p{N}";
		const pattern = made.get(letters) ?? patternOf(letters);
		made.set(letters, pattern);
		return line.replace(pattern, " ");
	};
}
const ASCII = "A-Za-z0-9";
const SIGNS: Record<string, string> = { "(": "(?:", "…": "[^.?!]{1,60}?", "*": "[LETTERS]+", "#": "\\d[LETTERS]*" };

function says(...phrases: Parameters<typeof without>): (line: string) => boolean {
	const cut = without(...phrases);
	return (line) => cut(line) !== line;
}
const isOfTheMoment = says(words.moment);
const holdsAlways = says(words.always);
const mayStand = says(words.standing);
const withoutRemarks = without(words.remarks);
const isEnglishRule = says(words.english);
const isWide = says(words.wide);
const isAbroad = says(words.abroad, words.unspaced);
