import names from "./host-marks.json";

/**
 * Marks by which a model could take a text for structure: tags of Claude Code and of others' chat formats, in whatever
 * spelling (spaces, other brackets, entities, look-alike letters). The opening bracket becomes `‹`, the rest stays to be
 * read. Ordinary code and markup pass unchanged. Expects text without invisible characters (`visible`).
 */

/** What stands for `<`, or for a bracket of a chat format. `‹` itself is what a broken mark begins with. */
const OPENING_SIGN =
	/&(?:amp;){0,3}(?:lt|#0{0,6}60|#x0{0,6}3c);?|\\{1,2}(?:u003c|x3c|u\{3c\})|%3c|[<＜﹤〈〈⟨⟪❮❰ᐸ˂≺⧼≪]|[[［【〔](?=\s{0,8}[/\\]?\s{0,8}(?:in|sy|as|hu|[^\x00-\x7f]))/gi;

/** The words in lines of `host-marks.json`. */
const markNames = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(" "));
/** Names of one word, alone in their brackets or before an attribute. */
const SINGLE_WORD_MARKS = markNames(names.single);
/** Longer names, which mean nothing else: how they begin, once only letters are left. */
const LONG_MARKS = markNames(names.long);
/** Whether a name in brackets is one of the longer ones, as `system-reminder`. */
const isLongMarkName = (name: string): boolean =>
	/sys[a-z]{0,5}remind/.test(name) || LONG_MARKS.some((mark) => name.includes(mark));
const BRACKET_MARKS = markNames(names.square);

/** Breaks every mark that a model could take for one of the host: its opening bracket becomes `‹`. */
export function breakHostMarks(text: string): string {
	if (!MAY_HOLD_MARKS.test(text)) return text;
	return text.replace(OPENING_SIGN, (opening, at: number) => {
		MARK_CONTENT.lastIndex = at + opening.length;
		const [mark] = MARK_CONTENT.exec(text)!;
		return mark.length > 1 && isHostMark(mark, opening, text[at - 1] ?? "") ? "‹" : opening;
	});
}

const MAY_HOLD_MARKS = /[<[&%\\]|[^\x00-\x7f]/;

/** What stands in a mark: up to its closing bracket, the next opening one, or some length. */
const MARK_CONTENT = /(?:[^<[&%＜>\]＞\\]|\\(?![uU]00|[xX]3|[uU]\{)){0,96}[>\]＞]?/y;

/** Whether what follows an opening bracket makes a mark of the host. `before`: the character in front of the bracket. */
function isHostMark(content: string, opening: string, before: string): boolean {
	// no letter and no bar: a comparison, an arrow, a shift
	const leadingSigns = /^[\s/\\!?／]*(?=[A-Za-z\d|$@\x80-\uffff])/.exec(content)?.[0];
	if (leadingSigns === undefined) return false;
	const name = plainLetters(content.slice(leadingSigns.length));
	if ("[［【〔".includes(opening)) {
		const inside = name.slice(0, name.indexOf("]"));
		const isIndex = /[\w$)]/.test(before) && /[a-z]/.test(content);
		const isKnown = BRACKET_MARKS.includes(lettersOnly(inside)) || inside.startsWith("inst");
		return !isIndex && name.includes("]") && inside.length <= 40 && isKnown && isMarkInBrackets(content, inside);
	}
	if (/^\|[^|\n]{1,48}\|/.test(name)) return true;
	// `Array<ToolUse>`, `new Map<System, User>()`: a type in its brackets
	if (/[\w$)\]]/.test(before) && TYPE_ARGUMENT.test(content)) return false;
	// `a < system b`: behind a space only what is closed as a tag counts
	if (content[0]!.trim() === "" && !/^[^\n]*[>/]/.test(name)) return false;
	const nameRun = /^[a-z\d$@][a-z\d$@ \t\n._:~*'"`/\\-]*/.exec(name)?.[0] ?? "";
	const word = nameRun.split(/[\s/.]/, 1)[0]!;
	const readings = [lettersOnly(nameRun), undoLeet(nameRun, "i"), undoLeet(nameRun, "l")];
	return (
		SINGLE_WORD_MARKS.includes(word.slice(word.lastIndexOf(":") + 1)) ||
		readings.some((reading) => SINGLE_WORD_MARKS.includes(reading) || isLongMarkName(reading))
	);
}

const TYPE_ARGUMENT = /^[A-Z](?![A-Z\d]*>)[A-Za-z\d]*(?:\[\])?\s*(?:[>,.&|]|extends\b)/;

/** Whether words in square brackets pose as a mark: `[SYSTEM]` and `[system-reminder]` do, `[system]` doesn't. */
const isMarkInBrackets = (raw: string, inside: string): boolean =>
	lettersOnly(inside).length > 9 || /^inst|^sys$/.test(inside) || !/[a-z]/.test(raw.slice(0, inside.length));

/** Without all but small ASCII letters. */
const lettersOnly = (text: string): string => text.replace(/[^a-z]/g, "");
/** The letters of a text whose digits stand for letters, as `5y5t3m`. `forOne`: the letter that 1 stands for. */
const undoLeet = (text: string, forOne: string): string =>
	lettersOnly(text.replace(/[013457$@]/g, (digit) => (digit === "1" ? forOne : LEET[digit]!)));
const LEET: Record<string, string> = { 0: "o", 3: "e", 4: "a", 5: "s", 7: "t", $: "s", "@": "a" };

/** The text in small letters, with other forms of Latin letters and look-alikes of other scripts as plain Latin ones. */
function plainLetters(raw: string): string {
	const low = raw.toLowerCase();
	if (/^[\x00-\x7f]*$/.test(low)) return low;
	return low
		.normalize("NFKC")
		.toLowerCase()
		.normalize("NFD")
		.replace(/\p{M}/gu, "")
		.replace(/[^\x00-\x7f]/g, (letter) => lookAlikeLetters().get(letter) ?? letter);
}

/** The Latin letter for each letter that looks like it. Made at the first call: most processes need none. */
const lookAlikeLetters = (): Map<string, string> => {
	alike ??= new Map(
		names.alike.split(" ").flatMap(([plain, ...others]) => others.map((letter) => [letter, plain!] as const)),
	);
	return alike;
};
let alike: Map<string, string> | null = null;
