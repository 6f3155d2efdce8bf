import { findEnvironmentSecrets, mayHoldEnvironmentSecret, setEnvironmentSecrets, wordLookup } from "./known-values.ts";
import { loadRules } from "./lazy-rules.ts";
import { oncePerProcess } from "./one-process.ts";
import { isObviouslySafe } from "./plain.ts";
import { redactionMarker } from "./ranges.ts";
import { RULES_VERSION } from "./rules-version.ts";

declare const made: unique symbol;
/** A text that went through redaction. What is stored or given to the model takes nothing else, and this file alone makes one. */
export type Safe = string & { readonly [made]: "safe" };
/** A name that must stay as it is to find a thing: an id, a hash, a key, a folder. It is never shown to the model. */
export type Exact = string & { readonly [made]: "exact" };

/** Marks a name as `Exact`. */
export const exact = (name: string): Exact => name as Exact;

/** Joins redacted texts into one. */
export const joinSafe = (texts: readonly Safe[], between: "" | ", " | "\n" = ""): Safe => texts.join(between) as Safe;

/** Template tag: ccg's own words with redacted texts and exact names in them, as in safeTemplate`${json}\n`. */
export const safeTemplate = (words: TemplateStringsArray, ...texts: readonly (Safe | Exact | number)[]): Safe =>
	words.map((word, i) => word + (texts[i] ?? "")).join("") as Safe;

/** Template tag as `safeTemplate`, for the model: the result is remembered, so that redaction passes it without another look. */
export const knownSafe = (words: TemplateStringsArray, ...texts: readonly (Safe | Exact | number)[]): Safe =>
	rememberClean(safeTemplate(words, ...texts));

/** Changes a redacted text by `make`, which must add nothing to it. */
export const mapSafe = (text: Safe, make: (text: string) => string): Safe => make(text) as Safe;

/** A part of a redacted text, cut as `slice` does. */
export const sliceSafe = (text: Safe, from: number, to?: number): Safe => text.slice(from, to) as Safe;

/**
 * The text with secrets replaced by `[REDACTED:kind]`: known forms of tokens, private keys, credentials in URLs, headers, cookies and
 * command lines, values given to a secret's name (the name stays), secrets in a sentence, all of these in base64 and percent escapes,
 * and values of the environment's secrets. Idempotent, linear, never throws: a text on which the rules fail becomes a marker.
 */
export function redactSecrets(text: string): Safe {
	if (CLEAN_TEXTS.has(text) || (isObviouslySafe(text) && !mayHoldEnvironmentSecret(text))) return text as Safe;
	let clean: string;
	try {
		clean = loadRules().redactByRules(text, findEnvironmentSecrets);
	} catch {
		return NOT_READ_MARKER as Safe;
	}
	return rememberClean(clean as Safe);
}

/** A mark by which another process knows a text again that these rules leave as it is; `null` where they would change it. */
export const safeMark = (text: string): string | null => (redactSecrets(text) === text ? markOf(text) : null);

/** Passes a text from here on where it has the mark that was made of it, and holds no secret of this process's environment. */
export function passMarked(text: string, mark: string | undefined): void {
	if (mark === markOf(text) && !mayHoldEnvironmentSecret(text)) rememberClean(text);
}

const markOf = (text: string): string => new Bun.CryptoHasher("sha256").update(RULES_VERSION + text).digest("hex");

const NOT_READ_MARKER = redactionMarker("not-read");
/** Whether a value is what stands for a text on which the rules failed. */
export const isNotReadMarker = (value: unknown): boolean =>
	typeof value === "string" && value.trimEnd() === NOT_READ_MARKER;

/** Texts that redaction gave lately: the gate before the disk meets the same ones again. */
const recentlyRedacted = oncePerProcess("lately", { texts: new Set<string>(), chars: 0 });
const CLEAN_TEXTS = recentlyRedacted.texts;
const MAX_REMEMBERED = 2 * 1024 * 1024;

