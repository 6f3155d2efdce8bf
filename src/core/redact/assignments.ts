import { markerEnd } from "./marker.ts";
import { type Range, within } from "./ranges.ts";
import { type NameTrust, trustIn } from "./secret-names.ts";
import { isName, isSecretValue } from "./secret-values.ts";
import { bareAt, belowAt, COLOUR, matchEnd, QUOTE, quotedAt, type Value, valueStart, wrappedEnd } from "./value-at.ts";

/**
 * Values given to a name that is a secret's: `DB_PASSWORD=…`, `"apiKey": "…"`, `token = '…'`, `X-Api-Key: …`,
 * `setPassword("…")`, `<password>…</password>`, `{"name": "DB_PASSWORD", "value": "…"}`, also in JSON inside JSON and in URLs.
 * The name stays, the value goes. References, placeholders, paths, calls and code stay.
 *
 * Linear: each name costs a bounded look to its left and one at its value; what is taken is not read again.
 */
export function findAssignments(text: string, found: Range[]): void {
	if (!NAMED.test(text)) return;
	each(text, ASSIGNED, found, assigned);
	if (text.includes("</") || text.includes("<\\/") || text.includes("&lt;/")) each(text, ELEMENT, found, element);
	if (PAIR_HINT.test(text)) each(text, PAIR, found, paired);
}

/** The stems of all such names, by their first letters; what they stand in is judged by `trustIn`. */
export const STEMS = [
	"p(?:ass|w(?:d|s|ort)?(?![a-z])|epper|sk(?![a-z])|fx|12(?![0-9])|kcs12|arola|(?<![a-z]p)in(?![a-z]))",
	"s(?:ecret|alt|ess(?:ion)?[_-]?id|eed|enha|alasana|ifre|(?<![a-z]s)(?:as|ig(?:nature)?|id)(?![a-z]))",
	"token|key(?:store)?|auth(?:oriz)?|jwt|bearer|otp(?![a-z])|mnemonic|webhook|wachtwoord|wif(?![a-z])|xprv",
	"c(?:red|ookie|onn(?:ection)?[_-]?str|ontrase|have|ode(?![a-z])|(?<![a-z]c)lave)",
	"k(?:ennwort|odeord)|(?<![a-z])(?:dsn|mdp)|motdepasse|has[lł]o(?![a-z])|heslo|l(?:[öo]senord|icen[cs]e)|jelsz|şifre|identified|nonce(?![a-z])|adgangskode",
].join("|");

/** The same without what makes the look slow: most texts hold none of them. */
const NAMED =
	/pass|pw|pepper|psk|pfx|p12|parola|pin|secret|salt|sess(?:ion)?[_-]?id|seed|senha|salasana|[sş]ifre|sas|sig|sid|token|key|auth|jwt|bearer|otp|mnemonic|webhook|wort|wachtwoord|wif|xprv|cred|cookie|conn|contrase|chave|code|clave|kennwort|kodeord|dsn|mdp|haslo|hasło|heslo|l[oö]senord|licen[cs]e|jelsz|identified|nonce|adgangskode/i;

const NAME_END = "[\\wà-ɏ-]{0,40}";
const CLOSERS = `(?:\\\\{0,15}["'\`\\])]|&quot;|%22|%5[Dd]|\\*\\*|${COLOUR}){0,3}`;
const ASIDE = "(?:[ \\t]{1,2}(?:\\([^()\\n]{1,40}\\)|#?\\d{1,3}(?=[ \\t]{0,2}[:=])))?";
const SIGNS =
	":=|\\|\\|=?|\\?\\?=?|\\bor\\b|\\?=|\\+=|=>|->|={1,3}|!={1,2}|::?-?|：|＝|%3[ADad]|%253[ADad]|\\\\{1,8}u003[dD]|&#6[01];";
