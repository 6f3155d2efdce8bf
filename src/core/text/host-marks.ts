import names from "./host-marks.json";

/**
 * Marks by which a model could take a text for structure: tags of Claude Code and of others' chat formats, in whatever
 * spelling (spaces, other brackets, entities, look-alike letters). The opening bracket becomes `‹`, the rest stays to be
 * read. Ordinary code and markup pass unchanged. Expects text without invisible characters (`visible`).
 */

/** What stands for `<`, or for a bracket of a chat format. `‹` itself is what a broken mark begins with. */
const OPENING =
	/&(?:amp;){0,3}(?:lt|#0{0,6}60|#x0{0,6}3c);?|\\{1,2}(?:u003c|x3c|u\{3c\})|%3c|[<＜﹤〈〈⟨⟪❮❰ᐸ˂≺⧼≪]|[[［【〔](?=\s{0,8}[/\\]?\s{0,8}(?:in|sy|as|hu|[^\x00-\x7f]))/gi;

const splitWords = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(" "));
/** Names of one word, alone in their brackets or before an attribute. */
const SINGLE = splitWords(names.single);
/** Longer names, which mean nothing else: how they begin, once only letters are left. */
const LONG = splitWords(names.long);
const isLong = (name: string): boolean => /sys[a-z]{0,5}remind/.test(name) || LONG.some((one) => name.includes(one));
const SQUARE = splitWords(names.square);

/** The text with those marks broken. */
export function withoutHostMarks(text: string): string {
	if (!MAY_HOLD_MARKS.test(text)) return text;
	return text.replace(OPENING, (opening, at: number) => {
		MARK.lastIndex = at + opening.length;
		const [mark] = MARK.exec(text)!;
		return mark.length > 1 && isMark(mark, opening, text[at - 1] ?? "") ? "‹" : opening;
	});
}

const MAY_HOLD_MARKS = /[<[&%\\]|[^\x00-\x7f]/;

/** What stands in a mark: up to its closing bracket, the next opening one, or some length. */
const MARK = /(?:[^<[&%＜>\]＞\\]|\\(?![uU]00|[xX]3|[uU]\{)){0,96}[>\]＞]?/y;

function isMark(raw: string, opening: string, before: string): boolean {
	// no letter and no bar: a comparison, an arrow, a shift
	const lead = /^[\s/\\!?／]*(?=[A-Za-z\d|$@\x80-\uffff])/.exec(raw)?.[0];
	if (lead === undefined) return false;
	const name = plainLetters(raw.slice(lead.length));
	if ("[［【〔".includes(opening)) {
		const inside = name.slice(0, name.indexOf("]"));
		const isIndex = /[\w$)]/.test(before) && /[a-z]/.test(raw);
		const isKnown = SQUARE.includes(letters(inside)) || inside.startsWith("inst");
		return !isIndex && name.includes("]") && inside.length <= 40 && isKnown && isLoud(raw, inside);
	}
	if (/^\|[^|\n]{1,48}\|/.test(name)) return true;
	// `Array<ToolUse>`, `new Map<System, User>()`: a type in its brackets
	if (/[\w$)\]]/.test(before) && TYPE.test(raw)) return false;
	// `a < system b`: behind a space only what is closed as a tag counts
	if (raw[0]!.trim() === "" && !/^[^\n]*[>/]/.test(name)) return false;
	const run = /^[a-z\d$@][a-z\d$@ \t\n._:~*'"`/\\-]*/.exec(name)?.[0] ?? "";
	const word = run.split(/[\s/.]/, 1)[0]!;
	const readings = [letters(run), unleet(run, "i"), unleet(run, "l")];
	return (
		SINGLE.includes(word.slice(word.lastIndexOf(":") + 1)) ||
		readings.some((one) => SINGLE.includes(one) || isLong(one))
	);
}

const TYPE = /^[A-Z](?![A-Z\d]*>)[A-Za-z\d]*(?:\[\])?\s*(?:[>,.&|]|extends\b)/;

/** `[system]` in a text is a word in brackets; `[SYSTEM]` and `[system-reminder]` pose as marks. */
const isLoud = (raw: string, inside: string): boolean =>
	letters(inside).length > 9 ||
	inside.startsWith("inst") ||
	inside === "sys" ||
	!/[a-z]/.test(raw.slice(0, inside.length));

const letters = (text: string): string => text.replace(/[^a-z]/g, "");
const unleet = (text: string, one: string): string =>
	letters(text.replace(/[013457$@]/g, (digit) => (digit === "1" ? one : LEET[digit]!)));
const LEET: Record<string, string> = { 0: "o", 3: "e", 4: "a", 5: "s", 7: "t", $: "s", "@": "a" };

/** Gives a text in plain small letters: other forms of Latin letters, and letters of other scripts that look like them, become these. */
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
