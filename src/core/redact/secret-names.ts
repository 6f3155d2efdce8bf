import names from "./names.json";
import { splitWordLines } from "./patterns.ts";

/**
 * What a name says about its value: `sure` (a password: nearly any value is one), `likely` (a token, an API key: what has the
 * form of one), `maybe` (a key, a salt, a session: only what looks random).
 */
export type Certainty = "sure" | "likely" | "maybe";

/** The words in lines of `names.json`. */
const listedWords = (lines: readonly string[]): Set<string> => new Set(splitWordLines(lines));
const SURE_WORDS = listedWords(names.sure);
const LIKELY_WORDS = listedWords(names.likely);
const MAYBE_WORDS = listedWords(names.maybe);
/** Words before `key` that make it a secret's. */
const SECRET_KEY_QUALIFIERS = listedWords(names.keyOf);
/** Words before `key`, `token` and the like that make it no secret's. */
const HARMLESS_QUALIFIERS = listedWords(names.nothing);
/** Last words that don't change what is named. */
const IGNORED_ENDINGS = listedWords(names.trailing);
/** How names in one word end. */
const JOINED_ENDINGS: [ends: string[], certainty: Certainty][] = [
	[splitWordLines(names.joinedSure), "sure"],
	[splitWordLines(names.joinedLikely), "likely"],
];
const SECRET_PHRASES = new Set(["passphrase", "seedphrase", "secretphrase", "recoveryphrase", "seedwords", "password"]);

/** How sure it is, by its last words, that a name is a secret's (`DB_PASSWORD_PROD`, `stripeApiKey2`); `null` where it is none. */
export function secretCertainty(name: string): Certainty | null {
	const words = nameWords(name);
	while (words.length > 1 && (IGNORED_ENDINGS.has(words.at(-1)!) || /^v?\d+$/.test(words.at(-1)!))) words.pop();
	const lastWithNumber = words.at(-1) ?? "";
	const last = LIKELY_WORDS.has(lastWithNumber) ? lastWithNumber : lastWithNumber.replace(/\d+$/, "");
	const qualifier = words.at(-2) ?? "";
	const lastTwo = qualifier + last;
	const isHarmless = HARMLESS_QUALIFIERS.has(qualifier);
	if (SURE_WORDS.has(last)) return qualifier === "no" ? null : last === "secrets" ? "likely" : "sure";
	if (last === "pass") return isHarmless ? null : "sure";
	if (last === "key" || last === "keys")
		return isHarmless ? null : SECRET_KEY_QUALIFIERS.has(qualifier) || LIKELY_WORDS.has(lastTwo) ? "likely" : "maybe";
	if (last === "id") return lastTwo === "sessionid" || lastTwo === "sessid" || lastTwo === "secretid" ? "maybe" : null;
	if (LIKELY_WORDS.has(last)) return isHarmless ? (last === "token" ? null : "maybe") : "likely";
	if (MAYBE_WORDS.has(last)) return isHarmless && last !== "salt" && last !== "pepper" ? null : "maybe";
	if (SECRET_PHRASES.has(lastTwo)) return "sure";
	return JOINED_ENDINGS.find(([ends]) => ends.some((end) => last.endsWith(end)))?.[1] ?? null;
}

/** Whether a name ends in a word that names a secret in sentences too, as "password" and "token". */
export function isSecretWord(name: string): boolean {
	const last = nameWords(name).at(-1) ?? "";
	return last === "pass" || SURE_WORDS.has(last) || SENTENCE_WORDS.has(last) || SECRET_PHRASES.has(last);
}
/** Words that name a secret in a sentence too. */
const SENTENCE_WORDS = listedWords([
	"key keys token tokens credential credentials pin jeton klucz schlüssel chave clé sleutel passes phrase",
]);

/** The words of a short name, in small letters: `APIKey2_prod` as `api`, `key2`, `prod`; a connection string counts as `dsn`. */
function nameWords(name: string): string[] {
	return name
		.replace(/conn(?:ection)?[_\-. ]?str(?:ing)?(?![a-z])/gi, "dsn")
		.replace(/([a-zà-ÿ0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$& ")
		.toLowerCase()
		.split(/[^a-z0-9à-῿぀-힣]+/)
		.filter(Boolean);
}
