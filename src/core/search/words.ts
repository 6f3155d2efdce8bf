/** Scripts written without spaces: Chinese, Japanese, Thai and their like. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const RUN = new RegExp(`[${UNSPACED}]+`, "gu");
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
/** May be a letter or a digit beyond ASCII: all but the signs that texts are full of, dashes, quotes, arrows, boxes and ticks. */
const FOREIGN = /[^\x00-\x7f\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u2775]/;
/** `parseDocument`, `HTTPServer`: where the next part of a name begins. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
/** Whether it has humps is looked at by itself: in one pattern that would be a square. */
const UNBROKEN = /[\p{L}\p{N}]+/gu;
/** Longer than any name that is asked for: base64 and the like. */
const MAX_NAME = 80;
/** Joined names added to one passage. */
const MAX_JOINED = 60;

/**
 * The text as the index takes it: names in camel case apart, and whole once more at the end; runs of Chinese or Japanese as
 * overlapping pairs. Names with `_`, `.`, `/` or `-` fall apart in the index itself, and are found whole as a phrase.
 */
export function indexText(text: string): string {
	const joined = new Set<string>();
	const apart = FOREIGN.test(text) ? partedForeign(text, joined) : partedAscii(text, joined);
	return joined.size === 0 ? apart : `${apart}\n${[...joined].join(" ")}`;
}

function partedForeign(text: string, joined: Set<string>): string {
	const apart = text.replace(UNBROKEN, (name) => {
		if (name.length > MAX_NAME) return name;
		const parts = name.replace(HUMP, " ");
		if (parts !== name && joined.size < MAX_JOINED) joined.add(name);
		return parts;
	});
	return HAS_UNSPACED.test(apart) ? apart.replace(RUN, (run) => ` ${pairs(run).join(" ")} `) : apart;
}

/** The same for a text with no other letters: a capital is looked for, and the name round it. Several times as fast. */
function partedAscii(text: string, joined: Set<string>): string {
	let result = "";
	let done = 0;
	for (let at = 1; at < text.length; at++) {
		if (!isHump(text, at)) continue;
		let from = at - 1;
		while (from > 0 && isNameCode(text.charCodeAt(from - 1))) from--;
		let to = at + 1;
		while (to < text.length && isNameCode(text.charCodeAt(to))) to++;
		if (to - from <= MAX_NAME) {
			if (joined.size < MAX_JOINED) joined.add(text.slice(from, to));
			for (let hump = at; hump < to; hump++) {
				if (!isHump(text, hump)) continue;
				result += `${text.slice(done, hump)} `;
				done = hump;
			}
		}
		at = to;
	}
	return result + text.slice(done);
}

const isCapital = (code: number): boolean => code >= 65 && code <= 90;
const isSmallOrDigit = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
const isNameCode = (code: number): boolean => isSmallOrDigit(code) || isCapital(code);

/** Whether a capital stands at a place that begins a part of a name, as `HUMP` says it. */
function isHump(text: string, at: number): boolean {
	if (!isCapital(text.charCodeAt(at))) return false;
	const before = text.charCodeAt(at - 1);
	if (isSmallOrDigit(before)) return true;
	const behind = text.charCodeAt(at + 1);
	return isCapital(before) && behind >= 97 && behind <= 122;
}

/** 解析文档 → 解析 析文 文档; a single character stays. */
function pairs(run: string): string[] {
	const characters = [...run];
	if (characters.length < 2) return characters;
	return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** One thing asked for: the words it consists of, which stand side by side where it is found whole. */
export interface Term {
	/** As it was typed. */
	text: string;
	/** Words of the index, lower case. */
	words: readonly string[];
	/** A name, number or path: tells more than a plain word. */
	isName: boolean;
	/** How much it tells: rare words more than frequent ones. */
	weight?: number;
}

/** Words that say nothing of what is asked. */
const STOP = new Set(
	`a about after all also am an and any anything are as at be been before being but by can could did do does doing done
	for from had has have having he her here his how i if in into is it its itself just me my no nor not of off on once
	only or other our out over own same she should so some such than that the their them then there these they this those
	to too under until up very was we were what when where which while who whom why will with would you your
	say said says tell told ask asked exactly user agent`.split(/\s+/),
);
const TYPED = /[\p{L}\p{N}_$@#][\p{L}\p{N}\p{M}_./:@#$+~-]*/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MAX_TERMS = 48;
const MAX_QUERY = 16_000;

/** What a query asks for, each thing once. Where it holds nothing but common words, those count. */
export function queryTerms(query: string): Term[] {
	const terms = new Map<string, Term>();
	const common = new Map<string, Term>();
	for (const [typed] of query.slice(0, MAX_QUERY).matchAll(TYPED)) {
		const text = withoutEnd(typed);
		for (const one of HAS_UNSPACED.test(text) ? unspacedParts(text) : [text]) {
			const words = wordsOf(one);
			if (words.length === 0 || one.length > 4 * MAX_NAME) continue;
			const key = words.join(" ");
			const isName = words.length > 1 || /\p{N}/u.test(one);
			(STOP.has(key) ? common : terms).set(key, { text: one, words, isName });
		}
		if (terms.size >= MAX_TERMS) break;
	}
	return [...(terms.size > 0 ? terms : common).values()];
}

/** A sentence's full stop and the like are no part of a name. */
function withoutEnd(typed: string): string {
	let end = typed.length;
	while (end > 0 && "._/:@#$+~-".includes(typed[end - 1]!)) end--;
	return typed.slice(0, end);
}

/** Each pair is a term of its own, so that one missing word does not hide the rest. */
function unspacedParts(text: string): string[] {
	return text
		.split(new RegExp(`([${UNSPACED}]+)`, "u"))
		.flatMap((part) => (HAS_UNSPACED.test(part) ? pairs(part) : [part]));
}

/** The words of a text as the index holds them, but for their endings. */
export const wordsOf = (text: string): string[] =>
	(text.replace(HUMP, " ").match(WORD) ?? []).map((word) => word.toLowerCase());