/** Remembers that a text is redacted, so that `redactSecrets` passes it at once. Beyond `MAX_REMEMBERED` characters it forgets all. */
function rememberClean<T extends string>(text: T): T {
	if (text.length > MAX_REMEMBERED / 4) return text;
	recentlyRedacted.chars += text.length;
	if (recentlyRedacted.chars > MAX_REMEMBERED) {
		CLEAN_TEXTS.clear();
		recentlyRedacted.chars = text.length;
	}
	CLEAN_TEXTS.add(text);
	return text;
}

/**
 * Remembers every text of a value, and every field's name, as redacted: it was read from the disk, where these very rules had redacted
 * it. Not a text that may hold a secret of this process's environment.
 */
export function rememberCleanDeep(value: unknown, depth = 0): void {
	if (typeof value === "string") {
		if (value.length >= SHORTEST && !mayHoldEnvironmentSecret(value)) rememberClean(value);
	} else if (value !== null && typeof value === "object" && depth < MAX_DEPTH) {
		const isList = Array.isArray(value);
		for (const name of Object.keys(value)) {
			if (!isList) rememberCleanDeep(name);
			rememberCleanDeep((value as Record<string, unknown>)[name], depth + 1);
		}
	}
}

/** Shorter texts need no remembering: redaction passes them at once. */
const SHORTEST = 6;
/** Deeper `redactDeep` keeps nothing. */
const MAX_DEPTH = 64;

/** Redacts the values of the environment's secrets from here on. Called once, where a process begins. */
export function registerEnvironmentSecrets(env: Readonly<Record<string, string | undefined>>): void {
	setEnvironmentSecrets(env);
	CLEAN_TEXTS.clear();
	recentlyRedacted.chars = 0;
}

/**
 * A copy of a JSON value with secrets redacted in every text and key: texts by themselves, values by the key they stand under
 * (`password`), and pairs of fields of which one names the other's value (`{"name": "DB_PASSWORD", "value": …}`). The same object where
 * nothing changes.
 */
export function redactDeep<T>(value: T): T {
	return redactByKey(value, "", 0) as T;
}

/** A value as JSON without secrets. The fields `asIs`, as paths, stay unredacted: such JSON is never shown to the model. */
export function safeJson<T extends object>(value: T, asIs: Partial<T> = {}): Safe {
	const places = Object.fromEntries(Object.keys(asIs).map((key) => [key, null]));
	return JSON.stringify({ ...redactDeep({ ...value, ...places }), ...asIs }) as Safe;
}

/** A JSON text redacted as a value, with its indent kept; any other text redacted as text. */
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

/** Redacts the user's answer to a question: `Falcon#22` is a secret where the question was for the password. */
export function redactReply(question: string, answer: string): string {
	return redactWithLead(`${question.slice(0, 2_000).replace(/[?:.\s]+$/, "")}: `, answer);
}

/** Redacts a text in view of what stands before it: after `cat master.key` it is a secret. */
export function redactWithLead(lead: string, text: string): string {
	const both = redactSecrets(lead + text);
	return both.startsWith(lead) ? both.slice(lead.length) : redactSecrets(text);
}

/** Redacts a value of any shape; `key`: the field's name that it stands under. Below `MAX_DEPTH` it becomes `null`. */
function redactByKey(value: unknown, key: string, depth: number): unknown {
	if (typeof value === "string") return redactTextByKey(key, value);
	if (value === null || typeof value !== "object") return value;
	if (depth > MAX_DEPTH) return null;
	return Array.isArray(value) ? redactList(value, key, depth) : redactObject(value as Record<string, unknown>, depth);
}

/** Redacts a list. An element after a secret's name is its value, as in the words of a command. The same list where nothing changes. */
function redactList(values: unknown[], key: string, depth: number): unknown[] {
	let redacted: unknown[] | null = null;
	for (const [i, value] of values.entries()) {
		// `["--password", "…"]`, `["DB_PASSWORD", "…"]`
		const nameBefore = values.length < 400 && typeof value === "string" ? secretNameOrEmpty(values[i - 1]) : "";
		const clean = redactByKey(value, nameBefore || key, depth + 1);
		if (clean !== value) redacted ??= values.slice(0, i);
		redacted?.push(clean);
	}
	return redacted ?? values;
}

