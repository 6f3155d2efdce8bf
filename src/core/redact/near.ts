import { isReference } from "./marker.ts";
import { looksTyped } from "./random-looking.ts";
import { eachMatch, type Range } from "./ranges.ts";
import { isName, isTold, trimmed } from "./secret-values.ts";

/**
 * Passwords that no name stands right before: a sentence or a call says what they open. Where the grammar gives them ("use … to
 * log in") any password will do; anywhere else on such a line only what can be nothing but one.
 */
export function findNear(whole: string, found: Range[]): void {
	if (!OPENS.test(whole)) return;
	const text = whole.replace(MOMENT, (moment) => " ".repeat(moment.length));
	for (const pattern of GIVEN) eachMatch(pattern, text, (match) => take(match, isGiven, found));
	for (const pattern of PAIRS) eachMatch(pattern, text, (match) => take(match, isPaired, found));
	eachMatch(CALL, text, (match) => take(match, isArgument, found));
	eachMatch(TYPED, text, (match) => take(match, (value) => looksTyped(value) && isOpened(text, match), found));
}

/** A date or a time of day. */
const MOMENT =
	/(?<!\w)(?:\d{4}-\d\d-\d\d(?:T\d\d:\d\d[\d:.]{0,12}(?:Z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?)(?!\w)/g;
const OPENS = /pass|pw|log|sign|cred|auth|onnect|zugang|identifiants|accesso|pdo|hash|hmac|cipher|cookie|user|sudo/i;
const KIND = "(?:pass(?:word|phrase|code|wort)?|pwd?|pw|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło)";
const LOGIN =
	"(?:log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed|ing)?[ -]?in|connect(?:ed|ing)?|authenticat(?:e|ed|ing)|unlock|credentials?|creds|zugangsdaten|identifiants|credenciales|accesso)";
const ACCOUNT = "(?:log-?in|sign[ -]in|credentials?|creds|zugangsdaten|identifiants|credenciales|accesso)";
const VALUE = "[\"'`“(]{0,2}(?<value>[!-~]{5,100})";
const WHO = "[\"'`(]{0,2}[\\w.@+-]{2,60}[\"'`]?";

const GIVEN = [
	// use … to log in, … as the password
	`(?<![A-Za-z])(?:use|using|used|enter|type|answer|try|put|store|gave|give|to|with|is)[ \\t]+(?:the |this |in )?${VALUE}[ \\t]+(?=(?:to|for|as|at|when|if|in|is|on|\\()[ \\t(]*[^.:;\\n]{0,40}?(?:${KIND}|${LOGIN})(?![A-Za-z]))`,
	`(?<![^\\s"'\`(])${VALUE}[ \\t](?=(?:as|is|for|was|als|ist|es|est|è|é|jako)[ \\t]+(?:the|my|your|our|a|its|das|mein|euer|la|le|el|o|il|mon|mi|het)[ \\t]+(?:[A-Za-z]{2,12}[ \\t]+){0,2}(?:${KIND}|pin|token|secret|api[ -]?key)(?![A-Za-z]))`,
	// log in as … with …
	`(?<![A-Za-z])${LOGIN}(?:[ \\t]+(?:to|as|into|at|on|with the user|with user)[ \\t]+(?:the )?[^\\s]{1,60},?){0,3}[ \\t]+(?:with|using|and|via|mit|avec|con)[ \\t]+${VALUE}`,
	// asks for a password, I type …
	`(?<![A-Za-z])(?:${KIND}|${LOGIN})[^.:;\\n]{0,40}[ \\t](?:type|typed|enter|entered|used?|answer)[ \\t]+${VALUE}`,
].map((source) => new RegExp(source, "gi"));

const PAIRS = [
	// credentials: … / …
	`(?<![A-Za-z])(?:${ACCOUNT}|user(?:name)?\\/${KIND})(?:[ \\t]+(?:data|for [^\\n:=]{1,30}?))?(?:[ \\t]*[:=]|[ \\t]+(?:are|is|sind|sont|son|with|as))?[ \\t]*${WHO}(?:[ \\t]*[/|:,][ \\t]*|[ \\t]+(?:and|und|y|et|e)[ \\t]+)${VALUE}`,
	`(?<![A-Za-z])temporary ${KIND} is generated for [^\\s:]{1,60}:[ \\t]*${VALUE}`,
	`(?<![A-Za-z])user(?:name)?[ \\t:=]+${WHO}[ \\t,]+(?:and |with |und |mit )?(?:the )?${KIND}[ \\t]+${VALUE}`,
].map((source) => new RegExp(source, "gi"));

const CALL =
	/(?<![A-Za-z])\w{0,40}(?:log_?in|logon|sign_?in|sign_?up|register|create_?user|auth|basic_?auth\w{0,20}|authenticate|connect(?:ion)?|credentials?|PDO)[ =]{0,3}\((?:[^()"'`\n]{1,60},[ \t]*|[^()"'`\n]{0,40}["'`][^"'`\n]{1,120}["'`],[ \t]*){1,2}[a-z]{0,2}["'`](?<value>[^"'`\s]{5,100})["'`]/gi;
const TYPED = /(?<![^\s"'`(:=,/])(?<value>(?=[^\s"'`\d]{0,63}\d)[A-Za-z0-9][^\s"'`]{5,63})(?![^\s"'`),.;])/g;
const OPENED = new RegExp(
	// ("tests pass" is no password)
	`(?<![A-Za-z])(?:${KIND}s?(?<!(?<!(?:with|the|my|your|and|root|admin|db|user) )pass(?:es|s)?)|pass phrase|${LOGIN}|log(?:ged|ging)? into|sudo|basic[ -]auth)(?![A-Za-z])`,
	"i",
);
/** Between quotes: what code calls with a password or a secret. */
const OPENED_IN_CODE = /pass|pwd|secret|hash|hmac|cipher|jwt|cookie|session|auth|crypt|user/i;

function take(match: RegExpExecArray, is: (value: string) => boolean, found: Range[]): void {
	const raw = match.groups!.value!;
	const value = trimmed(raw);
	if (value.length < 5 || value.startsWith("[REDACTED:") || isReference(value) || !is(value)) return;
	const start = match.index + match[0].lastIndexOf(raw);
	found.push({ start, end: start + value.length, kind: "secret" });
}

/** Digits inside letters, a sign that no word has, or words and a number put together: not a word with a number, as versions are. */
const isGiven = (value: string): boolean =>
	/^[a-z]{3,12}(?:-[a-z]{3,12}){2,7}$/.test(value) ||
	looksTyped(value) ||
	(/^[A-Za-z0-9].*\d|^[A-Za-z0-9]\w*[!#$%^&?~]\w/.test(value) &&
		value.length >= 6 &&
		!HEX.test(value) &&
		isTold(value, "prose", "sure") &&
		!/^(?:[a-z]{1,12}[-_.]?\d{1,4}|[A-Za-z]{1,12}\d)$/.test(value) &&
		(/\d[A-Za-z]|[!@#$%^&*+?~]/.test(value) || isTold(value, "beside", "sure")) &&
		!/[=()[\]{}<>]|^(?:\dfa|ssh|sha\d|md5|aes|rsa|tls|ssl|ecdsa|ed\d|wpa|base\d|oauth)/i.test(value));

const isPaired = (value: string): boolean =>
	isGiven(value) ||
	(/^[A-Za-z0-9!@#$%^&*][^=]*$/.test(value) &&
		!HEX.test(value) &&
		/\d/.test(value) &&
		isTold(value, "prose", "sure") &&
		!/^[a-z]+(?:[-_][a-z]+)*\d$/.test(value));
const HEX = /^(?:0x)?[0-9a-f]+$/;
const isArgument = (value: string): boolean =>
	looksTyped(value) || (isTold(value, "prose", "sure") && !isName(value) && !/[/:@.]/.test(value));

/** A word for a password or a login stands on the same line, not far off. */
function isOpened(text: string, { index, 0: whole }: RegExpExecArray): boolean {
	const before = /[^\n]*$/.exec(text.slice(Math.max(0, index - 70), index))![0];
	const behind = /^[^\n]*/.exec(text.slice(index + whole.length, index + whole.length + 70))![0];
	return (
		OPENED.test(before) ||
		OPENED.test(behind) ||
		(/["'`]$/.test(before) && /^["'`]/.test(behind) && (OPENED_IN_CODE.test(before) || /\?\?\s*["']$/.test(before)))
	);
}
