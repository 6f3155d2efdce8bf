import { expanded } from "./patterns.ts";
import { isName, isNothing, isSecretValue, isTold, UUID } from "./secret-values.ts";
import { looksRandom, looksTyped } from "./shape.ts";

/** What stands in a phrase in the place of a secret, and where. */
export interface Given {
	value: string;
	/** Of a field in a list, where the phrase has one. */
	name: string;
	text: string;
	start: number;
}

const isProse = (value: string): boolean => isTold(value, "prose", "sure");
const HEX = /^(?:0x)?[0-9a-f]+$/;
/** A program's or a standard's name with a number, or a word with one. */
const NUMBERED =
	/^(?:\dfa|ssh|sha\d|md5|aes|rsa|tls|ssl|ecdsa|ed\d|wpa|base\d|oauth)|[=()[\]{}<>]|^[a-z]{1,12}[-_.]?\d{2,4}$|^[A-Za-z]{1,12}\d$/;
const WORDS = /^[a-z]{3,12}(?:-[a-z]{3,12}){2,7}$/;

/** Words put together, digits inside letters, a sign that no word has: not a word with a number, as versions are. */
const isGiven = (value: string): boolean =>
	WORDS.test(value) ||
	looksTyped(value) ||
	(value.length >= 6 &&
		!HEX.test(value) &&
		!NUMBERED.test(value) &&
		isProse(value) &&
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

/** Cookies that say how a page looks, not who reads it. */
const PLAIN_COOKIE =
	/^(?:path|domain|expires|max-age|samesite|version|theme|lang|locale|currency|consent|timezone|tz|_ga\w*|_gid|_fbp|viewport|priority)$/i;
const OWN_COOKIE = /sess|sid|auth|token|jwt|csrf|xsrf|secret|login|user|remember|ticket|key|connect/i;
/** An option, a port, a database's name, a host, the rest of a longer flag. */
const NO_ARGUMENT =
	/^(?:[-/]|\.\.?\/|\d{1,5}(?::\d{1,5})?$|(?:mysql|localhost|root|test|https?|tcp|info|json|pretty|form|verbose|ort|ath|rint|ager|arallel|refix|rofile|roject|lugin|rotocol|assword)\D*$)/i;
/** What a variable is set to that is a setting. */
const SETTING = /^(?:https?:\/)?\/|^\d{1,5}$|^[^\d!@#$%^&*+=~]*$|[<>|]/;
const SETTING_NAME = /^(?:\w*_)?(?:env|level|port|host|tz|lang|user(?:name)?|url|region)$/i;
const PASS = /^\[?(?:pass(?:word|wd|wort)?|pwd|pw|secret)\]?$/i;

/** Whether what a phrase gives is a secret, by the names that `phrases.json` has. */
export const JUDGES: Record<string, (given: Given) => boolean> = {
	any: () => true,
	given: ({ value }) => isGiven(value),
	paired: ({ value }) =>
		isGiven(value) ||
		(/^[\w!@#$%^&*](?=.*\d)[^=]*$/.test(value) && !HEX.test(value) && !/^[a-z_-]+\d$/.test(value) && isProse(value)),
	argument: ({ value }) => looksTyped(value) || (isProse(value) && !isName(value) && !/[/:@.]/.test(value)),
	opened: (given) => looksTyped(given.value) && isOpened(given),
	wifi: ({ value }) =>
		/^\d{8,63}$/.test(value) || WORDS.test(value) || (isProse(value) && !/^(?:wpa|802|pbkdf)/i.test(value)),
	pgpass: ({ value, text, start }) =>
		isProse(value) || (!PASS.test(value) && /pgpass/i.test(text.slice(Math.max(0, start - 300), start + 500))),
	seed: ({ value }) => /\d|^[A-Z -]+$/.test(value) && value.replaceAll(" ", "").length >= 16,
	words: ({ value }) =>
		!/\b(?:the|and|with|that|this|you|your|for|are|must|from|should)\b.*\b(?:the|and|with|that|this|you|your|for|are|must|from|should)\b/s.test(
			value,
		),
	cookie: ({ value, name }) =>
		value.length >= 6 &&
		!PLAIN_COOKIE.test(name) &&
		(OWN_COOKIE.test(name) ? isSecretValue(value, "sole", "likely") : looksRandom(value, 12)),
	kubernetes: ({ text, start }) =>
		/kind\W{1,8}Secret|stringData/.test(text.slice(Math.max(0, start - 2_000), start + 2_000)),
	url: ({ value }) => !PASS.test(value),
	mixed: ({ value }) => /\d|[A-Z]/.test(value),
	random16: ({ value }) => looksRandom(value, 16),
	random20: ({ value }) => looksRandom(value, 20) || UUID.test(value),
	command: ({ value }) => !NO_ARGUMENT.test(value),
	set: ({ value, name }) =>
		!SETTING.test(value) && !isNothing(value) && (looksRandom(value, 16) || !SETTING_NAME.test(name)),
};
