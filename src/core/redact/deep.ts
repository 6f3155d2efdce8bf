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
	let changed = false;
	const result = values.map((value, i) => {
		// `["--password", "…"]`, `["DB_PASSWORD", "…"]`
		const before =
			i > 0 && values.length < 400 && typeof values[i - 1] === "string" ? nameOf(values[i - 1] as string) : "";
		const next = walk(value, before || key, depth + 1);
		changed ||= next !== value;
		return next;
	});
	return changed ? result : values;
}

const NAME_FIELDS =
	/^(?:name|key|field|variable|var|env|id|label|title|parameter|parameter_?key|param|property|attribute|header|option|setting|type|query|question|k|n)$/i;
const VALUE_FIELDS =
	/^(?:value|val|content|data|text|plaintext|secret_?string|parameter_?value|default|default_?value|current_?value|string_?value|new_?value|answer|input|body|v)$/i;

function object(from: Record<string, unknown>, depth: number): Record<string, unknown> {
	const entries = Object.entries(from);
	const named =
		entries.length <= 24
			? entries.find(([key, value]) => NAME_FIELDS.test(key) && typeof value === "string" && nameOf(value) !== "")?.[1]
			: undefined;
	let changed = false;
	const result = entries.map(([key, value]): [string, unknown] => {
		const under = named !== undefined && VALUE_FIELDS.test(key) ? nameOf(named as string) : key;
		const now: [string, unknown] = [redactSecrets(key), walk(value, under, depth + 1)];
		changed ||= now[0] !== key || now[1] !== value;
		return now;
	});
	if (!changed) return from;
	const made: Record<string, unknown> = {};
	// also under a name that every object has
	for (const [key, value] of result)
		Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
	return made;
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
