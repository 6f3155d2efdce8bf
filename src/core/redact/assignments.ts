import names from "./names.json";
import { expandParts, once, wordsIn, wordsLook } from "./patterns.ts";
import phrases from "./phrases.json";
import { markerEnd, matchAt, type Range, skip, within } from "./ranges.ts";
import { isWord, type Trust, trustIn } from "./secret-names.ts";
import { isName, isSecretValue, isTold, type Style, trimValue } from "./secret-values.ts";
import { holdsSign } from "./shape.ts";
import { quotedAt, type Value, wrappedEnd } from "./value-at.ts";

/**
 * Values given to a name that is a secret's, however they are given: `DB_PASSWORD=…`, `"apiKey": "…"`, `X-Api-Key: …`,
 * `setPassword("…")`, `--password …`, `<password>…</password>`, `{"name": "DB_PASSWORD", "value": "…"}`, "the password is …",
 * also in JSON inside JSON and in URLs. The name stays, the value goes. References, placeholders, paths, calls and code stay.
 *
 * Linear: each name costs a bounded look to its left and one at its value; what is taken is not read again.
 */
export function findAssignments(text: string, found: Range[]): void {
	const stems = stemsIn(text);
	for (let stem = stems?.exec(text); stem; stem = stems!.exec(text)) {
		const taken = within(found, stem.index);
		const name = taken ? null : nameAt(text, stem.index, stems!.lastIndex);
		const value = name && givenTo(text, name);
		if (value)
			found.push({
				start: value.start,
				end: value.end,
				kind: name.text.toLowerCase().endsWith("authorization") ? "credentials" : "secret",
			});
		stems!.lastIndex = taken?.end ?? value?.end ?? name?.end ?? stems!.lastIndex;
	}
}

/** The stems of all such names; what they stand in is judged by `trustIn`. */
const stemsIn = wordsLook(once(() => wordsIn(names.stems)));

interface Name {
	/** With up to two words before it: "API key", "secret access key". */
	text: string;
	start: number;
	end: number;
	trust: Trust;
}

const NAME_BEGIN = /[\wÀ-῿぀-힣.$-]{0,40}$/;
const NAME_END = /[\wà-῿぀-힣-]{0,40}/y;
const WORDS_BEFORE = /(?:[A-Za-zÀ-῿]{1,20} ){1,2}$/;

/** Finds the name that a stem stands in, with up to two words before it; `null` where it names no secret. */
function nameAt(text: string, stem: number, stemEnd: number): Name | null {
	const start = stem - NAME_BEGIN.exec(text.slice(Math.max(0, stem - 40), stem))![0].length;
	const end = skip(NAME_END, text, stemEnd);
	const before =
		text[start - 1] === " " ? (WORDS_BEFORE.exec(text.slice(Math.max(0, start - 42), start))?.[0] ?? "") : "";
	const whole = before + text.slice(start, end);
	const trust = trustIn(whole);
	return trust && { text: whole, start, end, trust };
}

/**
 * Ways to give a name its value, from `phrases.json`: what stands before the name, between name and value, and the value where it is
 * not one between quotes. Of each its style; `mixed`: no word, since other things stand there too; `digits`: not even a password of
 * letters alone; `listed`: and no name either; `told`: a sentence gives it; else for which names it counts.
 */
const WAYS = once(() =>
	Object.values(phrases.ways).map(([how, before, lead, value]) => ({
		style: how!.split(" ")[0] as Style,
		how: how!.split(" ").slice(1),
		isSign: how!.includes(" sign"),
		isTold: how!.endsWith(" told"),
		/** Whether what stands before is looked at from its line's beginning on. */
		isLine: before!.startsWith("^") || before!.startsWith("{line_head}"),
		before: before ? new RegExp(expandParts(before)) : null,
		lead: new RegExp(expandParts(lead!), "iy"),
		value: value ? new RegExp(expandParts(value), "y") : null,
	})),
);

const IS: Record<string, (name: Name, text: string) => boolean> = {
	sure: ({ trust }) => trust === "sure",
	likely: ({ trust }) => trust !== "maybe",
	closed: ({ end }, text) => "\"'`\\".includes(text[end] ?? " "),
	flag: ({ text }) => /(?:^| )--?[A-Za-z]\S*$/.test(text),
	noun: (name) => !isVerb(name),
	capital: ({ text }) => !/[a-z][\w-]*$/.test(text),
};
/** "pass" is a verb in sentences: only with a colon it names something. */
const isVerb = ({ text }: Name): boolean =>
	/(?:^|[^A-Za-z0-9])pass(?:es)?$/i.test(text) &&
	!/(?:^| )(?:with|using|the|my|our|wifi|root|admin|temp|db) pass$/i.test(text);

/** Whether a sign may stand behind a name: behind most in prose none does. */
const SIGNED = once(() => new RegExp(expandParts("{closers}{aside}[ \\t]{0,8}(?:[:=|?+!：＝%\\\\&-]|or\\b)"), "iy"));

/** Finds the secret that the text gives to a name, by the first of the ways that fits; `null` where there is none. */
function givenTo(text: string, name: Name): Value | null {
	const before = text.slice(Math.max(0, name.start - 300), name.start);
	const line = before.split(/\n|\\n/).at(-1)!;
	let isGiven = skip(SIGNED(), text, name.end) === name.end;
	for (const way of WAYS()) {
		if ((way.isSign && isGiven) || (way.isTold && !isTellable(name, text))) continue;
		// (a pattern is compiled when it is first asked: the cheap questions come before)
		if (way.how.some((one) => IS[one]?.(name, text) === false)) continue;
		const at = skip(way.lead, text, name.end);
		if (at === name.end) continue;
		if (way.before?.test(way.isLine ? line : before) === false) continue;
		if (way.isTold) {
			const value = toldAt(text, at, way.style as "prose" | "beside", name);
			if (value) return value;
			continue;
		}
		const raw = way.value && matchAt(way.value, text, at)?.[0];
		const value = way.value ? raw && valueFrom(at, raw, way.style) : quotedAt(text, at);
		if (!value || !isFit(value.text, name, way.how)) continue;
		const secret = secretIn(text, name, value);
		if (secret) return secret;
		// (`|` and `>` begin a block)
		isGiven ||= way.isSign && value.text.length > 2;
	}
	return null;
}

