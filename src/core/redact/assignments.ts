import names from "./names.json";
import { expandParts, makeOnce, splitWordLines, wordMatcher } from "./patterns.ts";
import phrases from "./phrases.json";
import { endOfMatch, lastRangeAround, markerEnd, type Range, stickyMatch } from "./ranges.ts";
import { type Certainty, isSecretWord, secretCertainty } from "./secret-names.ts";
import { isCompoundName, isSecretValue, isSentenceSecret, type Style, trimValue } from "./secret-values.ts";
import { hasAnyOf } from "./shape.ts";
import { endOfWrappedValue, quotedValueAt, type Value } from "./value-at.ts";

/**
 * Values given to a name that is a secret's, however they are given: `DB_PASSWORD=…`, `"apiKey": "…"`, `X-Api-Key: …`,
 * `setPassword("…")`, `--password …`, `<password>…</password>`, `{"name": "DB_PASSWORD", "value": "…"}`, "the password is …",
 * also in JSON inside JSON and in URLs. The name stays, the value goes. References, placeholders, paths, calls and code stay.
 *
 * Linear: each name costs a bounded look to its left and one at its value; a secret that was found is not read again.
 */
export function findAssignments(text: string, found: Range[]): void {
	const stems = stemPatternFor(text);
	for (let stem = stems?.exec(text); stem; stem = stems!.exec(text)) {
		const foundRange = lastRangeAround(found, stem.index);
		const name = foundRange ? null : nameAt(text, stem.index, stems!.lastIndex);
		const value = name && findGivenSecret(text, name);
		if (value) {
			const isHeader = name.text.toLowerCase().endsWith("authorization");
			found.push({ start: value.start, end: value.end, kind: isHeader ? "credentials" : "secret" });
		}
		stems!.lastIndex = foundRange?.end ?? value?.end ?? name?.end ?? stems!.lastIndex;
	}
}

/** The pattern of the stems of secrets' names (`pass`, `token`, …) that a text holds. */
const stemPatternFor = wordMatcher(makeOnce(() => splitWordLines(names.stems)));

interface Name {
	/** With up to two words before it: "API key", "secret access key". */
	text: string;
	start: number;
	end: number;
	certainty: Certainty;
}

const NAME_BEGIN = /[\wÀ-῿぀-힣.$-]{0,40}$/;
const NAME_END = /[\wà-῿぀-힣-]{0,40}/y;
const WORDS_BEFORE = /(?:[A-Za-zÀ-῿]{1,20} ){1,2}$/;

/** The whole name around a stem (`DB_PASSWORD` around `pass`), with up to two words before it; `null` where it names no secret. */
function nameAt(text: string, stemStart: number, stemEnd: number): Name | null {
	const start = stemStart - NAME_BEGIN.exec(text.slice(Math.max(0, stemStart - 40), stemStart))![0].length;
	const end = endOfMatch(NAME_END, text, stemEnd);
	const before =
		text[start - 1] === " " ? (WORDS_BEFORE.exec(text.slice(Math.max(0, start - 42), start))?.[0] ?? "") : "";
	const name = before + text.slice(start, end);
	const certainty = secretCertainty(name);
	return certainty && { text: name, start, end, certainty };
}

/**
 * Forms of giving a name its value, from `phrases.json`: what stands before the name, between name and value, and the value where it
 * is not one between quotes. Of each its style and conditions. `mixed`: no word, since other things stand there too; `digits`: not even
 * a password of letters alone; `listed`: and no name either; `told`: in a sentence; else for which names it counts (`NAME_CONDITIONS`).
 */
const ASSIGNMENT_FORMS = makeOnce(() =>
	Object.values(phrases.ways).map(([how, before, between, value]) => ({
		style: how!.split(" ")[0] as Style,
		conditions: how!.split(" ").slice(1),
		needsSign: how!.includes(" sign"),
		isSentence: how!.endsWith(" told"),
		isFromLineStart: before!.startsWith("^") || before!.startsWith("{line_head}"),
		before: before ? new RegExp(expandParts(before)) : null,
		between: new RegExp(expandParts(between!), "iy"),
		value: value ? new RegExp(expandParts(value), "y") : null,
	})),
);

