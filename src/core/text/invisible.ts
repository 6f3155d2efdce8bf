/**
 * Characters that nobody sees, or that make a text look other than it is: controls, terminal sequences, zero-width and
 * bidirectional marks, tags, fillers, what is stacked beyond reading. What a script or an emoji needs stays: joiners between
 * letters of Persian or Indic scripts and inside emoji, one variation selector. Every pattern is linear.
 */

/** A terminal's sequences: CSI, and the closed strings (titles, links, the clipboard). Of an open one only its escape goes. */
const TERMINAL_SEQUENCE =
	/(?:\u001b\[|\u009b)[0-9:;<=>?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f\n]{0,4096}(?:\u0007|\u001b\\|\u009c)/g;
/** Line ends of other systems; inside a line they would begin one, also where every line was quoted before. */
const OTHER_BREAKS = /[\r\u000b\u000c\u0085\u2028\u2029]+/g;
/** What nobody sees, but for what scripts and emoji are written with: joiners and variation selectors. */
const SIGNS =
	"[[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}\\ufff9-\\ufffb]--[\\n\\t\\u180b-\\u180d\\u180f\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]]";
/** The flags of England, Scotland and Wales are written with tags: these stay. */
const FLAG =
	"\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}";
const UNSEEN = new RegExp(`(${FLAG})|${SIGNS}`, "gv");
const JOINS =
	"[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}\\u064b-\\u0655\\u0670]";
/** Behind these a joiner also ends a word: a virama, an Arabic letter. */
const ENDS = "[\\p{Script=Arabic}\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca\\u1039\\u17d2]";
const PICTURE = "[\\p{Extended_Pictographic}\\u{1f3fb}-\\u{1f3ff}\\ufe0f]";
const IDLE_JOINER = new RegExp(
	`(?:(?<!${JOINS})[\\u200c\\u200d]|[\\u200c\\u200d](?!${JOINS})(?<!${ENDS}\\u200d(?![\\u200c\\u200d])))(?<!${PICTURE}\\u200d(?=\\p{Extended_Pictographic}))`,
	"gu",
);
const IDLE_SELECTOR = /(?<![\p{Emoji}\p{S}\p{Script=Han}])[\ufe00-\ufe0f]|(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]/gu;
/** More marks on one letter than any script writes. */
const STACKED_MARKS = /(\p{M}{6})\p{M}+/gu;

/** Most texts hold only plain ASCII and need no further look. */
const BEYOND_PLAIN = /[^\n\t -~]/;
const MAY_BE_UNSEEN = new RegExp(
	`${SIGNS}|[\\u200c\\u200d\\u2028\\u2029\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]|\\p{M}{7}`,
	"v",
);

/**
 * Removes what nobody sees: terminal sequences, controls, invisible characters, marks stacked beyond reading; other line ends become
 * `\n` or a space. Ordinary text of any script passes unchanged.
 */
export function stripInvisible(text: string): string {
	if (!BEYOND_PLAIN.test(text) || !MAY_BE_UNSEEN.test(text)) return text;
	return text
		.replaceAll("\r\n", "\n")
		.replace(TERMINAL_SEQUENCE, "")
		.replace(OTHER_BREAKS, " ")
		.replace(UNSEEN, "$1")
		.replace(IDLE_JOINER, "")
		.replace(IDLE_SELECTOR, "")
		.replace(STACKED_MARKS, "$1");
}

/** What a terminal would obey or hide instead of showing. */
const UNSHOWN = new RegExp(`[${SIGNS}\\u2028\\u2029\\u{e0100}-\\u{e01ef}]`, "gv");

/** Writes every character that a terminal would obey or hide as `\\uXXXX`. JSON stays the same JSON: there they stand only in strings. */
export const escapeUnseen = (text: string): string =>
	text.replace(UNSHOWN, (hidden) =>
		hidden
			.split("")
			.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
			.join(""),
	);

/** Removes every character that a terminal would obey or hide. */
export const removeUnseen = (text: string): string => text.replace(UNSHOWN, "");