const NAME_FIELDS = wordLookup(
	"name key field variable var env id label title parameter parameterkey param property attribute header option setting type query question k n",
);
const VALUE_FIELDS = wordLookup(
	"value parametervalue defaultvalue currentvalue stringvalue newvalue val content data text plaintext secretstring default answer input body v",
);
/** Letters alone: no secret, and the keys of every file of the store. */
const SCHEMA_KEY = /^[A-Za-z_]{1,30}$/;

/** Of a JSON Web Key. */
const PRIVATE_PARTS = wordLookup("d p q dp dq qi k");

/** Redacts an object: each field by its own name, or by the name that another field holds. The same object where nothing changes. */
function redactObject(from: Record<string, unknown>, depth: number): Record<string, unknown> {
	const keys = Object.keys(from);
	// the field that holds a secret's name, of which another field holds the value
	const nameField = keys.length <= 24 && keys.find((key) => factsOfField(key).isName && secretNameOrEmpty(from[key]));
	const isJwk = typeof from.kty === "string";
	let redacted: [string, unknown][] | null = null;
	for (const [i, key] of keys.entries()) {
		const { isSchema, isValue } = factsOfField(key);
		const cleanKey = isSchema ? key : redactSecrets(key);
		const secretName = nameField && isValue ? (from[nameField] as string) : key;
		const value = redactByKey(from[key], isJwk && PRIVATE_PARTS.has(key) ? "private key" : secretName, depth + 1);
		if (cleanKey !== key || value !== from[key]) redacted ??= keys.slice(0, i).map((one) => [one, from[one]]);
		redacted?.push([cleanKey, value]);
	}
	return redacted ? Object.fromEntries(redacted) : from;
}

/** What a field's name tells, by the name: a file of the store has a few names thousands of times. */
const FIELD_FACTS = new Map<string, { isSchema: boolean; isName: boolean; isValue: boolean; isHint: boolean }>();

/** Tells of a field's name what rules ask: whether its kind is listed above, and whether it may be a secret's. */
function factsOfField(key: string) {
	const known = FIELD_FACTS.get(key);
	if (known) return known;
	// as the lists have it: `parameter_key` and `ParameterKey` as `parameterkey`
	const name = key.toLowerCase().replaceAll("_", "");
	const isHint = key.length <= 80 && NAME_HINT.test(key);
	const facts = {
		isSchema: SCHEMA_KEY.test(key),
		isName: NAME_FIELDS.has(name),
		isValue: VALUE_FIELDS.has(name),
		isHint,
	};
	if (FIELD_FACTS.size < 1_000) FIELD_FACTS.set(key, facts);
	return facts;
}

/** Every secret's name holds one of these. */
const NAME_HINT = new RegExp(
	[
		"pass|pw|secret|token|key|auth|cred|salt|pin|dsn|jwt|bearer|sas|sig|sess|sid|cookie|otp|seed|mnemonic|hook|conn|phrase|code",
		"wort|senha|contras|clave|mdp|psk|pfx|p12|licen|parol|hasl|hesl",
	].join("|"),
	"i",
);

/** The text itself where it is a secret's name, `""` for anything else. */
function secretNameOrEmpty(text: unknown): string {
	if (typeof text !== "string" || text.length > 80 || !NAME_HINT.test(text)) return "";
	return /^-{0,2}[\w.$:/-]+(?: [\w-]+){0,2}$/.test(text) && loadRules().secretCertainty(text) ? text : "";
}

/** Redacts a text under a key: the whole of it where the key is a secret's name and the text may be its value. */
function redactTextByKey(key: string, text: string): string {
	const clean = redactSecrets(text);
	if (clean !== text || text.length < 4 || !factsOfField(key).isHint) return clean;
	const { secretCertainty, isSecretValue } = loadRules();
	const certainty = secretCertainty(key);
	return certainty && isSecretValue(text, "quoted", certainty, key) ? redactionMarker("secret") : text;
}