const ASSIGNED = new RegExp(
	`(?:${STEMS})${NAME_END}(${CLOSERS})${ASIDE}(?:[ \\t]{0,8}(${SIGNS})|[ \\t]{0,4}(,)[ \\t]{0,8}(?=[a-z@]{0,2}${QUOTE})|(\\(|\\)?\\.(?:fill|send_?keys|type|set_?value|set|val|value|input|enter|press_?sequentially|clear_?and_?type|insert_?text|write)\\()[ \\t]{0,4}(?=${QUOTE})|([ \\t]{1,8})(?=${QUOTE})|[ \\t]{1,2}(\\|)(?=[ \\t])|((?:\\r?\\n|\\\\r\\\\n){2})|[ \\t]{1,4}((?:As )?[\\w.\\[\\]*&<>]{1,30}[ \\t]{0,4}=)(?![=>])[ \\t]{0,4}(?=[@$]{0,2}${QUOTE}))[ \\t]{0,40}`,
	"gi",
);
const TYPED = new RegExp(
	`[?!]?[ \\t]{0,4}:?[ \\t]{0,4}[\\w.&<>\\[\\]|'?*{};:, ]{1,40}=(?![=>])[ \\t]{0,8}(?=[a-zA-Z@$]{0,2}${QUOTE})`,
	"y",
);
const ELEMENT = new RegExp(
	`(?:<|&lt;)(?:key>[\\w.-]{0,40}(?:${STEMS})[\\w.-]{0,40}<\\\\?/key>\\s{0,40}<string|[\\w:.-]{0,40}(?:${STEMS})[\\w:.-]{0,40}(?:\\s[^<>&]{0,160})?|[\\w:.-]{1,30}\\s[^<>]{0,80}(?:name|key|id)=\\\\{0,8}["'][\\w.-]{0,40}(?:${STEMS})[\\w.-]{0,40}\\\\{0,8}["'][^<>]{0,80})(?:>|&gt;)(?:<!\\[CDATA\\[)?`,
	"gi",
);
const PAIR_HINT = /value|default|content|example/i;
/** The field that holds what another one names. */
const PAIR =
	/(?<![A-Za-z])(?:Parameter)?(?:value|default|content|example|sample|plaintext|currentValue|defaultValue)\\{0,15}["'`]?[ \t]{0,4}[:=][ \t]{0,8}/gi;
const FIELD = new RegExp(`(?:${STEMS})${NAME_END}(?:\\\\{0,15}["'\`]|,|[ \\t]*\\r?\\n|$)`, "gi");

type ValueLook = (text: string, match: RegExpExecArray, end: number) => Value | null;

function each(text: string, pattern: RegExp, found: Range[], look: ValueLook): void {
	pattern.lastIndex = 0;
	for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
		const end = pattern.lastIndex;
		// what is taken already holds no name
		const taken = within(found, match.index);
		const value = taken ? null : look(text, match, end);
		if (value) found.push({ start: value.start, end: value.end, kind: "secret" });
		// a name inside this one's signs or value is looked at as well
		pattern.lastIndex = value
			? value.end
			: taken
				? Math.max(taken.end, match.index + 1)
				: match.index + (STEP.exec(match[0])?.[0].length ?? 1);
	}
}
/** Past the name, at least. */
const STEP = /^[\wà-ɏ.:<-]{1,80}/;

/** A name up to its stem's end, and up to two words before it: "API key", "secret access key". */
function nameAt(text: string, index: number, tail: string): string {
	let at = index;
	const least = Math.max(0, index - 40);
	while (at > least && isNameCode(text.charCodeAt(at - 1))) at--;
	for (let words = 0; words < 2 && at > 1 && text[at - 1] === " "; words++) {
		let word = at - 1;
		while (word > 0 && at - word < 20 && isLetter(text.charCodeAt(word - 1))) word--;
		if (word === at - 1) break;
		at = word;
	}
	return text.slice(at, index) + TAIL.exec(tail)![0];
}
const TAIL = /^[\wà-ɏ-]+/i;

const isLetter = (code: number): boolean =>
	(code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 192 && code < 592);
/** Letters, digits and `_ . $ -`. */
const isNameCode = (code: number): boolean =>
	isLetter(code) || (code >= 48 && code <= 57) || code === 95 || code === 46 || code === 36 || code === 45;