const valueFrom = (start: number, text: string, style: Style): Value => ({
	start,
	end: start + text.length,
	text,
	style,
});

/** In calls, lists and comparisons words stand for other things than secrets. */
function isFit(value: string, name: Name, how: readonly string[]): boolean {
	if (how.includes("listed") && isName(value)) return false;
	if (how.includes("mixed") && name.trust === "sure" && /^[a-z]{10,}$/.test(value)) return true;
	return holdsSign(value, MIXED) || !["mixed", "digits", "listed"].some((one) => how.includes(one));
}
/** What no word holds. */
const MIXED = "0123456789!@#$%^&*";

/** The value where it is a secret, to the end of the lines that it goes on in. */
function secretIn(text: string, name: Name, value: Value | null): Value | null {
	if (!value || (markerEnd(text, value.start) ?? 0) >= value.end) return null;
	const { text: given, style, start, end } = value;
	const scheme = style === "quoted" && name.trust === "likely" ? skip(SCHEME(), given, 0) : 0;
	if (scheme > 0) return secretIn(text, name, valueFrom(start + scheme, given.slice(scheme), "sole"));
	if ((style === "bare" || style === "line") && "(<{[".includes(text[end] ?? " ")) return null;
	// a name given to itself, as parameters are
	if (style !== "quoted" && (name.text === given || given.endsWith(`.${name.text}`))) return null;
	if (!isSecretValue(given, style, name.trust, name.text.replace(/\d+$/, ""))) return null;
	if (style === "quoted" || given.length < 24) return value;
	return { ...value, end: wrappedEnd(text, start, given.length < MAX_BARE ? end : skip(REST, text, end)) };
}

/** A longer value without quotes is one to the end of its run. */
const MAX_BARE = 4096;
const REST = /[^\s"'`]*/y;

const SCHEME = once(() => new RegExp(expandParts("{scheme}"), "iy"));

const WORD = /^(?:[A-Za-zÀ-῿]+ ){0,2}(?:[A-ZÀ-Þ]?[a-zà-῿぀-힣-]+|[A-Z-]+)$/;
/** Whether sentences say the name: a word with no sign in it, and none behind it that code has. */
const isTellable = ({ text, end }: Name, whole: string): boolean =>
	" \t\n:=\"'`*“«„,(—–-".includes(whole[end] ?? " ") && WORD.test(text) && isWord(text);

const PHRASE = /[a-z]{3,12}(?: [a-z]{3,12}){3,7}(?=\.?[ \t]*(?:\n|$))/y;
const OPEN = /["'`“”‘’«»„「『‹(<[]{1,3}/y;
const GRAPHIC = /[!-~À-ɏ]{4,256}/y;
const CLOSING: Record<string, string> = { "“": "”", "„": "“", "‘": "’", "«": "»", "»": "«", "「": "」", "『": "』" };
const PIN = /^\d{4,8}$/;

/** What a sentence gives behind a name and its verb, or right behind the name. */
function toldAt(text: string, at: number, style: "prose" | "beside", name: Name): Value | null {
	const isAct = isVerb(name);
	if (isAct && !text.slice(name.end, at).trimEnd().endsWith(":")) return null;
	if (text.slice(at, at + 16).includes("[REDACTED:")) return null;
	const last = name.text.toLowerCase().split(/[ -]/).at(-1)!;
	const phrase = style === "prose" && last.endsWith("phrase") && matchAt(PHRASE, text, at)?.[0];
	if (phrase && isSecretValue(phrase, "quoted", "sure")) return valueFrom(at, phrase, "quoted");
	const quoted = quotedAt(text, at) ?? betweenAt(text, at);
	if (quoted && isToldBetween(quoted.text, name)) return quoted;
	const start = skip(OPEN, text, at);
	const raw = matchAt(GRAPHIC, text, start)?.[0];
	if (raw === undefined || (style === "beside" && "=:([{<>|&-".includes(raw[0]!))) return null;
	const value = trimValue(raw, start > at);
	// a verdict of a test, and its name
	if (isAct && /[/(]|^[A-Z][a-z]+[A-Z]/.test(value)) return null;
	const is = last === "pin" ? style === "prose" && PIN.test(value) : isTold(value, style, name.trust);
	return is ? valueFrom(start, value, style) : null;
}

/** A value between other quotes than code has. */
function betweenAt(text: string, at: number): Value | null {
	const close = CLOSING[text[at] ?? ""];
	const end = close ? text.slice(0, at + 122).indexOf(close, at + 1) : -1;
	const value = text.slice(at + 1, end);
	return end - at > 4 && !value.includes("\n") ? valueFrom(at + 1, value, "quoted") : null;
}

/** Between quotes more may stand: what a name's quoted value may be, if it has something no word has. */
function isToldBetween(value: string, { text: name, trust }: Name): boolean {
	if (value.length > 256 || value.includes(name) || /^\w+\(/.test(value)) return false;
	const is = holdsSign(value, `${MIXED}+=?~`) || /^[a-z]+(?:[ -][a-z]+){2,}$|^[a-z]{10,}$/.test(value);
	return is && isSecretValue(value, "quoted", trust, "password");
}