const NAME_CONDITIONS: Record<string, (name: Name, text: string) => boolean> = {
	sure: ({ certainty }) => certainty === "sure",
	likely: ({ certainty }) => certainty !== "maybe",
	closed: ({ end }, text) => "\"'`\\".includes(text[end] ?? " "),
	flag: ({ text }) => /(?:^| )--?[A-Za-z]\S*$/.test(text),
	noun: (name) => !isPassVerb(name),
	capital: ({ text }) => !/[a-z][\w-]*$/.test(text),
};
/** Whether a name is the word "pass" in the sense of a verb or a test's verdict; in sentences it names a secret only before a colon. */
const isPassVerb = ({ text }: Name): boolean =>
	/(?:^|[^A-Za-z0-9])pass(?:es)?$/i.test(text) &&
	!/(?:^| )(?:with|using|the|my|our|wifi|root|admin|temp|db) pass$/i.test(text);

/** Whether a sign may stand behind a name: behind most in prose none does. */
const SIGN_AFTER_NAME = makeOnce(
	() => new RegExp(expandParts("{closers}{aside}[ \\t]{0,8}(?:[:=|?+!：＝%\\\\&-]|or\\b)"), "iy"),
);

/** Finds the secret that the text gives to a name, by the first of the forms that fits; `null` where there is none. */
function findGivenSecret(text: string, name: Name): Value | null {
	const before = text.slice(Math.max(0, name.start - 300), name.start);
	const line = before.split(/\n|\\n/).at(-1)!;
	let isSignRuledOut = endOfMatch(SIGN_AFTER_NAME(), text, name.end) === name.end;
	for (const form of ASSIGNMENT_FORMS()) {
		if ((form.needsSign && isSignRuledOut) || (form.isSentence && !isSentenceName(name, text))) continue;
		// cheap conditions first: a pattern is compiled at its first use
		if (form.conditions.some((condition) => NAME_CONDITIONS[condition]?.(name, text) === false)) continue;
		const valueStart = endOfMatch(form.between, text, name.end);
		if (valueStart === name.end) continue;
		if (form.before?.test(form.isFromLineStart ? line : before) === false) continue;
		if (form.isSentence) {
			const secret = secretInSentence(text, valueStart, form.style as "prose" | "beside", name);
			if (secret) return secret;
			continue;
		}
		const raw = form.value && stickyMatch(form.value, text, valueStart)?.[0];
		const value = form.value ? raw && valueAt(valueStart, raw, form.style) : quotedValueAt(text, valueStart);
		if (!value || !fitsConditions(value.text, name, form.conditions)) continue;
		const secret = secretFromValue(text, name, value);
		if (secret) return secret;
		// the sign gave something else; but a short value may only begin a block, as `|` and `>` in YAML
		isSignRuledOut ||= form.needsSign && value.text.length > 2;
	}
	return null;
}

/** The value with this text and style that begins at `start`. */
const valueAt = (start: number, text: string, style: Style) => ({ start, end: start + text.length, text, style });

/** Whether a value meets the conditions of its form (`ASSIGNMENT_FORMS`): in calls and lists words stand for other things than secrets. */
function fitsConditions(value: string, name: Name, conditions: readonly string[]): boolean {
	if (conditions.includes("listed") && isCompoundName(value)) return false;
	if (conditions.includes("mixed") && name.certainty === "sure" && /^[a-z]{10,}$/.test(value)) return true;
	return hasAnyOf(value, DIGITS_AND_SIGNS) || !["mixed", "digits", "listed"].some((one) => conditions.includes(one));
}
/** What no plain word holds. */
const DIGITS_AND_SIGNS = "0123456789!@#$%^&*";

/** The value, extended over the lines that it wraps onto, where it is a secret; else `null`. */
function secretFromValue(text: string, name: Name, value: Value | null): Value | null {
	if (!value || (markerEnd(text, value.start) ?? 0) >= value.end) return null;
	const { text: valueText, style, start, end } = value;
	const schemeEnd = style === "quoted" && name.certainty === "likely" ? endOfMatch(AUTH_SCHEME(), valueText, 0) : 0;
	if (schemeEnd > 0) return secretFromValue(text, name, valueAt(start + schemeEnd, valueText.slice(schemeEnd), "sole"));
	if ((style === "bare" || style === "line") && "(<{[".includes(text[end] ?? " ")) return null;
	// a name given to itself, as parameters are
	if (style !== "quoted" && (name.text === valueText || valueText.endsWith(`.${name.text}`))) return null;
	if (!isSecretValue(valueText, style, name.certainty, name.text.replace(/\d+$/, ""))) return null;
	if (style === "quoted" || valueText.length < 24) return value;
	const runEnd = valueText.length < MAX_BARE ? end : endOfMatch(REST_OF_RUN, text, end);
	return { ...value, end: endOfWrappedValue(text, start, runEnd) };
}

