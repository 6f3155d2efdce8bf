import { LONG, windowsOf } from "./windows.ts";

/** Nothing shorter is taken for a secret. */
const MIN = 6;

/**
 * Whether a text needs none of the rules. Most are names, paths, times and words of a status: nothing in them is given to a name,
 * and no part is as long and as mixed as a token. A path often holds a session's UUID, a model's name the size of its window.
 */
export function isPlain(text: string): boolean {
	if (text.length < MIN) return true;
	if (text.length > 300) return false;
	if (!NOT_PLAIN.test(text) || SMALL_WORDS.test(text) || TIME.test(text) || OWN.has(text)) return true;
	if (text.endsWith("[1m]") && !NOT_PLAIN.test(text.slice(0, -4))) return true;
	if (text.includes("/") && text.includes("-") && !NOT_PLAIN.test(text.replace(GIVEN_NAME, "/"))) return true;
	return isWithoutBeginning(text) || isOfPlainWords(text);
}

/** No run as long as a token, no word that stands beside secrets, no foreign script: none of the rules begins anywhere. */
const isWithoutBeginning = (text: string): boolean =>
	!LONG.test(text) && !BEYOND_ASCII.test(text) && windowsOf(text).length === 0;
const BEYOND_ASCII = /[^\x00-\x7f]/;

/** Words, numbers and paths that are plain one by one, and no word that stands beside secrets: `saved in PATH`, a line of a list. */
const isOfPlainWords = (text: string): boolean =>
	text.includes("/") &&
	!NOT_PLAIN.test(text.replace(GIVEN_NAME, "/").replace(CLOCK, "").replaceAll(" ", "/")) &&
	windowsOf(text).length === 0;
const CLOCK = /(?<= )\d\d:\d\d(?= )/g;

/**
 * A sign that no name and no path has, or a part in which letters and digits are as mixed as in a token: ten of them, or six
 * behind a dash, where a token may go on; or a part of twenty with capitals and digits, or capitals in its middle, however dashes
 * divide it.
 */
const NOT_PLAIN =
	/[^\w./@~-]|A3-|(?<![A-Za-z0-9])(?=[A-Za-z0-9]{10})(?:[A-Za-z]{0,24}\d{1,16}[A-Za-z]|[A-Za-z]{1,24}\d{5}|[A-Za-z]{25}|\d{17})|[_-](?=[A-Za-z0-9]{6})[A-Za-z]{0,24}\d{1,16}[A-Za-z]|(?<![\w-])(?=[\w-]{20})(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}(?:\d|[a-z][A-Z][\w-]{0,30}[a-z][A-Z]))/;
const SMALL_WORDS = /^[a-z]{0,20}(?: [a-z]{1,12}){0,4}$/;
/** Sentences of ccg's own in a measurement: the looks below would cost them more than all the others. */
const OWN = new Set<string>(["this model compacts only at the API limit", "auto-compaction is off"]);
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z?$/;
/**
 * A file or folder named by a UUID; a temporary folder: words and six characters, as mkdtemp makes them; a project's folder in the
 * store: words and eight hex digits.
 */
const GIVEN_NAME =
	/\/(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=[./]|$)|[A-Za-z]{1,16}(?:-[A-Za-z]{1,16}){0,3}-(?:[A-Za-z0-9]{6}|[0-9a-f]{8})(?=\/|$))/g;
