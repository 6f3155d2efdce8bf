import { splitWordLines } from "./patterns.ts";
import { isMarker, isReference } from "./ranges.ts";
import type { Certainty } from "./secret-names.ts";
import { countCharacterKinds, digitRuns, hasAnyOf, isMixedCase, looksMixed, looksRandom, nameParts } from "./shape.ts";
import values from "./values.json";

/** How a value stands in the text. */
export type Style =
	/** Between quotes. */
	| "quoted"
	/** `NAME=value`, in capitals and without spaces round the sign. */
	| "shell"
	/** To the end of its line, as in YAML and ini files. */
	| "line"
	/** Anywhere else. */
	| "bare"
	/** In a sentence: behind "is", "lautet" and the like. */
	| "prose"
	/** In a sentence, right behind the name. */
	| "beside"
	/** Behind a flag, in an XML element: nothing but the value can stand there. */
	| "sole";

/** Of a longer value only so much is looked at. */
const MAX_VALUE = 256;

/** A pattern for a whole value, perhaps with punctuation after it. */
const anchoredPattern = (rows: readonly string[]): RegExp => new RegExp(`^(?:${rows.join("|")})[.;,!?]*$`, "i");
const NON_SECRET_WORDS = new Set(splitWordLines(values.none));
/** Words of code, forms and schemas. */
const CODE_WORDS = new Set(splitWordLines(values.common));
const SENTENCE_WORDS = new Set(splitWordLines(values.sentence));
const PLAIN_VALUE = anchoredPattern(values.plain);
const LOCATION = anchoredPattern(values.location);
/** Versions, times, sizes, file names, addresses, algorithms: what stands in sentences beside such names. */
const SENTENCE_NON_SECRET = new RegExp(`^(?:${values.told.join("|")})$`, "i");
/** A pattern, a page's markup, a colour, a number of a program: in quotes too it is no value. */
const GRAMMAR = new RegExp(values.grammar.join("|"));
/** A call, an index, a template or the environment: the value is somewhere else. */
const CODE_EXPRESSION = new RegExp(values.code.join("|"), "s");
const TEMPLATE = /\$[A-Z_]{4,}|\$\{|\{\{|<%|#\{|%\(|\{[a-z_.]{1,30}\}/;
const FILE_NAME =
	/^([\w.-]{1,200})\.(?:ya?ml|json|toml|[cm]?[jt]sx?|py|go|rs|rb|php|java|md|txt|env|pem|key|crt|conf|cfg|ini|sh|sql|html|css|log|lock)(?::\d+)*[.,;]?$/;
/** A number with what parts it. */
const SEPARATED_NUMBERS = /^[\d._:/-]+$/;
/** A key of a cache: words and what they stand for. */
const CACHE_KEY = /^[a-z]{3,}(?:[-._/:][a-z]{3,})+[-._/:]/i;
const UUID = /^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i;

/** Whether the value given to a secret's name is one. The less certain the name is, the more the value must look like it. */
export function isSecretValue(text: string, style: Style, certainty: Certainty, name = ""): boolean {
	if (style === "prose" || style === "beside") return isSentenceSecret(text, style, certainty);
	if (text.length < 4 || isMarker(text)) return false;
	// a value that only begins like a marker
	if (text.startsWith("[REDACTED:")) return true;
	if (text.length > MAX_VALUE) return certainty !== "maybe" || looksRandom(text.slice(0, MAX_VALUE), 16);
	if (certainty !== "maybe" && (isRandomFileName(text) || isBase64Login(text))) return true;
	if (isNonSecret(text) || ((style === "quoted" || style === "bare") && TEMPLATE.test(text))) return false;
	if (style !== "quoted" && style !== "sole" && CODE_EXPRESSION.test(text)) return false;
	if ((style === "bare" || style === "line") && isLongCompoundName(text)) return false;
	if (certainty === "maybe") return mayBeRandomSecret(text, name.toLowerCase());
	return certainty === "likely" ? mayBeToken(text, style) : mayBePassword(text, style);
}

/** `user:password` in base64. */
export const isBase64Login = (text: string): boolean =>
	/^[\w+/-]{8,}={0,2}$/.test(text) && /^[!-9;-~]+:[!-~]{3,}$/.test(Buffer.from(text, "base64").toString("latin1"));

/** Whether a value is none for any name: a common word, a reference, a place, a file's name, markup. */
export function isNonSecret(text: string): boolean {
	const withoutPunctuation = text.replace(/[.;,!?]+$/, "");
	return (
		NON_SECRET_WORDS.has(withoutPunctuation.toLowerCase()) ||
		isReference(text) ||
		isReference(withoutPunctuation) ||
		PLAIN_VALUE.test(text) ||
		GRAMMAR.test(text) ||
		LOCATION.test(text) ||
		isFileName(text)
	);
}

/** A file's name made of words and numbers. With other parts before its ending it may be a password: `x7Kq9.sh`. */
function isFileName(text: string): boolean {
	const stem = FILE_NAME.exec(text)?.[1];
	return stem?.split(/[-_.]+/).every((part) => /^(?:[A-Za-z]*\d{0,3}|\d{1,14})$/.test(part)) ?? false;
}

/** A file's name that is random itself, since the file was named after the secret: `Xk4mQ9zB7w.sql`. */
function isRandomFileName(text: string): boolean {
	const stem = /^([\w-]{10,100})\.[a-z][a-z0-9]{1,4}(?:\.[a-z]{2,3})?$/.exec(text)?.[1];
	return stem !== undefined && stem !== stem.toLowerCase() && looksMixed(stem);
}

/** Whether a value may be a password. */
function mayBePassword(text: string, style: Style): boolean {
	const { digits, letters, symbols, hasSpaces } = countCharacterKinds(text);
	const isUnquoted = style === "bare" || style === "line";
	if (hasSpaces) return style !== "bare" && isPassphrase(text);
	if (letters === text.length || /^[A-Za-z]+(?:[-_.][A-Za-z]+)*$/.test(text)) return isPasswordOfLetters(text, style);
	if (digits === text.length) return text.length >= 6;
	// without quotes: a member of an object, or words put together
	if (isUnquoted && (isMemberPath(text) || digits === 0)) return false;
	return (text.length >= 6 || (symbols > 0 && digits > 0)) && !NUMBERED_NAME.test(text);
}
/** A plain identifier with a number, as `password2` or `field_1`. */
const NUMBERED_NAME =
	/^(?:new|old|my|user|db|the)?_?(?:pass(?:word)?|pwd|token|secret|key|field|input|value|param|arg|step|user|str)_?\d{1,2}$/i;

/** Whether a value of letters alone is a password: only where nothing else can stand; elsewhere it is a word or a name. */
function isPasswordOfLetters(text: string, style: Style): boolean {
	if (text.length < 8 || holdsCodeWord(text)) return false;
	if (style === "shell" || style === "sole") return !/^[A-Z_]+$/.test(text);
	if (style === "bare") return false;
	return text === text.toLowerCase() && /^[^-_.]+(?:(?:-[^-_.]+){2,})?$/.test(text);
}

/** Whether one of the words in a value is common in code, forms and schemas. */
const holdsCodeWord = (text: string): boolean => nameParts(text).some((word) => CODE_WORDS.has(word.toLowerCase()));

/** Whether a value of several words is a passphrase: plain small words, or one word that no sentence has. */
function isPassphrase(text: string): boolean {
	const parts = text.trim().split(/\s+/);
	if (parts.length > 30 || parts.some((part) => SENTENCE_WORDS.has(part.toLowerCase()))) return false;
	if (parts.length >= 3 && parts.every((part) => /^[a-z]{2,12}$/.test(part))) return true;
	if (parts.length > 4 || hasAnyOf(text.at(-1)!, ".?!:")) return false;
	return parts.some((part) => isSentenceSecret(part, "beside", "sure"));
}

/** Whether a value may be a token or a key: not a word, and not an identifier. */
function mayBeToken(text: string, style: Style): boolean {
	const { digits, letters, symbols, hasSpaces } = countCharacterKinds(text);
	if (hasSpaces) return false;
	if (text.length < 8) return text.length >= 6 && style !== "bare" && digits > 0 && symbols > 0 && letters > 2;
	if (SEPARATED_NUMBERS.test(text)) return style === "shell";
	if (isIdentifier(text, style)) return false;
	if (digits > 0) return letters > 0;
	if (isMixedCase(text)) return true;
	if (style === "shell" || style === "sole") return isPasswordOfLetters(text, style);
	return /^[\w-].*[!@#%^$~]/.test(text);
}

/** Whether a value looks random enough, by what its name says: a PIN is digits, a session's id is one long run. */
function mayBeRandomSecret(text: string, name: string): boolean {
	const isNamedAny = (...words: string[]): boolean => words.some((word) => name.includes(word));
	const { digits, hasSpaces } = countCharacterKinds(text);
	const isNumber = digits === text.length;
	if (name.endsWith("pin")) return isNumber && digits <= 8;
	// a session's id with a date or a name in it is shown everywhere: no secret
	if (hasSpaces || (isNamedAny("sess") && !/^[A-Za-z0-9+/=_%]{20,}$/.test(text))) return false;
	if (isNumber && digits >= 6 && digits <= 8 && (name.endsWith("otp") || name.endsWith("code")))
		return isNamedAny("otp", "mfa", "2fa", "auth", "verif", "login");
	if (UUID.test(text)) return isNamedAny("secret", "token", "cookie", "licen", "salt");
	if (isNamedAny("licen") && digits < 4) return false;
	if (isCompoundName(text) || CACHE_KEY.test(text)) return false;
	return looksRandom(text, isNamedAny("salt", "pepper", "sess", "sid") ? 10 : 16);
}

/** Whether a value in a sentence is a secret: `prose` after a verb, `beside` right after the name, where it must look more like one. */
export function isSentenceSecret(text: string, style: "prose" | "beside", certainty: Certainty): boolean {
	if (text.length < 5 || text.length > MAX_VALUE || isNonSecret(text)) return false;
	if (SENTENCE_NON_SECRET.test(text) || CODE_EXPRESSION.test(text)) return false;
	const { digits, letters, symbols, kinds } = countCharacterKinds(text);
	const isProse = style === "prose";
	if (certainty === "maybe") return !CACHE_KEY.test(text) && looksRandom(text, isProse ? 12 : 20);
	if (/^[A-Za-z]+(?:[-'’][A-Za-z]+)+$/.test(text))
		return isProse && certainty === "sure" && text.split("-").length >= 4;
	if (certainty === "likely")
		return (
			text.length >= 8 &&
			digits > 0 &&
			!isIdentifier(text, "line") &&
			(looksRandom(text, isProse ? 10 : 16) || (isProse && kinds >= 3))
		);
	if (isProse) {
		const hasSign = text.length >= 7 && hasAnyOf(text, "!@#$%^&*+~");
		return (digits > 0 && letters > 0) || (hasSign && !/[/.=()]|^[\w-]+['’]/.test(text));
	}
	const isLong = text.length >= 8 && digits >= 2 && letters >= 3;
	const isMixed = text.length >= 7 && kinds >= 3 && !/^[A-Z]?[a-z]\w*$/.test(text);
	return isLong || isMixed || (digits >= 3 && text.length >= 9 && symbols === 0);
}

/** A value up to its quote's or line's end, without the punctuation, brackets and emphasis that a sentence puts after it. */
export function trimValue(raw: string, endsAtQuote = true): string {
	const value = raw.split(endsAtQuote ? /\\[nrt]|["'`“”’»」』›]/ : /\\[nrt]/, 1)[0]!;
	return value.replace(/[.,;:)\]}>"'`”’»*\\]+$/, "");
}

/** Whether a value is the name of a variable, a key or a resource, perhaps with a short number in it (`field_1`). */
function isIdentifier(text: string, style: Style): boolean {
	const parts = text.split(/[-_]/);
	const isOfNameParts =
		parts.every((part) => /^(?:[A-Za-z]+\d{0,2}|\d{1,4}|v\d+)$/.test(part)) && /^[A-Za-z]/.test(text);
	if (style === "shell" || style === "sole" || !isOfNameParts || !/^(?:[A-Za-z]+|\d{1,4}|v\d+)$/.test(parts.at(-1)!))
		return false;
	return style === "bare" || parts.length > 1 || countCharacterKinds(text).digits === 0;
}

/**
 * Whether a text is several words put together as code and files name things, with few numbers. `wordLength`: their least average
 * length.
 */
export function isCompoundName(text: string, wordLength = 3.4): boolean {
	if (!/^[\w$.:/@#+-]+$/.test(text)) return false;
	const words = nameParts(text);
	const numbers = digitRuns(text);
	if (words.length < 2 || words.length <= numbers.length) return false;
	if (words.length < 4 && numbers.some((number) => number.length > 2)) return false;
	return words.join("").length >= wordLength * words.length;
}

/** A path, a member of an object or a name of three words and more: no secret where it stands without quotes. */
const isLongCompoundName = (text: string): boolean => isCompoundName(text) && /[/.:]|(?:[a-z][A-Z].*){2}/.test(text);

/** Code that reads a member of an object: `config.auth?.token`. */
const isMemberPath = (text: string): boolean =>
	/^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)+$/.test(text) && countCharacterKinds(text).digits < 3;
