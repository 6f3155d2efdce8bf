import { findKnown, knowSecretsOf, mayHoldKnown, wordList } from "./known-values.ts";
import { rules } from "./lazy-rules.ts";
import { ofProcess } from "./one-process.ts";
import { isPlain } from "./plain.ts";
import { marker } from "./ranges.ts";

declare const made: unique symbol;
/** A text that was looked through. What is stored or told to the model takes nothing else, and this file alone makes one. */
export type Safe = string & { readonly [made]: "safe" };
/** A name that is kept as it is, since it finds a thing: an id, a hash, a key, a folder. It is never told as it stands. */
export type Exact = string & { readonly [made]: "exact" };

export const exact = (name: string): Exact => name as Exact;

/** Of texts that were looked through, each by itself, one. */
export const joinSafe = (texts: readonly Safe[], between: "" | ", " | "\n" = ""): Safe => texts.join(between) as Safe;

/** Words of ccg's own with such texts and names in them: safely`${json}\n`. */
export const safely = (words: TemplateStringsArray, ...texts: readonly (Safe | Exact | number)[]): Safe =>
	words.map((word, i) => word + (texts[i] ?? "")).join("") as Safe;

/** The same, for the model: the gate meets it again, and takes it as gone through. */
export const told = (words: TemplateStringsArray, ...texts: readonly (Safe | Exact | number)[]): Safe =>
	remember(safely(words, ...texts));

/** What is made of such a text alone, with nothing added. */
export const madeOf = (text: Safe, make: (text: string) => string): Safe => make(text) as Safe;

/** A part of such a text, as `slice` cuts. */
export const safePart = (text: Safe, from: number, to?: number): Safe => text.slice(from, to) as Safe;

/**
 * The text with secrets replaced by `[REDACTED:kind]`: tokens known by their form, private keys, credentials in URLs, headers,
 * cookies and command lines, values given to a secret's name (the name stays), secrets told in a sentence, all of these under
 * base64 and percent escapes, and the values of the environment's own secrets. Idempotent, linear in the text's length, never
 * throws (what can't be looked through is not kept); nothing in the text switches it off.
 */
export function redactSecrets(text: string): Safe {
	if (CLEAN.has(text) || (isPlain(text) && !mayHoldKnown(text))) return text as Safe;
	let clean: string;
	try {
		clean = rules().redactByRules(text, findKnown);
	} catch {
		return NOT_READ as Safe;
	}
	return remember(clean as Safe);
}

const NOT_READ = marker("not-read");
export const isNotRead = (value: unknown): boolean => typeof value === "string" && value.trimEnd() === NOT_READ;

/** What went through lately: the gate before the disk meets the same texts that were redacted when they were read. */
const lately = ofProcess("lately", { clean: new Set<string>(), chars: 0 });
const CLEAN = lately.clean;
const REMEMBERED = 2 * 1024 * 1024;

