import { expandParts, once, wordsLook } from "./patterns.ts";
import phrases from "./phrases.json";
import { eachMatch, isReference, lineBefore, lineBehind, matchAt, type Range } from "./ranges.ts";
import { trustIn } from "./secret-names.ts";
import { isCodedPair, isName, isNothing, isSecretValue, isTold, trimValue } from "./secret-values.ts";
import { holdsSign, looksRandom, looksTyped, shapeOf } from "./shape.ts";

/**
 * Secrets that no name stands right before, known by the words and signs round them: sentences, command lines, headers, URLs,
 * blocks of a known build. `phrases.json` has a row for each: the words at which it is tried and its form with the value as the
 * group `v` (behind `>>` the form of each item of a list), under the kind of secret and what judges the value. A row marked `~` is
 * looked for on the whole line round its word, any other begins there; in one marked `!` capitals count.
 */
export function findPhrases(text: string, found: Range[]): void {
	const done = new Map<Row, number>();
	const hints = hintsIn(text);
	for (let hint = hints?.exec(text); hint; hint = hints!.exec(text)) {
		for (const row of rowsAt(hint[0].toLowerCase())) {
			if (hint.index < (done.get(row) ?? 0)) continue;
			row.forms ??= row.sources.map((source) => new RegExp(expandParts(source), row.flags));
			done.set(row, (row.flags === "gi" ? takeAround : takeAt)(text, hint.index, row, found));
		}
		hints!.lastIndex = hint.index + 1;
	}
}

interface Row {
	kind: string;
	judge: string;
	/** The phrase; of a list its head and its items. */
	sources: string[];
	flags: string;
	/** Made when its word is met. */
	forms?: RegExp[];
}

const hints: Record<string, string> = phrases.hints;
const FLAGS: Record<string, string> = { "~": "gi", "!": "y" };
const ROWS = new Map<string, Row[]>();
for (const [name, rows] of Object.entries(phrases.rows))
	for (const line of rows) {
		const [head, forms] = line.split(" => ") as [string, string];
		const [kind, judge] = name.split(" ") as [string, string];
		const row: Row = { kind, judge, sources: forms.split(" >> "), flags: FLAGS[head.at(-1)!] ?? "iy" };
		const own = head.replace(/ ?[~!]$/, "").replace(/@([a-z]+) ?/g, (_, list: string) => `${hints[list]}|`);
		for (const hint of new Set(own.split("|"))) if (hint) ROWS.set(hint, [...(ROWS.get(hint) ?? []), row]);
	}
const hintsIn = wordsLook(once(() => [...ROWS.keys()]));

/** The rows of a word and of those that it begins with. */
function rowsAt(word: string): readonly Row[] {
	const rows = Array.from(word, (_, i) => ROWS.get(word.slice(0, i + 1)) ?? []);
	return [...new Set(rows.flat())];
}

/** Round so many characters of a line stand its words. */
const ROUND = 160;

/** Gives up to where a line was looked at together with what is round it. */
function takeAround(text: string, at: number, row: Row, found: Range[]): number {
	const start = at - lineBefore(text, at, ROUND).length;
	const feed = text.slice(at, at + 3 * ROUND).indexOf("\n");
	const end = feed < 0 ? at + 3 * ROUND : at + feed;
	eachMatch(row.forms![0]!, text.slice(start, end), (match) => take(text, start + match.index, match, row, found));
	return feed < 0 ? at + 2 * ROUND : end;
}

const MAX_ITEMS = 400;

/** Gives where a list ends, so that no part of it is read as another one. */
function takeAt(text: string, from: number, row: Row, found: Range[]): number {
	const [head, item] = row.forms!;
	const first = matchAt(head!, text, from);
	if (!first) return 0;
	if (!item) take(text, from, first, row, found);
	let next = item ? head!.lastIndex : 0;
	for (let n = 0; item && n < MAX_ITEMS; n++) {
		const match = matchAt(item, text, next);
		if (!match?.[0]) break;
		take(text, next, match, row, found);
		next += match[0].length;
	}
	return next;
}

/** Adds the place of the secret that a phrase's match gives, where the row's judge agrees. */
function take(text: string, at: number, match: RegExpExecArray, { kind, judge }: Row, found: Range[]): void {
	const [whole] = match;
	const raw = match.groups ? match.groups.v : whole;
	if (raw === undefined) return;
	const value = kind === "secret" ? trimValue(raw) : raw;
	const inside = whole.lastIndexOf(raw);
	const start = inside < 0 ? at - raw.length : at + inside;
	if (value.length < (kind === "password" ? 1 : 3) || value.startsWith("[REDACTED:")) return;
	if (value.length > 1 && (isReference(raw) || isReference(value))) return;
	const given = { value, name: match.groups?.name ?? "", text, start };
	if (JUDGES[judge]!(given)) found.push({ start, end: start + value.length, kind });
}

/** What stands in a phrase in the place of a secret, and where. */
interface Given {
	value: string;
	/** Of a field in a list, where the phrase has one. */
	name: string;
	text: string;
	start: number;
}

const isProse = (value: string): boolean => isTold(value, "prose", "sure");
const HEX = /^(?:0x)?[0-9a-f]+$/;
/** A program's or a standard's name with a number, or a word with one. */
const NUMBERED =
	/^(?:\dfa|ssh|sha\d|md5|aes|rsa|tls|ssl|ecdsa|ed\d|wpa|base\d|oauth)|[=()[\]{}<>]|^[a-z]{1,12}[-_.]?\d{2,4}$|^[A-Za-z]{1,12}\d$/;
