import { expanded } from "./patterns.ts";
import { looksRandom, looksTyped } from "./random-looking.ts";
import { isNothing, isSecretValue, isTold, SENTENCE, UUID } from "./secret-values.ts";
import values from "./values.json";

/** What stands in a phrase in the place of a secret, and where. */
export interface Given {
	value: string;
	text: string;
	start: number;
}

const isProse = (value: string): boolean => isTold(value, "prose", "sure");
/** A program's or a standard's name with a number, or a word with one. */
const NUMBERED = new RegExp(`^(?:${values.numbered})$`);
/** An option, a port, a database's name, a host, the rest of a longer flag. */
const NO_ARGUMENT = new RegExp(`^(?:${values.argument})$`, "i");
const WORDS = /^[a-z]{3,12}(?:-[a-z]{3,12}){2,7}$/;

/** Words put together, digits inside letters, a sign that no word has: not a word with a number, as versions are. */
const isGiven = (value: string): boolean =>
	WORDS.test(value) ||
	(isProse(value) &&
		!NUMBERED.test(value) &&
		(/\d[A-Za-z]|\w[!#$%^&?~]\w/.test(value) || isTold(value, "beside", "sure")));

const OPENED = new RegExp(
	expanded(
		"(?<![A-Za-z])(?:(?:{kind})s?(?<!(?<!(?:with|the|my|your|and|root|admin|db|user) )pass(?:es|s)?)|pass phrase|{login}|log(?:ged|ging)? into|sudo|basic[ -]auth)(?![A-Za-z])",
	),
	"i",
);
/** Between quotes: what code calls with a password or a secret. */
const OPENED_IN_CODE = /(?:pass|pwd|secret|hash|hmac|cipher|jwt|cookie|session|auth|crypt|user).*["'`]$/i;

/** A word for a password or a login stands on the same line, not far off. */
function isOpened({ value, text, start }: Given): boolean {
	const before = /[^\n]*$/.exec(text.slice(Math.max(0, start - 70), start))![0];
	const behind = text.slice(start + value.length, start + value.length + 70).split("\n")[0]!;
	return OPENED.test(before) || OPENED.test(behind) || (/^["'`]/.test(behind) && OPENED_IN_CODE.test(before));
}

const PASS = /^\[?(?:pass(?:word|wd|wort)?|pwd|pw|secret)\]?$/i;

/** Whether what a phrase gives is a secret, by the names that `phrases.json` has. */
export const JUDGES: Record<string, (given: Given) => boolean> = {
	any: () => true,
	given: ({ value }) => isGiven(value),
	paired: ({ value }) =>
		isGiven(value) || (/^(?![a-z_-]+\d$)[\w!@#$%^&*](?=.*\d)[^=/]*$/.test(value) && isProse(value)),
	argument: ({ value }) => looksTyped(value) || isProse(value),
	opened: (given) => looksTyped(given.value) && isOpened(given),
	wifi: ({ value }) =>
		/^\d{8,63}$/.test(value) || WORDS.test(value) || (isProse(value) && !/^(?:wpa|802|pbkdf)/i.test(value)),
	pgpass: ({ value, text, start }) =>
		isProse(value) || (!PASS.test(value) && /pgpass/i.test(text.slice(Math.max(0, start - 300), start + 500))),
	seed: ({ value }) => /\d|^[A-Z -]+$/.test(value),
	words: ({ value }) => value.split(" ").filter((word) => SENTENCE.has(word)).length < 3,
	cookie: ({ value }) => isSecretValue(value, "sole", "likely"),
	kubernetes: ({ text, start }) =>
		/kind\W{1,8}Secret|stringData/.test(text.slice(Math.max(0, start - 2_000), start + 2_000)),
	url: ({ value }) => !PASS.test(value),
	mixed: ({ value }) => /\d|[A-Z]/.test(value),
	random16: ({ value }) => looksRandom(value, 16),
	random20: ({ value }) => looksRandom(value, 20) || UUID.test(value),
	command: ({ value }) => !NO_ARGUMENT.test(value),
	set: ({ value }) => !isNothing(value) && /[\d!@#$%^&*+=~]/.test(value),
};