/** A longer value without quotes is one to the end of its run. */
const MAX_BARE = 4096;
const REST_OF_RUN = /[^\s"'`]*/y;

const AUTH_SCHEME = makeOnce(() => new RegExp(expandParts("{scheme}"), "iy"));

const PLAIN_WORDS = /^(?:[A-Za-zÀ-῿]+ ){0,2}(?:[A-ZÀ-Þ]?[a-zà-῿぀-힣-]+|[A-Z-]+)$/;
/** Whether a name is written as in a sentence: plain words that name a secret, with nothing behind them that code has. */
const isSentenceName = ({ text: name, end }: Name, text: string): boolean =>
	" \t\n:=\"'`*“«„,(—–-".includes(text[end] ?? " ") && PLAIN_WORDS.test(name) && isSecretWord(name);

const PHRASE = /[a-z]{3,12}(?: [a-z]{3,12}){3,7}(?=\.?[ \t]*(?:\n|$))/y;
const OPENING_QUOTES = /["'`“”‘’«»„「『‹(<[]{1,3}/y;
const VISIBLE_RUN = /[!-~À-ɏ]{4,256}/y;
const QUOTE_END: Record<string, string> = { "“": "”", "„": "“", "‘": "’", "«": "»", "»": "«", "「": "」", "『": "』" };
const PIN = /^\d{4,8}$/;

/** The secret that a sentence gives: behind the name and a verb (`prose`), or right behind the name (`beside`); else `null`. */
function secretInSentence(text: string, at: number, style: "prose" | "beside", name: Name): Value | null {
	const isVerb = isPassVerb(name);
	if (isVerb && !text.slice(name.end, at).trimEnd().endsWith(":")) return null;
	if (text.slice(at, at + 16).includes("[REDACTED:")) return null;
	const lastWord = name.text.toLowerCase().split(/[ -]/).at(-1)!;
	const passphrase = style === "prose" && lastWord.endsWith("phrase") && stickyMatch(PHRASE, text, at)?.[0];
	if (passphrase && isSecretValue(passphrase, "quoted", "sure")) return valueAt(at, passphrase, "quoted");
	const quoted = quotedValueAt(text, at) ?? typographicQuoteAt(text, at);
	if (quoted && isQuotedSecretInSentence(quoted.text, name)) return quoted;
	const start = endOfMatch(OPENING_QUOTES, text, at);
	const unquoted = stickyMatch(VISIBLE_RUN, text, start)?.[0];
	if (unquoted === undefined || (style === "beside" && "=:([{<>|&-".includes(unquoted[0]!))) return null;
	const value = trimValue(unquoted, start > at);
	// "pass:" as the verdict of a test, and the test's name
	if (isVerb && /[/(]|^[A-Z][a-z]+[A-Z]/.test(value)) return null;
	const isSecret =
		lastWord === "pin" ? style === "prose" && PIN.test(value) : isSentenceSecret(value, style, name.certainty);
	return isSecret ? valueAt(start, value, style) : null;
}

/** The value between typographic quotes (“…”, «…») that begins at `at`; `null` where there is none. */
function typographicQuoteAt(text: string, at: number): Value | null {
	const close = QUOTE_END[text[at] ?? ""];
	const end = close ? text.slice(0, at + 122).indexOf(close, at + 1) : -1;
	const value = text.slice(at + 1, end);
	return end - at > 4 && !value.includes("\n") ? valueAt(at + 1, value, "quoted") : null;
}

/** Whether a quoted value in a sentence is the name's secret: it must hold something that no plain word has. */
function isQuotedSecretInSentence(value: string, { text: name, certainty }: Name): boolean {
	if (value.length > 256 || value.includes(name) || /^\w+\(/.test(value)) return false;
	const isUnlikeAWord =
		hasAnyOf(value, `${DIGITS_AND_SIGNS}+=?~`) || /^[a-z]+(?:[ -][a-z]+){2,}$|^[a-z]{10,}$/.test(value);
	return isUnlikeAWord && isSecretValue(value, "quoted", certainty, "password");
}
