import { hasSaid, type SaidWords } from "./same-words.ts";

/** Quotations of one summary that are looked for in what the user said. */
const MAX_QUOTES = 200;
const MAX_SUMMARY = 60_000;
const MAX_LINE = 4_000;

/** Every kind of quotation marks; the straight ones between words are apostrophes and are none. */
const QUOTED =
	/["“„”]([^"“”„\n]{8,400})["”“]|«\s?([^»\n]{8,400}?)\s?»|»\s?([^«\n]{8,400}?)\s?«|「([^」\n]{4,400})」|『([^』\n]{4,400})』|‘([^‘\n]{8,400}?)’(?!\p{L})|[:,]\s?`([^`\n]{12,400})`/gu;

/** A sentence of a summary that puts words into the user's mouth, and the words. */
export interface InventedQuote {
	sentence: string;
	quote: string;
}

/** The quotations that a summary attributes to the user and that the user did not say. */
export function inventedQuotes(summary: string, said: () => SaidWords): InventedQuote[] {
	const found: InventedQuote[] = [];
	let quotes = 0;
	for (const line of summary.slice(0, MAX_SUMMARY).split("\n")) {
		if (!/user/i.test(line)) continue;
		for (const sentence of sentencesOf(line.slice(0, MAX_LINE))) {
			if (!/\busers?\b/i.test(sentence)) continue;
			for (const match of sentence.matchAll(QUOTED)) {
				const quote = match.slice(1).find((one) => one !== undefined)!;
				const lead = sentence.slice(Math.max(0, match.index - LEAD), match.index + (match[7] === undefined ? 0 : 1));
				if (++quotes > MAX_QUOTES) return found;
				if (!isAttributed(lead) || (match[7] !== undefined && isCode(quote))) continue;
				if (!isSaid(said(), quote)) found.push({ sentence, quote });
			}
		}
	}
	return found;
}

/** How far before a quotation its speaker is looked for. */
const LEAD = 300;
const ANY_QUOTE = /["“„«»「『‘][^"“”„«»「」『』‘\n]{0,400}["”“»«」』]/g;
const USER = /\b(?:the )?user\b/gi;
/** The user is spoken to, or another's. */
const SPOKEN_TO =
	/\b(?:told|tells?|asked|asks?|informs?|informed|shows?|showed|showing|gives?|gave|for|to|by|remind(?:s|ed)?|let|lets|of|with|from|when|if|that|current|new|every|each|any|admin|root|end|super|multi|per|test) (?:the )?$/i;
const SAYS =
	/^(?:(?: \([^)]{0,60}\))?(?: (?:then|also|again|later|explicitly|clearly|specifically|finally|just|only|has|had|first|strongly|repeatedly|directly|further|simply|initially|originally)){0,3} (?:said|says|asked|asks|wrote|writes|stated|states|requested|requests|replied|replies|answered|answers|insisted|insists|instructed|demanded|demands|noted|notes|clarified|clarifies|responded|responds|added|adds|explained|explains|told|corrected|commented|rejected|confirmed|mentioned|emphasized|emphasised|specified|reiterated|suggested|suggests|reported|reports|reminded|proposed|complained|wondered|warned|objected|repeated|pointed out))(?![\w-])(.*)$/i;
const LABEL =
	/^(?:(?:['’]s)? (?:message|messages|feedback|request|reply|answer|response|correction|question|instruction|instructions|quote|words?|comment|input|prompt|clarification)(?: \w{1,20})?)?(?: \([^)]{0,60}\)| #?\d{1,3})?[*_]{0,2} ?[:：][*_]{0,2}$/i;
const HIS_WORDS =
	/^['’]s (?:\w+ )?(?:words?|messages?|request|feedback|instructions?|reply|answer|response|correction|comment|question|clarification|statement)(?: (?:was|were|is|are|that|to))?(?: (?:to|that))?[:,]?$/i;
/** Between the verb and the quotation: nothing that brings another speaker or another thing in. */
const DIRECT =
	/^(?: (?:the|my|this|that|our) [\w-]+(?= with| by|:))?(?: (?:that|for|to|me|us|it|this|with|as|by saying|saying|explicitly|again|then|also|in reply|back|and|or|it with))*[:,]?$/i;
const OTHER =
	/\b(?:I|we|agent|assistant|claude|model|logs?|error|errors|output|readme|docs?|documentation|plan|spec|issue|PR|reviewe?r?|linter|compiler|tests?|button|label|titled|named|called|file|function|command|section|heading|header|string|value|because|since|cause|e\.g|like|field|message reads|text|option|page|variable|flag|branch|variant|type|key|column|about|whether|why|how)\b|\w\.\w{2,4}\b|CLAUDE|;/i;

/** Whether what stands before a quotation says that it is the user's. */
function isAttributed(lead: string): boolean {
	const before = lead
		.replace(ANY_QUOTE, "")
		.replace(/[*_]{2}/g, "")
		.replace(/\s+/g, " ")
		.trimEnd();
	let user: RegExpExecArray | null = null;
	for (const found of before.matchAll(USER)) if (!SPOKEN_TO.test(before.slice(0, found.index))) user = found;
	if (!user) return false;
	const rest = before
		.slice(user.index + user[0].length)
		.trimEnd()
		.replace(/([:：])(?:[ ,;/]{1,3}(?:and|then|or)?)+$/, "$1");
	if (LABEL.test(rest) || HIS_WORDS.test(rest)) return true;
	const said = SAYS.exec(rest)?.[1];
	if (said === undefined) return false;
	const between = said.replace(/ ?(?:and|,)? ?$/, "");
	if (DIRECT.test(said) || DIRECT.test(between)) return true;
	return /[:：]$/.test(said) && said.length <= 120 && !OTHER.test(said);
}

const isCode = (text: string): boolean => text.split(" ").length < 4 || /[{}()=;<>|$]|\w\/\w|^\S+ --?\w/.test(text);

const SHORT = 3;

/** A quotation may leave out parts, put words of its own in brackets, and join what was said at two times. */
function isSaid(said: SaidWords, quote: string): boolean {
	const parts = quote.split(OMITS).filter((part) => lettersIn(part) > SHORT);
	return parts.every((part) => {
		if (hasSaid(said, part)) return true;
		const sentences = part
			.split(/[.!?;|\n。！？；]+|, (?:and|then) | \/ | [-–—] /)
			.filter((one) => lettersIn(one) > SHORT);
		return sentences.length > 1 && sentences.every((one) => hasSaid(said, one));
	});
}
const OMITS = /\[[^\]]{0,80}\]|\([.…]{1,4}\)|\.{2,}|…|⋯/;
const lettersIn = (text: string): number => (text.match(/[\p{L}\p{N}]/gu) ?? []).length;

/** The sentences of a line; one with a quotation goes on until that is closed. */
function sentencesOf(line: string): string[] {
	const sentences: string[] = [];
	let open = false;
	for (const piece of line.split(/(?<=[.!?]["”»’]?)\s/)) {
		if (open) sentences.push(`${sentences.pop()} ${piece}`);
		else sentences.push(piece);
		if (((piece.match(/["“”„]/g) ?? []).length & 1) === 1) open = !open;
	}
	return sentences;
}