const assigned: ValueLook = (text, match, end) => {
	const [whole, closers = "", plain = "", comma, call, space, bar, blank, typedSign] = match;
	const sign = typedSign ? "=" : plain;
	const name = nameAt(text, match.index, whole);
	const trust = trustIn(name);
	if (!trust) return null;
	const isCapital = !/[a-z]/.test(/[\w-]*$/.exec(name)![0]!) && /\S=$/.test(whole.trimEnd()) && !/[ \t]$/.test(whole);
	const at = valueStart(text, end);
	const check = (value: Value | null): Value | null => {
		if (!value) return null;
		const { text: given, style } = value;
		if ((markerEnd(text, value.start) ?? 0) >= value.end) return null;
		const scheme = style === "quoted" ? SCHEME.exec(given) : null;
		if (scheme && trust === "likely")
			return check({
				...value,
				start: value.start + scheme[0].length,
				text: given.slice(scheme[0].length),
				style: "sole",
			});
		if ("(<{[".includes(text[value.end] ?? " ") && style === "bare") return null;
		// a name given to itself, as parameters are
		if (style !== "quoted" && (name === given || given.endsWith(`.${name}`))) return null;
		return isSecretValue(given, style, trust, name.replace(/\d+$/, "")) ? stretched(text, value) : null;
	};
	if (bar && /["'`]/.test(closers)) return null;
	if (comma && !/["'`]/.test(closers) && (trust !== "sure" || !/[{([:]/.test(text[match.index - 1] ?? " ")))
		return null;
	if (space && /(?:^|[^A-Za-z0-9])pass$/i.test(name)) return null;
	if (space) return check(digitsOrSure(quotedAt(text, at), "likely"));
	if (comma || call)
		return call && trust === "maybe"
			? null
			: check(digitsOrSure(quotedAt(text, at), comma ? "likely" : trust, comma !== undefined));
	if (bar) return check(cellAt(text, end, trust));
	// a part of a form as it is sent
	if (blank)
		return /name=\\{0,4}"[\w-]*$/.test(text.slice(Math.max(0, match.index - 60), match.index))
			? check(bareAt(text, at, at, "=", true))
			: null;
	if (/^(?:\|\||\?\?|or)$/i.test(sign)) return check(digitsOrSure(quotedAt(text, at), trust));
	if (text.slice(Math.max(0, match.index - 80), match.index).includes("arn:aws")) return null;
	if (/^(?:={2,3}|!={1,2}|->|::)$/.test(sign)) return check(digitsOrSure(quotedAt(text, at), "likely"));
	if (
		sign === ":" &&
		/\$\{\w{0,60}$/.test(text.slice(Math.max(0, match.index - 64), match.index)) &&
		/^[?+]/.test(text.slice(end, end + 1))
	)
		return null;
	if (sign === ":-" && !text.slice(Math.max(0, match.index - 44), match.index).includes("{")) return null;
	const quoted = quotedAt(text, at);
	const scheme = SCHEME.exec(text.slice(at, at + 24));
	if (scheme && !quoted && trust === "likely")
		return check(bareAt(text, match.index, at + scheme[0].length, sign, false));
	return (
		check(quoted) ??
		((quoted && sign !== ":") || sign === "=>" ? null : check(bareAt(text, match.index, at, sign, isCapital))) ??
		(/^[:=：]/.test(sign) && !closers.includes(")") ? check(belowAt(text, match.index, end)) : null) ??
		typed(text, match, check)
	);
};

const SCHEME =
	/^(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|ssws|genie-?key|splunk|bot|oauth)[ \t]{1,3}/i;

/** `password: string = "…"`, `var password string = "…"`. */
function typed(text: string, match: RegExpExecArray, check: (value: Value | null) => Value | null): Value | null {
	const nameEnd = match.index + /^[\wà-ɏ-]+/i.exec(match[0])![0].length;
	const at = matchEnd(TYPED, text, nameEnd);
	return at === null ? null : check(quotedAt(text, valueStart(text, at)));
}

/** In calls and comparisons words stand for other things than secrets. */
function digitsOrSure(value: Value | null, trust: NameTrust, isListed = false): Value | null {
	if (!value || (isListed && isName(value.text))) return null;
	return /[\d!@#$%^&*]/.test(value.text) || (trust === "sure" && /^[a-z]{10,}$/.test(value.text)) ? value : null;
}

/** A cell of a table in Markdown. */
function cellAt(text: string, at: number, trust: NameTrust): Value | null {
	const cell = /^[ \t]*`?([^\s|`]{5,200})`?[ \t]*(?:\||\r?\n|$)/.exec(text.slice(at, at + 240));
	if (!cell) return null;
	const start = at + cell[0].indexOf(cell[1]!);
	return digitsOrSure({ start, end: start + cell[1]!.length, text: cell[1]!, style: "quoted" }, trust);
}

const element: ValueLook = (text, match, end) => {
	const names = match[0].match(NAMES) ?? [];
	const told = new Set(names.map(trustIn));
	const trust = told.has("sure") ? "sure" : told.has("likely") ? "likely" : told.has("maybe") ? "maybe" : null;
	if (!trust || /\/>$/.test(match[0])) return null;
	const part = text.slice(end, end + 8_192);
	const until = end + part.indexOf(match[0].endsWith("[CDATA[") ? "]]>" : match[0].startsWith("&") ? "&lt;" : "<");
	if (until < end) return null;
	const raw = text.slice(end, until);
	const given = raw.trim();
	const start = end + raw.indexOf(given);
	const value: Value = { start, end: start + given.length, text: given, style: "sole" };
	return isElementSecret(given, trust, names.join(".")) ? value : null;
};
const NAMES = new RegExp(`[\\w.-]{0,40}(?:${STEMS})[\\w.-]{0,40}`, "gi");

function isElementSecret(given: string, trust: Exclude<NameTrust, null>, name: string): boolean {
	if (/^[A-Z]?[a-z]+$/.test(given) && (given.length < 8 || /^[A-Z]/.test(given))) return false;
	return !/\s[a-z]{1,12}\s[a-z]{1,12}\s\S+\s\S+\s\S+\s/.test(given) && isSecretValue(given, "sole", trust, name);
}

const paired: ValueLook = (text, match, end) => {
	const from = Math.max(0, match.index - 240);
	const before = text.slice(from, match.index);
	const open = Math.max(before.lastIndexOf("}"), before.lastIndexOf(">"), before.lastIndexOf("\n\n"));
	const field = [...before.slice(open + 1).matchAll(FIELD)].at(-1);
	if (!field) return null;
	const name = nameAt(text, from + open + 1 + field.index, field[0]);
	const trust = trustIn(name);
	const at = valueStart(text, end);
	const value = trust && (quotedAt(text, at) ?? bareAt(text, at, at, ":", false));
	if (!value || (markerEnd(text, value.start) ?? 0) >= value.end) return null;
	return isSecretValue(value.text, value.style === "bare" ? "line" : value.style, trust, name) ? value : null;
};

/** A value that goes on in the next line. */
function stretched(text: string, value: Value): Value {
	if (value.style === "quoted" || value.text.length < 24) return value;
	return { ...value, end: wrappedEnd(text, value.start, value.end) };
}
