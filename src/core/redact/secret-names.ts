import names from "./names.json";
import { wordsIn } from "./patterns.ts";

/**
 * What a name says about its value: `sure` (a password: nearly any value is one), `likely` (a token, an API key: what has the
 * form of one), `maybe` (a key, a salt, a session: only what looks random).
 */
export type Trust = "sure" | "likely" | "maybe";

const setOf = (lines: readonly string[]): Set<string> => new Set(wordsIn(lines));
const SURE = setOf(names.sure);
const LIKELY = setOf(names.likely);
const MAYBE = setOf(names.maybe);
/** Before `key`: what is kept secret. */
const KEY_OF = setOf(names.keyOf);
/** Before `key`, `token` and the like: what is no secret, whatever it looks like. */
const OF_NOTHING = setOf(names.nothing);
/** Behind the name without changing what it names. */
const TRAILING = setOf(names.trailing);
/** How names end that are written in one word. */
const JOINED: [ends: string[], trust: Trust][] = [
	[wordsIn(names.joinedSure), "sure"],
	[wordsIn(names.joinedLikely), "likely"],
];
const PHRASES = new Set(["passphrase", "seedphrase", "secretphrase", "recoveryphrase", "seedwords", "password"]);

/** Judges a name by its last words, `null` for no secret's name: `DB_PASSWORD_PROD`, `stripeApiKey2`, `x-auth-token`, `client-key-data`. */
export function trustIn(name: string): Trust | null {
	const parts = nameWords(name);
	while (parts.length > 1 && (TRAILING.has(parts.at(-1)!) || /^v?\d+$/.test(parts.at(-1)!))) parts.pop();
	const whole = parts.at(-1) ?? "";
	const last = LIKELY.has(whole) ? whole : whole.replace(/\d+$/, "");
	const before = parts.at(-2) ?? "";
	const both = before + last;
	const isNothing = OF_NOTHING.has(before);
	if (SURE.has(last)) return before === "no" ? null : last === "secrets" ? "likely" : "sure";
	if (last === "pass") return isNothing ? null : "sure";
	if (last === "key" || last === "keys")
		return isNothing ? null : KEY_OF.has(before) || LIKELY.has(both) ? "likely" : "maybe";
	if (last === "id") return both === "sessionid" || both === "sessid" || both === "secretid" ? "maybe" : null;
	if (LIKELY.has(last)) return isNothing ? (last === "token" ? null : "maybe") : "likely";
	if (MAYBE.has(last)) return isNothing && last !== "salt" && last !== "pepper" ? null : "maybe";
	if (PHRASES.has(both)) return "sure";
	return JOINED.find(([ends]) => ends.some((end) => last.endsWith(end)))?.[1] ?? null;
}

/** Whether a name is a word for a secret by itself, as sentences have it. */
export function isWord(name: string): boolean {
	const last = nameWords(name).at(-1) ?? "";
	return last === "pass" || SURE.has(last) || TOLD.has(last) || PHRASES.has(last);
}
/** Of the words whose value must have a form those that sentences tell. */
const TOLD = setOf([
	"key keys token tokens credential credentials pin jeton klucz schlüssel chave clé sleutel passes phrase",
]);

/** `APIKey2_prod` as `api`, `key`, `2`, `prod`. A name is short: its caller sees to it. */
function nameWords(name: string): string[] {
	return name
		.replace(/conn(?:ection)?[_\-. ]?str(?:ing)?(?![a-z])/gi, "dsn")
		.replace(/([a-zà-ÿ0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$& ")
		.toLowerCase()
		.split(/[^a-z0-9à-῿぀-힣]+/)
		.filter(Boolean);
}