/** Keeps that a text was looked through, up to so many characters in all. */
function remember<T extends string>(text: T): T {
	if (text.length > REMEMBERED / 4) return text;
	lately.chars += text.length;
	if (lately.chars > REMEMBERED) {
		CLEAN.clear();
		lately.chars = text.length;
	}
	CLEAN.add(text);
	return text;
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

/** Takes the values of the environment's secrets as secrets from here on. Once per process, where it begins. */
export function keepOut(env: Readonly<Record<string, string | undefined>>): void {
	knowSecretsOf(env);
	CLEAN.clear();
	lately.chars = 0;
}

/**
 * A value for JSON with secrets out of every text in it, keys included, so that it stays valid: texts by themselves, values by
 * the key they stand under (`password`), and pairs of fields that name a value and hold it (`{"name": "DB_PASSWORD", "value": …}`).
 * Gives the same object where nothing had to change. Deeper than 64 levels only the name of the depth is left.
 */
export function redactDeep<T>(value: T): T {
	return redactUnder(value, "", 0) as T;
}

/**
 * A value as JSON without secrets, but for fields that must read as they are: a path tells which project and which transcript it
 * is, and one that reads otherwise is another one. It is never told as it stands.
 */
export const safeJson = <T extends object>(value: T, asIs: Partial<T> = {}): Safe =>
	JSON.stringify({ ...redactDeep(value), ...asIs }) as Safe;

/** Text of a JSON value redacted as JSON, with `indent` where it had one; any other text as text. */
export function redactJson(text: string): Safe {
	if (!"{[".includes(text.trimStart()[0] ?? " ")) return redactSecrets(text);
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return redactSecrets(text);
	}
	const clean = redactDeep(value);
	return (clean === value ? text : JSON.stringify(clean, null, /^[{[]\n( +)/.exec(text)?.[1])) as Safe;
}

/** What the user answered: `Falcon#22` is a secret when the question was for the password. */
export function redactReply(question: string, answer: string): string {
	return redactBehind(`${question.slice(0, 2_000).replace(/[?:.\s]+$/, "")}: `, answer);
}

/** A text by what stands before it: what `cat master.key` gave is a secret. */
export function redactBehind(lead: string, text: string): string {
	const both = redactSecrets(lead + text);
	return both.startsWith(lead) ? both.slice(lead.length) : redactSecrets(text);
}

function redactUnder(value: unknown, key: string, depth: number): unknown {
	if (typeof value === "string") return textUnder(key, value);
	if (value === null || typeof value !== "object") return value;
	if (depth > MAX_DEPTH) return null;
	return Array.isArray(value) ? redactList(value, key, depth) : redactObject(value as Record<string, unknown>, depth);
}

/** Redacts a list: a value behind the name of a secret is one, as in the words of a command. Gives the same list where nothing changed. */
function redactList(values: unknown[], key: string, depth: number): unknown[] {
	let made: unknown[] | null = null;
	for (const [i, value] of values.entries()) {
		// `["--password", "…"]`, `["DB_PASSWORD", "…"]`
		const before = values.length < 400 && typeof value === "string" ? secretName(values[i - 1]) : "";
		const clean = redactUnder(value, before || key, depth + 1);
		if (clean !== value) made ??= values.slice(0, i);
		made?.push(clean);
	}
	return made ?? values;
}

const NAME_FIELDS = wordList(
	"name key field variable var env id label title parameter parameterkey param property attribute header option setting type query question k n",
);
const VALUE_FIELDS = wordList(
	"value parametervalue defaultvalue currentvalue stringvalue newvalue val content data text plaintext secretstring default answer input body v",
);
/** Letters alone: no secret, and the keys of every file of the store. */
const SCHEMA_KEY = /^[A-Za-z_]{1,30}$/;

/** Of a JSON Web Key. */
const PRIVATE_PARTS = wordList("d p q dp dq qi k");

/** Redacts an object: a field's value by its own name, or by the name that another field holds. Gives the same one where nothing changed. */
function redactObject(from: Record<string, unknown>, depth: number): Record<string, unknown> {
	const keys = Object.keys(from);
	// what one field names, for another one to hold
	const naming = keys.length <= 24 && keys.find((key) => NAME_FIELDS.has(fieldWord(key)) && secretName(from[key]));
	const isJwk = typeof from.kty === "string";
	let isSame = true;
	const made = keys.map((key): [string, unknown] => {
		const clean = SCHEMA_KEY.test(key) ? key : redactSecrets(key);
		const named = naming && VALUE_FIELDS.has(fieldWord(key)) ? (from[naming] as string) : key;
		const value = redactUnder(from[key], isJwk && PRIVATE_PARTS.has(key) ? "private key" : named, depth + 1);
		isSame &&= clean === key && value === from[key];
		return [clean, value];
	});
	return isSame ? from : Object.fromEntries(made);
}

const fieldWord = (key: string): string => key.toLowerCase().replaceAll("_", "");

/** What such names are made of: anything else needs no judgement. */
const NAME_HINT = new RegExp(
	[
		"pass|pw|secret|token|key|auth|cred|salt|pin|dsn|jwt|bearer|sas|sig|sess|sid|cookie|otp|seed|mnemonic|hook|conn|phrase|code",
		"wort|senha|contras|clave|mdp|psk|pfx|p12|licen|parol|hasl|hesl",
	].join("|"),
	"i",
);

/** A value that is the name of something kept secret, `""` for any other. */
function secretName(text: unknown): string {
	if (typeof text !== "string" || text.length > 80 || !NAME_HINT.test(text)) return "";
	return /^-{0,2}[\w.$:/-]+(?: [\w-]+){0,2}$/.test(text) && rules().trustIn(text) ? text : "";
}

/** Redacts a text that stands under a key, as in JSON: the whole of it where the key names a secret and the text may be one. */
function textUnder(key: string, text: string): string {
	const clean = redactSecrets(text);
	if (clean !== text || text.length < 4 || key.length > 80 || !NAME_HINT.test(key)) return clean;
	const { trustIn, isSecretValue } = rules();
	const trust = trustIn(key);
	return trust && isSecretValue(text, "quoted", trust, key) ? marker("secret") : text;
}
