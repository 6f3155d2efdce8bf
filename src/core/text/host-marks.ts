import names from "./host-marks.json";

/**
 * Marks by which a model could take a text for structure: tags of Claude Code and of others' chat formats, in whatever
 * spelling (spaces, other brackets, entities, look-alike letters). The opening bracket becomes `‹`, the rest stays to be
 * read. Ordinary code and markup pass unchanged. Expects text without invisible characters (`visible`).
 */

/** What stands for `<`, or for a bracket of a chat format. `‹` itself is what a broken mark begins with. */
const OPENING =
	/&(?:amp;){0,3}(?:lt|#0{0,6}60|#x0{0,6}3c);?|\\{1,2}(?:u003c|x3c|u\{3c\})|%3c|[<＜﹤〈〈⟨⟪《❮❰ᐸ˂≺⧼≪]|[[［【〔](?=\s{0,8}[/\\]?\s{0,8}(?:in|sy|as|hu|[^\x00-\x7f]))/gi;
const WINDOW = 96;

const wordsOf = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(" "));
/** Names of one word, alone in their brackets or before an attribute. */
const SINGLE = wordsOf(names.single);
/** Longer names, which mean nothing else: how they begin, once only letters are left. */
const LONG = wordsOf(names.long);
const isLong = (name: string): boolean => /sys[a-z]{0,5}remind/.test(name) || LONG.some((one) => name.includes(one));
const SQUARE = wordsOf(names.square);

/** The text with those marks broken. */
export function withoutHostMarks(text: string): string {
	if (!MAY_HOLD_MARKS.test(text)) return text;
	return text.replace(OPENING, (opening, at: number) => {
		const start = at + opening.length;
		const end = endOfMark(text, start);
		if (end - start < 2) return opening;
		return isMark(text.slice(start, end), opening, at > 0 ? text[at - 1]! : "") ? "‹" : opening;
	});
}

/** Where a mark that begins here ends: behind its closing bracket, before the next opening one, after some length. */
function endOfMark(text: string, start: number): number {
	const last = Math.min(text.length, start + WINDOW);
	for (let at = start; at < last; at++) {
		const unit = text.charCodeAt(at);
		if (unit === 0x3e || unit === 0x5d || unit === 0xff1e) return at + 1;
		if (unit === 0x3c || unit === 0x5b || unit === 0x26 || unit === 0x25 || unit === 0xff1c) return at;
		if (unit === 0x5c && /^(?:u00|x3|u\{)/i.test(text.slice(at + 1, at + 4))) return at;
	}
	return last;
}

const MAY_HOLD_MARKS = /[<[&%\\]|[^\x00-\x7f]/;

function isMark(raw: string, opening: string, before: string): boolean {
	const rest = /^[\s/\\!?]*/.exec(raw)![0].length;
	const first = raw.charCodeAt(rest);
	// no letter and no bar: a comparison, an arrow, a shift
	if (Number.isNaN(first) || (first < 0x80 && !/[a-z|$@\d]/i.test(raw[rest]!))) return false;
	// too short for a name: not worth normalising
	if (first >= 0x80 && raw.length - rest < 3) return false;
	const name = plainLetters(raw.slice(rest));
	if (/^[[［【〔]/.test(opening)) {
		if (/[\w$)]/.test(before) && /[a-z]/.test(raw)) return false;
		const inside = /^([^\]]{1,40})\]/.exec(name)?.[1];
		// a link's text or an index is neither loud nor closed by itself
		return inside !== undefined && (SQUARE.includes(letters(inside)) || /^\/?inst/.test(inside)) && isLoud(raw, inside);
	}
	if (/^\|[^|\n]{1,48}\|/.test(name)) return true;
	const run = /^[a-z\d$@][a-z\d$@ \t\n._:~*'"`/\\-]*/.exec(name)?.[0] ?? "";
	// `Array<ToolUse>`, `new Map<System, User>()`: a type in its brackets
	if (
		/[\w$)\]]/.test(before) &&
		/^[A-Z][A-Za-z\d]*(?:\[\])?\s*(?:[>,.&|]|extends\b)/.test(raw) &&
		!/^[A-Z\d]+>/.test(raw)
	)
		return false;
	// `a < system b`: behind a space only what is closed as a tag counts
	if (rest > 0 && /^\s/.test(raw) && !/^[^\n]*[>/]/.test(name)) return false;
	const word = /^[^\s>/.=]*/.exec(run)![0];
	const readings = [word.slice(word.lastIndexOf(":") + 1), letters(run), unleet(run, "i"), unleet(run, "l")];
	return readings.some((one) => SINGLE.includes(one)) || readings.slice(1).some(isLong);
}

/** `[system]` in a text is a word in brackets; `[SYSTEM]` and `[system-reminder]` pose as marks. */
const isLoud = (raw: string, inside: string): boolean =>
	letters(inside).length > 9 || /^\/?inst|^\/?sys$/.test(inside) || !/[a-z]/.test(raw.slice(0, inside.length));

const letters = (text: string): string => text.replace(/[^a-z]/g, "");
const unleet = (text: string, one: string): string =>
	letters(text.replace(/[013457$@]/g, (digit) => (digit === "1" ? one : LEET[digit]!)));
const LEET: Record<string, string> = { 0: "o", 3: "e", 4: "a", 5: "s", 7: "t", $: "s", "@": "a" };

/** As plain small letters: other forms of Latin letters, marks on them, and letters of other scripts that look like them. */
function plainLetters(raw: string): string {
	const low = raw.toLowerCase();
	if (/^[\x00-\x7f]*$/.test(low)) return low;
	return low
		.normalize("NFKC")
		.toLowerCase()
		.normalize("NFD")
		.replace(/\p{M}/gu, "")
		.replace(/[^\x00-\x7f]/g, (letter) => looksLike().get(letter) ?? letter);
}

/** Made when a first one is met: most processes meet none. */
const looksLike = (): Map<string, string> => {
	alike ??= new Map(
		names.alike.split(" ").flatMap((row) => [...row].slice(1).map((letter) => [letter, row[0]!] as const)),
	);
	return alike;
};
let alike: Map<string, string> | null = null;
