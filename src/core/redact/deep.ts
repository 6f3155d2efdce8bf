import { rules } from "./lazy-rules.ts";
import { marker } from "./marker.ts";
import { redactSecrets } from "./secrets.ts";

/**
 * A value for JSON with secrets out of every text in it, keys included, so that it stays valid: texts by themselves, values by
 * the key they stand under (`password`), and pairs of fields that name a value and hold it (`{"name": "DB_PASSWORD", "value": …}`).
 * Gives the same object where nothing had to change. Deeper than 64 levels only the name of the depth is left.
 */
export function redactDeep<T>(value: T): T {
	return walk(value, "", 0) as T;
}

/** Text of a JSON value redacted as JSON, with `indent` where it had one; any other text as text. */
export function redactJson(text: string): string {
	if (!/^\s*[{[]/.test(text)) return redactSecrets(text);
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return redactSecrets(text);
	}
	const clean = redactDeep(value);
	return clean === value ? text : JSON.stringify(clean, null, /^[{[]\n( +)/.exec(text)?.[1]);
}

/** What the user answered: `Falcon#22` is a secret when the question was for the password. */
export function redactAnswer(question: string, answer: string): string {
	const lead = `${question.slice(0, 2_000).replace(/[?:.\s]+$/, "")}: `;
	const both = redactSecrets(lead + answer);
	return both.startsWith(lead) ? both.slice(lead.length) : redactSecrets(answer);
}

const MAX_DEPTH = 64;

function walk(value: unknown, key: string, depth: number): unknown {
	if (typeof value === "string") return textUnder(key, value);
	if (value === null || typeof value !== "object") return value;
	if (depth > MAX_DEPTH) return null;
	if (Array.isArray(value)) return list(value, key, depth);
	return object(value as Record<string, unknown>, depth);
}

function list(values: unknown[], key: string, depth: number): unknown[] {
	let made: unknown[] | null = null;
	for (let i = 0; i < values.length; i++) {
		const value = values[i];
		if (typeof value === "number") continue;
		// `["--password", "…"]`, `["DB_PASSWORD", "…"]`
		const before = i > 0 && values.length < 400 ? values[i - 1] : null;
		const name = typeof before === "string" && typeof value === "string" ? nameOf(before) : "";
		const next = walk(value, name || key, depth + 1);
		if (next === value) continue;
		made ??= [...values];
		made[i] = next;
	}
	return made ?? values;
}

const NAME_FIELDS =
	/^(?:name|key|field|variable|var|env|id|label|title|parameter|parameter_?key|param|property|attribute|header|option|setting|type|query|question|k|n)$/i;
const VALUE_FIELDS =
	/^(?:value|val|content|data|text|plaintext|secret_?string|parameter_?value|default|default_?value|current_?value|string_?value|new_?value|answer|input|body|v)$/i;

function object(from: Record<string, unknown>, depth: number): Record<string, unknown> {
	const keys = Object.keys(from);
	const named = keys.length <= 24 ? namedIn(from, keys) : "";
	let made: Record<string, unknown> | null = null;
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i]!;
		const value = from[key];
		const cleanKey = SCHEMA_KEY.test(key) ? key : redactSecrets(key);
		const clean = walk(value, named && VALUE_FIELDS.test(key) ? named : key, depth + 1);
		if (!made && (cleanKey !== key || clean !== value)) {
			made = {};
			for (const before of keys.slice(0, i)) put(made, before, from[before]);
		}
		if (made) put(made, cleanKey, clean);
	}
	return made ?? from;
}

/** Letters alone: no secret, and the keys of every file of the store. */
const SCHEMA_KEY = /^[A-Za-z_]{1,30}$/;

/** Also under a name that every object has. */
function put(into: Record<string, unknown>, key: string, value: unknown): void {
	Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
}

/** What one field of an object names, for another one to hold. */
function namedIn(from: Record<string, unknown>, keys: readonly string[]): string {
	for (const key of keys) {
		const value = from[key];
		if (typeof value === "string" && value.length <= 80 && NAME_FIELDS.test(key)) {
			const name = nameOf(value);
			if (name) return name;
		}
	}
	return "";
}

/** What such names are made of: anything else needs no judgement. */
const NAME_HINT =
	/pass|pw|secret|token|key|auth|cred|salt|pin|dsn|jwt|bearer|sas|sig|sess|sid|cookie|otp|seed|mnemonic|hook|conn|phrase|code|wort|senha|contras|clave|mdp|psk|pfx|p12|licen|nonce|parol|hasl|hesl/i;

/** A text that is the name of something kept secret, `""` for any other. */
function nameOf(text: string): string {
	return text.length <= 80 &&
		/^-{0,2}[\w.$:/-]+(?: [\w-]+){0,2}$/.test(text) &&
		NAME_HINT.test(text) &&
		rules().trustIn(text)
		? text
		: "";
}

function textUnder(key: string, text: string): string {
	const clean = redactSecrets(text);
	if (clean !== text || text.length < 4 || key.length > 80) return clean;
	if (!NAME_HINT.test(key)) return text;
	const { trustIn, isSecretValue } = rules();
	const trust = trustIn(key);
	return trust && isSecretValue(text, "quoted", trust, key) ? marker("secret") : text;
}
