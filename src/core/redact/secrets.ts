import { findKnown, knowSecretsOf, knowsAny } from "./known-values.ts";
import { rules } from "./lazy-rules.ts";
import { marker } from "./marker.ts";

/**
 * The text with secrets replaced by `[REDACTED:kind]`: tokens known by their form, private keys, credentials in URLs, headers,
 * cookies and command lines, values given to a secret's name (the name stays), secrets told in a sentence, all of these under
 * base64 and percent escapes, and the values of the environment's own secrets. Idempotent, linear in the text's length, never
 * throws (what can't be looked through is not kept); nothing in the text switches it off.
 */
export function redactSecrets(text: string): string {
	if (text.length < MIN || (!knowsAny() && isPlain(text)) || CLEAN.has(text)) return text;
	let clean: string;
	try {
		clean = rules().redactByRules(text, findKnown);
	} catch {
		return marker("not-read");
	}
	remember(clean);
	return clean;
}

/** Nothing shorter is taken for a secret. */
const MIN = 6;

/**
 * Most texts are names, paths, times and words of a status: nothing in them is given to a name, and no part is as long and as
 * mixed as a token. A path ends in a session's UUID often.
 */
function isPlain(text: string): boolean {
	if (text.length > 300) return false;
	if (!NOT_PLAIN.test(text) || SMALL_WORDS.test(text) || TIME.test(text)) return true;
	return text.includes("/") && text.includes("-") && !NOT_PLAIN.test(text.replace(UUID_FILE, "/"));
}
/**
 * A sign that no name and no path has, or a part in which letters and digits are as mixed as in a token: ten of them, or six
 * behind a dash, where a token may go on.
 */
const NOT_PLAIN =
	/[^\w./@~-]|A3-|(?<![A-Za-z0-9])(?=[A-Za-z0-9]{10})(?:[A-Za-z]{0,24}\d{1,16}[A-Za-z]|[A-Za-z]{1,24}\d{5}|[A-Za-z]{25}|\d{17})|[_-](?=[A-Za-z0-9]{6})[A-Za-z]{0,24}\d{1,16}[A-Za-z]/;
const SMALL_WORDS = /^[a-z]{0,20}(?: [a-z]{1,12}){0,4}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z?$/;
const UUID_FILE = /\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=[./]|$)/g;

/** What went through lately: the gate before the disk meets the same texts that were redacted when they were read. */
const CLEAN = new Set<string>();
const REMEMBERED = 2 * 1024 * 1024;
let remembered = 0;

function remember(text: string): void {
	if (text.length > REMEMBERED / 4) return;
	remembered += text.length;
	if (remembered > REMEMBERED) {
		CLEAN.clear();
		remembered = text.length;
	}
	CLEAN.add(text);
}

/** A part of a text that went through: what is cut from it needs no second look. */
export function partOfClean(whole: string, part: string): string {
	if (CLEAN.has(whole)) remember(part);
	return part;
}

/** Takes the values of the environment's secrets as secrets from here on. Once per process, where it begins. */
export function keepOut(env: Readonly<Record<string, string | undefined>>): void {
	knowSecretsOf(env);
	CLEAN.clear();
	remembered = 0;
}
