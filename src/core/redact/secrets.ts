import { findKnown, knowSecretsOf, mayHoldKnown } from "./known-values.ts";
import { rules } from "./lazy-rules.ts";
import { marker } from "./marker.ts";
import { isPlain } from "./plain.ts";

/**
 * The text with secrets replaced by `[REDACTED:kind]`: tokens known by their form, private keys, credentials in URLs, headers,
 * cookies and command lines, values given to a secret's name (the name stays), secrets told in a sentence, all of these under
 * base64 and percent escapes, and the values of the environment's own secrets. Idempotent, linear in the text's length, never
 * throws (what can't be looked through is not kept); nothing in the text switches it off.
 */
export function redactSecrets(text: string): string {
	if (CLEAN.has(text) || (isPlain(text) && !mayHoldKnown(text))) return text;
	let clean: string;
	try {
		clean = rules().redactByRules(text, findKnown);
	} catch {
		return marker("not-read");
	}
	remember(clean);
	return clean;
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

/**
 * Takes texts that stand redacted on the disk, by these very rules, as gone through: a session's state is read again at each
 * hook. The names of its fields too, which a state's paths and symbols are. Not one that may hold a secret of this process's
 * environment.
 */
export function rememberRedacted(value: unknown, depth = 0): void {
	if (typeof value === "string") {
		if (value.length >= SHORTEST && !mayHoldKnown(value)) remember(value);
	} else if (value !== null && typeof value === "object" && depth < MAX_DEPTH) {
		const isList = Array.isArray(value);
		for (const name of Object.keys(value)) {
			if (!isList) rememberRedacted(name);
			rememberRedacted((value as Record<string, unknown>)[name], depth + 1);
		}
	}
}

/** What is shorter is plain at a glance. */
const SHORTEST = 6;
/** Deeper nothing is kept (`redactDeep`). */
const MAX_DEPTH = 64;

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
