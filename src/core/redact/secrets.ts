import { findAssignments, STEMS } from "./assignments.ts";
import { findInCommands } from "./commands.ts";
import { findEncoded } from "./encoded.ts";
import { findInFormats } from "./formats.ts";
import { findHeaders } from "./headers.ts";
import { findKnown, knowSecretsOf, knowsAny } from "./known-values.ts";
import { marker } from "./marker.ts";
import { findPrivateKeys } from "./private-keys.ts";
import { findAgain, type Range, replaced } from "./ranges.ts";
import { findTokens } from "./tokens.ts";
import { findTold } from "./told.ts";

/** Rounds until nothing changes any more: nearly always one that changes something. The bound only guards against a loop. */
const MAX_ROUNDS = 5;

/**
 * The text with secrets replaced by `[REDACTED:kind]`: tokens known by their form, private keys, credentials in URLs, headers,
 * cookies and command lines, values given to a secret's name (the name stays), secrets told in a sentence, all of these under
 * base64 and percent escapes, and the values of the environment's own secrets. Idempotent, linear in the text's length, never
 * throws; nothing in the text switches it off.
 */
export function redactSecrets(text: string): string {
	if (text.length < MIN || CLEAN.has(text)) return text;
	return text.length <= SHORT && !HINT.test(text) && !knowsAny() ? text : redactTo(text, 0);
}

/** Most texts are short: names, paths, words of a status. One look tells that nothing in them can be a secret. */
const SHORT = 400;
/** A run as long as a token with a digit in it, a URL, a name's stem, a foreign word, or a line of a command. */
const HINT = new RegExp(
	`(?=[A-Za-z_+/=.~:%$-]{0,80}[0-9])[A-Za-z0-9_+/=.~:%$-]{14}|://|${STEMS}|phrase|login|ident|code|:[0-9*]+:| --?[A-Za-z]| \\| |<<<|\n|[^\\x00-\\xff]`,
	"i",
);

/** What can't be looked through is not kept. */
function redactTo(text: string, depth: number): string {
	try {
		return redactThrough(text, depth);
	} catch {
		return marker("not-read");
	}
}

function redactThrough(text: string, depth: number): string {
	let current = text;
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const next = redactOnce(current, depth);
		if (next === current) break;
		current = next;
	}
	if (depth === 0) remember(current);
	return current;
}

/** Nothing shorter is taken for a secret: `a:b@` in a URL is nine. */
const MIN = 6;

function redactOnce(text: string, depth: number): string {
	const found: Range[] = [];
	findKnown(text, found);
	findPrivateKeys(text, found);
	findTokens(text, found);
	findHeaders(text, found);
	findAssignments(text, found);
	findInCommands(text, found);
	findTold(text, found);
	findInFormats(text, found);
	findEncoded(text, depth, redactTo, found);
	if (found.length > 0) findAgain(text, found);
	return replaced(text, found);
}

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

/** Takes the values of the environment's secrets as secrets from here on. Once per process, where it begins. */
export function keepOut(env: Readonly<Record<string, string | undefined>>): void {
	knowSecretsOf(env);
	CLEAN.clear();
	remembered = 0;
}
