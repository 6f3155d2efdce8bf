import { loadRules } from "./lazy-rules.ts";
import { oncePerProcess } from "./one-process.ts";
import type { Range } from "./ranges.ts";
import { isReference } from "./ranges.ts";

/** The values of the environment's secrets, each also as JSON, a URL, a shell and base64 write it. In memory only, never written. */
const environmentSecrets = oncePerProcess("secrets", { forms: [] as string[] });

/**
 * Takes the values of environment variables with a secret's name (8 characters and more) for secrets wherever they stand. Not paths,
 * numbers and default passwords: they would redact half the text.
 */
export function setEnvironmentSecrets(env: Readonly<Record<string, string | undefined>>): void {
	const forms = new Set<string>();
	for (const [name, value] of Object.entries(env)) {
		if (!value || value.length < 8 || value.length > 16_384 || !SECRET_NAME_HINT.test(name)) continue;
		// (the value first: for some names the rules are loaded)
		if (isHarmlessValue(value) || !isSecretVariable(name)) continue;
		for (const form of encodedForms(value)) if (form.length >= 8) forms.add(form);
	}
	// the longest first: one may hold another
	environmentSecrets.forms = [...forms].sort((a, b) => b.length - a.length);
}

/** Without one of these a variable's name is no secret's. */
const SECRET_NAME_HINT =
	/PASS|PW|SECRET|TOKEN|KEY|AUTH|CRED|SALT|PIN|DSN|JWT|COOKIE|(?:^|_)PAT(?:_|$)|HOOK|(?:^|_)SAS(?:_|$)|PHRASE|MNEMONIC|SEED/i;

/** Whether a text holds a value of the environment's secrets, or may hold one under an encoding that only the rules undo. */
export const mayHoldEnvironmentSecret = (text: string): boolean =>
	environmentSecrets.forms.length > 0 &&
	(ENCODED_RUN.test(text) || environmentSecrets.forms.some((value) => text.includes(value)));
/** What may be encoded; names and the parts of paths are shorter. */
const ENCODED_RUN = /[A-Za-z0-9+]{16}/;

/** Adds where the values of the environment's secrets stand in a text. */
export function findEnvironmentSecrets(text: string, found: Range[]): void {
	for (const value of environmentSecrets.forms)
		for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
			found.push({ start: at, end: at + value.length, kind: "environment" });
}

/** The words of a line, with a set's `has`. Cheaper to make than a set. */
export const wordLookup = (words: string) => ({
	has: (word: string) => !word.includes(" ") && ` ${words} `.includes(` ${word} `),
});
const SECRET_WORDS = wordLookup(
	"PASS PASSWORD PASSWD PASSPHRASE PASSCODE PWD PW SECRET TOKEN KEY APIKEY AUTH CRED CREDS CREDENTIAL CREDENTIALS SALT PIN DSN JWT COOKIE PAT WEBHOOK SAS MNEMONIC SEED",
);
/** Last words that make a name one of something about the secret, not of the secret. */
const PROPERTY_WORDS = wordLookup(
	"ID FILE PATH DIR NAME TYPE URL URI HOST PORT ALGORITHM TTL EXPIRY EXPIRES LENGTH COUNT FORMAT VERSION ENABLED SOCK METHOD MODE HEADER PROVIDER STORE ISSUER AUDIENCE",
);

/** Whether a variable's name is a secret's, not one of its file or length. In `PWD` and `OLDPWD` shells name folders. */
function isSecretVariable(name: string): boolean {
	if (name === "PWD" || name === "OLDPWD") return false;
	const words = name.toUpperCase().split("_");
	if (words.length > 1 && PROPERTY_WORDS.has(words.at(-1)!)) return false;
	if (words.some((word) => SECRET_WORDS.has(word.replace(/\d+$/, ""))))
		return !name.toUpperCase().includes("PUBLIC_KEY");
	const certainty = loadRules().secretCertainty(name);
	return certainty === "sure" || certainty === "likely";
}

const DEFAULT_PASSWORDS = wordLookup(
	"password postgres changeme changeit mysecret localhost development production disabled enabled required optional anonymous localdev testing testtest minioadmin rabbitmq wordpress mariadb",
);
/** No secret whatever its name: a default password, a reference, a path, a number, an address without a login. */
const isHarmlessValue = (value: string): boolean =>
	DEFAULT_PASSWORDS.has(value.toLowerCase()) ||
	isReference(value) ||
	/^(?:(?:~|\.{0,2})?\/[\w@%./+:~-]*|[\d.,:_-]+|(?:https?|unix|tcp|ssh):[^@?]*)$/.test(value);

/** The forms in which a value may stand in a text: as it is, in JSON, URLs, shells, HTML, base64, hex, backwards. */
function encodedForms(raw: string): string[] {
	// half a pair of surrogates can be written in no URL
	const value = raw.toWellFormed();
	const bytes = Buffer.from(value);
	const json = JSON.stringify(value).slice(1, -1);
	const url = encodeURIComponent(value);
	const base64 = bytes.toString("base64");
	return [
		...[value, value.trim(), json, JSON.stringify(json).slice(1, -1)],
		...[url, url.replaceAll("%20", "+"), encodeURIComponent(url)],
		...[value.replaceAll("'", "'\\''"), value.replace(/([^\w@%+=:,./-])/g, "\\$1")],
		value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
		value.split("").reverse().join(""),
		...[base64, base64.replaceAll("=", ""), bytes.toString("base64url"), bytes.toString("hex")],
		...base64Fragments(bytes),
	];
}

/** What stays the same of these bytes in the base64 of a longer text, for each of the three offsets at which they may begin there. */
function base64Fragments(bytes: Buffer): string[] {
	return [0, 1, 2].flatMap((offset) => {
		const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
		const fragment = whole.toString("base64").slice(offset === 0 ? 0 : 4, Math.floor(whole.length / 3) * 4);
		return fragment.length >= 10 ? [fragment, fragment.replaceAll("+", "-").replaceAll("/", "_")] : [];
	});
}
