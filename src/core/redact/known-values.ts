import { rules } from "./lazy-rules.ts";
import { ofProcess } from "./one-process.ts";
import type { Range } from "./ranges.ts";
import { isReference } from "./ranges.ts";

/** What must not leave: the values, and each as JSON, a URL, a shell and base64 would write it. In memory only, never written. */
const held = ofProcess("secrets", { known: [] as string[] });

/**
 * Takes the values of environment variables with a secret's name (8 characters and more) as secrets wherever they stand. Not
 * paths, numbers, and the few words that are everybody's default password: they would redact half the text.
 */
export function knowSecretsOf(env: Readonly<Record<string, string | undefined>>): void {
	const forms = new Set<string>();
	// (the value first: for some names the rules are asked)
	for (const [name, value] of Object.entries(env))
		if (
			value &&
			value.length >= 8 &&
			value.length <= 16_384 &&
			HINT.test(name) &&
			!isHarmless(value) &&
			isSecretName(name)
		)
			for (const form of formsOf(value)) if (form.length >= 8) forms.add(form);
	// the longest first: one may hold another
	held.known = [...forms].sort((a, b) => b.length - a.length);
}

/** Most variables are named like nothing secret. */
const HINT =
	/PASS|PW|SECRET|TOKEN|KEY|AUTH|CRED|SALT|PIN|DSN|JWT|COOKIE|(?:^|_)PAT(?:_|$)|HOOK|(?:^|_)SAS(?:_|$)|PHRASE|MNEMONIC|SEED/i;

/** Whether a plain text may hold one of them, as it is or under an encoding that only the rules undo. */
export const mayHoldKnown = (text: string): boolean =>
	held.known.length > 0 && (CODED.test(text) || held.known.some((value) => text.includes(value)));
/** As long as what is encoded twice; names and the parts of paths are shorter. */
const CODED = /[A-Za-z0-9+]{16}/;

export function findKnown(text: string, found: Range[]): void {
	for (const value of held.known)
		for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
			found.push({ start: at, end: at + value.length, kind: "environment" });
}

export const wordList = (all: string) => ({ has: (w: string) => !w.includes(" ") && ` ${all} `.includes(` ${w} `) });
const SECRET = wordList(
	"PASS PASSWORD PASSWD PASSPHRASE PASSCODE PWD PW SECRET TOKEN KEY APIKEY AUTH CRED CREDS CREDENTIAL CREDENTIALS SALT PIN DSN JWT COOKIE PAT WEBHOOK SAS MNEMONIC SEED",
);
const ABOUT = wordList(
	"ID FILE PATH DIR NAME TYPE URL URI HOST PORT ALGORITHM TTL EXPIRY EXPIRES LENGTH COUNT FORMAT VERSION ENABLED SOCK METHOD MODE HEADER PROVIDER STORE ISSUER AUDIENCE",
);

/** Somewhere in its name a word for a secret, and at its end none for something else about it: its file, its length. Shells name folders so. */
function isSecretName(name: string): boolean {
	if (name === "PWD" || name === "OLDPWD") return false;
	const words = name.toUpperCase().split("_");
	if (words.length > 1 && ABOUT.has(words.at(-1)!)) return false;
	if (words.some((word) => SECRET.has(word.replace(/\d+$/, "")))) return !name.toUpperCase().includes("PUBLIC_KEY");
	const trust = rules().trustIn(name);
	return trust === "sure" || trust === "likely";
}

const DEFAULT = wordList(
	"password postgres changeme changeit mysecret localhost development production disabled enabled required optional anonymous localdev testing testtest minioadmin rabbitmq wordpress mariadb",
);
const isHarmless = (value: string): boolean =>
	DEFAULT.has(value.toLowerCase()) ||
	isReference(value) ||
	/^(?:(?:~|\.{0,2})?\/[\w@%./+:~-]*|[\d.,:_-]+|(?:https?|unix|tcp|ssh):[^@?]*)$/.test(value);

/** Gives the forms in which a value may stand in a text: as it is, in JSON, URLs, shells, HTML, base64, hex, backwards. */
function formsOf(raw: string): string[] {
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
		...insideBase64(bytes),
	];
}

/** What base64 of a longer text holds of these bytes, for each of the three places they can begin at. */
function insideBase64(bytes: Buffer): string[] {
	return [0, 1, 2].flatMap((shift) => {
		const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
		const inner = whole.toString("base64").slice(shift === 0 ? 0 : 4, Math.floor(whole.length / 3) * 4);
		return inner.length >= 10 ? [inner, inner.replaceAll("+", "-").replaceAll("/", "_")] : [];
	});
}
