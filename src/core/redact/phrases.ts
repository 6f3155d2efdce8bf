import { expandParts, makeOnce, wordMatcher } from "./patterns.ts";
import phrases from "./phrases.json";
import { eachMatch, isReference, lineAfter, lineBefore, type Range, stickyMatch } from "./ranges.ts";
import { secretCertainty } from "./secret-names.ts";
import {
	isBase64Login,
	isCompoundName,
	isNonSecret,
	isSecretValue,
	isSentenceSecret,
	trimValue,
} from "./secret-values.ts";
import { countCharacterKinds, hasAnyOf, looksLikePassword, looksRandom } from "./shape.ts";

/**
 * Secrets that no name stands right before, known by the words and signs round them: sentences, command lines, headers, URLs,
 * blocks of a known build. `phrases.json` has a row for each: the words at which it is tried and its form with the value as the
 * group `v` (behind `>>` the form of each item of a list), under the kind of secret and what judges the value. A row marked `~` is
 * looked for on the whole line round its word, any other begins there; in one marked `!` capitals count.
 */
export function findPhrases(text: string, found: Range[]): void {
	const searchedTo = new Map<Row, number>();
	const hints = hintPatternFor(text);
	for (let hint = hints?.exec(text); hint; hint = hints!.exec(text)) {
		for (const row of rowsForHint(hint[0].toLowerCase())) {
			if (hint.index < (searchedTo.get(row) ?? 0)) continue;
			row.forms ??= row.sources.map((source) => new RegExp(expandParts(source), row.flags));
			searchedTo.set(row, (row.flags === "gi" ? addSecretsOnLine : addSecretsAt)(text, hint.index, row, found));
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
	/** `sources` as patterns, made when a hint is met. */
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
const hintPatternFor = wordMatcher(makeOnce(() => [...ROWS.keys()]));

/** The rows of `phrases.json` that are tried at a word: its own, and those of shorter hints that it begins with. */
function rowsForHint(word: string): readonly Row[] {
	const rows = Array.from(word, (_, i) => ROWS.get(word.slice(0, i + 1)) ?? []);
	return [...new Set(rows.flat())];
}

/** How many characters on either side of a hint are looked at. */
const LINE_CONTEXT = 160;

/** Adds the secrets of a row's phrase anywhere on the line around a hint; gives the place up to where that line was looked at. */
function addSecretsOnLine(text: string, at: number, row: Row, found: Range[]): number {
	const start = at - lineBefore(text, at, LINE_CONTEXT).length;
	const lineEnd = text.slice(at, at + 3 * LINE_CONTEXT).indexOf("\n");
	const end = lineEnd < 0 ? at + 3 * LINE_CONTEXT : at + lineEnd;
	eachMatch(row.forms![0]!, text.slice(start, end), (match) =>
		addSecretRange(text, start + match.index, match, row, found),
	);
	return lineEnd < 0 ? at + 2 * LINE_CONTEXT : end;
}

const MAX_ITEMS = 400;

/** Adds the secrets of a row's phrase that begins at `from`: one, or those of a list's items. Gives where the list ends, 0 without one. */
function addSecretsAt(text: string, from: number, row: Row, found: Range[]): number {
	const [head, item] = row.forms!;
	const first = stickyMatch(head!, text, from);
	if (!first) return 0;
	if (!item) addSecretRange(text, from, first, row, found);
	let next = item ? head!.lastIndex : 0;
	for (let n = 0; item && n < MAX_ITEMS; n++) {
		const match = stickyMatch(item, text, next);
		if (!match?.[0]) break;
		addSecretRange(text, next, match, row, found);
		next += match[0].length;
	}
	return next;
}

/** Adds where the secret stands in a phrase's match (its group `v`), if the row's judge takes it for one. */
function addSecretRange(text: string, at: number, match: RegExpExecArray, { kind, judge }: Row, found: Range[]): void {
	const [whole] = match;
	const raw = match.groups ? match.groups.v : whole;
	if (raw === undefined) return;
	const value = kind === "secret" ? trimValue(raw) : raw;
	const offset = whole.lastIndexOf(raw);
	const start = offset < 0 ? at - raw.length : at + offset;
	if (value.length < (kind === "password" ? 1 : 3) || value.startsWith("[REDACTED:")) return;
	if (value.length > 1 && (isReference(raw) || isReference(value))) return;
	const phraseValue = { value, name: match.groups?.name ?? "", text, start };
	if (JUDGES[judge]!(phraseValue)) found.push({ start, end: start + value.length, kind });
}

/** What a phrase has in the place of a secret. */
interface PhraseValue {
	value: string;
	/** Of a field in a list, where the phrase has one. */
	name: string;
	text: string;
	start: number;
}

/** Whether a value would be a password in a sentence. */
const isProseSecret = (value: string): boolean => isSentenceSecret(value, "prose", "sure");
const HEX = /^(?:0x)?[0-9a-f]+$/;
/** A program's or a standard's name with a number, or a word with one. */
const NUMBERED =
	/^(?:\dfa|ssh|sha\d|md5|aes|rsa|tls|ssl|ecdsa|ed\d|wpa|base\d|oauth)|[=()[\]{}<>]|^[a-z]{1,12}[-_.]?\d{2,4}$|^[A-Za-z]{1,12}\d$/;
const DASHED_WORDS = /^[a-z]{3,12}(?:-[a-z]{3,12}){2,7}$/;

/** Whether a value looks like a password: words with dashes, digits inside letters, a symbol. Not a word with a number, as versions are. */
const isPhrasePassword = (value: string): boolean =>
	DASHED_WORDS.test(value) ||
	looksLikePassword(value) ||
	(value.length >= 6 && !HEX.test(value) && !NUMBERED.test(value) && isProseSecret(value));

const LOGIN_WORD = makeOnce(() => {
	const words =
		"(?<![A-Za-z])(?:(?:{kind})s?(?<!(?<!(?:with|the|my|your|and|root|admin|db|user) )pass(?:es|s)?)|pass phrase|{login}|log(?:ged|ging)? into|sudo|basic[ -]auth)(?![A-Za-z])";
	return new RegExp(expandParts(words), "i");
});
/** Between quotes: what code calls with a password or a secret. */
const LOGIN_CODE = /(?:pass|pwd|secret|hash|hmac|cipher|jwt|cookie|session|auth|crypt|user).*["'`]$/i;

/** Whether a word for a password or a login stands on the same line, at most 70 characters away. */
function isNearLoginWord({ value, text, start }: PhraseValue): boolean {
	const before = lineBefore(text, start, 70);
	const after = lineAfter(text, start + value.length, 70);
	const isQuoted = after !== "" && "\"'`".includes(after[0]!);
	return LOGIN_WORD().test(before) || LOGIN_WORD().test(after) || (isQuoted && LOGIN_CODE.test(before));
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
const JUDGES: Record<string, (given: PhraseValue) => boolean> = {
	any: () => true,
	given: ({ value }) => isPhrasePassword(value),
	paired: ({ value }) =>
		isPhrasePassword(value) ||
		(/^[\w!@#$%^&*][^=]*\d[^=]*$/.test(value) &&
			!HEX.test(value) &&
			!/^[a-z_-]+\d$/.test(value) &&
			isProseSecret(value)),
	argument: ({ value }) =>
		looksLikePassword(value) || (isProseSecret(value) && !isCompoundName(value) && !hasAnyOf(value, "/:@.")),
	opened: (phrase) => looksLikePassword(phrase.value) && isNearLoginWord(phrase),
	wifi: ({ value }) =>
		countCharacterKinds(value).digits === value.length ||
		DASHED_WORDS.test(value) ||
		(isProseSecret(value) && !/^(?:wpa|802|pbkdf)/i.test(value)),
	pgpass: ({ value, text, start }) =>
		isProseSecret(value) || (!PASS.test(value) && /pgpass/i.test(text.slice(Math.max(0, start - 300), start + 500))),
	seed: ({ value }) => countCharacterKinds(value).digits > 0 || countCharacterKinds(value).lower === 0,
	words: ({ value }) => value.split(/\W+/).filter((word) => FUNCTION_WORDS.has(word)).length < 2,
	cookie: ({ value, name }) =>
		value.length >= 6 &&
		!PLAIN_COOKIES.has(name.toLowerCase()) &&
		(OWN_COOKIE.test(name) ? isSecretValue(value, "sole", "likely") : looksRandom(value, 12)),
	named: ({ value, name }) => {
		const certainty = secretCertainty(name);
		return certainty !== null && isSecretValue(value, "sole", certainty, name);
	},
	pair: ({ value }) => isBase64Login(value),
	jwk: ({ text, start }) => /\bkty\W/.test(text.slice(Math.max(0, start - 5_000), start + 5_000)),
	kubernetes: ({ text, start }) =>
		/kind\W{1,8}Secret|stringData/.test(text.slice(Math.max(0, start - 2_000), start + 2_000)),
	url: ({ value }) => !PASS.test(value),
	mixed: ({ value }) => countCharacterKinds(value).digits + countCharacterKinds(value).upper > 0,
	random: ({ value }) => looksRandom(value, 16),
	command: ({ value }) => !NO_ARGUMENT.test(value),
	set: ({ value, name }) =>
		!SETTING.test(value) && !isNonSecret(value) && (looksRandom(value, 16) || !SETTING_NAME.test(name)),
};