const WORDS = /^[a-z]{3,12}(?:-[a-z]{3,12}){2,7}$/;

/** Words put together, digits inside letters, a sign that no word has: not a word with a number, as versions are. */
const isGiven = (value: string): boolean =>
	WORDS.test(value) ||
	looksTyped(value) ||
	(value.length >= 6 && !HEX.test(value) && !NUMBERED.test(value) && isProse(value));

const OPENED = once(() => {
	const words =
		"(?<![A-Za-z])(?:(?:{kind})s?(?<!(?<!(?:with|the|my|your|and|root|admin|db|user) )pass(?:es|s)?)|pass phrase|{login}|log(?:ged|ging)? into|sudo|basic[ -]auth)(?![A-Za-z])";
	return new RegExp(expandParts(words), "i");
});
/** Between quotes: what code calls with a password or a secret. */
const OPENED_IN_CODE = /(?:pass|pwd|secret|hash|hmac|cipher|jwt|cookie|session|auth|crypt|user).*["'`]$/i;

/** A word for a password or a login stands on the same line, not far off. */
function isOpened({ value, text, start }: Given): boolean {
	const before = lineBefore(text, start, 70);
	const behind = lineBehind(text, start + value.length, 70);
	const isQuoted = behind !== "" && "\"'`".includes(behind[0]!);
	return OPENED().test(before) || OPENED().test(behind) || (isQuoted && OPENED_IN_CODE.test(before));
}

/** Cookies that say how a page looks, not who reads it. */
const PLAIN_COOKIES = new Set("path domain expires version theme locale consent timezone viewport priority".split(" "));
const OWN_COOKIE = /sess|sid|auth|token|jwt|csrf|xsrf|secret|login|user|remember|ticket|key|connect/i;
/** An option, a port, a database's name, a host, the rest of a longer flag. */
const NO_ARGUMENT =
	/^(?:[-/]|\.\.?\/|\d{1,5}(?::\d{1,5})?$|(?:mysql|localhost|root|test|https?|tcp|info|json|pretty|form|verbose|ort|ath|rint|ager|arallel|refix|rofile|roject|lugin|rotocol|assword)\D*$)/i;
/** What a variable is set to that is a setting. */
const SETTING = /^(?:https?:\/)?\/|^\d{1,5}$|^[^\d!@#$%^&*+=~]*$|[<>|]/;
const SETTING_NAME = /^(?:\w*_)?(?:env|level|port|host|tz|lang|user(?:name)?|url|region)$/i;
const PASS = /^\[?(?:pass(?:word|wd|wort)?|pwd|pw|secret)\]?$/i;
/** Of these a sentence has two, and a wallet's words have none. */
const FUNCTION_WORDS = new Set("the and with that this you your for are must from should".split(" "));

/** Whether what a phrase gives is a secret, by the names that `phrases.json` has. */
const JUDGES: Record<string, (given: Given) => boolean> = {
	any: () => true,
	given: ({ value }) => isGiven(value),
	paired: ({ value }) =>
		isGiven(value) ||
		(/^[\w!@#$%^&*][^=]*\d[^=]*$/.test(value) && !HEX.test(value) && !/^[a-z_-]+\d$/.test(value) && isProse(value)),
	argument: ({ value }) => looksTyped(value) || (isProse(value) && !isName(value) && !holdsSign(value, "/:@.")),
	opened: (given) => looksTyped(given.value) && isOpened(given),
	wifi: ({ value }) =>
		shapeOf(value).digits === value.length ||
		WORDS.test(value) ||
		(isProse(value) && !/^(?:wpa|802|pbkdf)/i.test(value)),
	pgpass: ({ value, text, start }) =>
		isProse(value) || (!PASS.test(value) && /pgpass/i.test(text.slice(Math.max(0, start - 300), start + 500))),
	seed: ({ value }) => shapeOf(value).digits > 0 || shapeOf(value).lower === 0,
	words: ({ value }) => value.split(/\W+/).filter((word) => FUNCTION_WORDS.has(word)).length < 2,
	cookie: ({ value, name }) =>
		value.length >= 6 &&
		!PLAIN_COOKIES.has(name.toLowerCase()) &&
		(OWN_COOKIE.test(name) ? isSecretValue(value, "sole", "likely") : looksRandom(value, 12)),
	named: ({ value, name }) => {
		const trust = trustIn(name);
		return trust !== null && isSecretValue(value, "sole", trust, name);
	},
	pair: ({ value }) => isCodedPair(value),
	jwk: ({ text, start }) => /\bkty\W/.test(text.slice(Math.max(0, start - 5_000), start + 5_000)),
	kubernetes: ({ text, start }) =>
		/kind\W{1,8}Secret|stringData/.test(text.slice(Math.max(0, start - 2_000), start + 2_000)),
	url: ({ value }) => !PASS.test(value),
	mixed: ({ value }) => shapeOf(value).digits + shapeOf(value).upper > 0,
	random: ({ value }) => looksRandom(value, 16),
	command: ({ value }) => !NO_ARGUMENT.test(value),
	set: ({ value, name }) =>
		!SETTING.test(value) && !isNothing(value) && (looksRandom(value, 16) || !SETTING_NAME.test(name)),
};
