import { wordsIn } from "./patterns.ts";
import { isMarker, isReference } from "./ranges.ts";
import type { Trust } from "./secret-names.ts";
import { holdsSign, isDrawn, looksRandom, looksShuffled, nameParts, numbersOf, shapeOf } from "./shape.ts";
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

/** A longer value is not looked at any further: no name and no word is that long. */
const LOOK = 256;

const wholePattern = (rows: readonly string[]): RegExp => new RegExp(`^(?:${rows.join("|")})[.;,!?]*$`, "i");
/** Type names, schemes and words that stand behind such names in code, schemas and descriptions. */
const NONE = new Set(wordsIn(values.none));
/** Words of code, forms and schemas. */
const COMMON = new Set(wordsIn(values.common));
const SENTENCE = new Set(wordsIn(values.sentence));
const PLAIN = wholePattern(values.plain);
const LOCATION = wholePattern(values.location);
/** Versions, times, sizes, file names, addresses, algorithms: what stands in sentences beside such names. */
const NOT_TOLD = new RegExp(`^(?:${values.told.join("|")})$`, "i");
/** A pattern, a page's markup, a colour, a number of a program: in quotes too it is no value. */
const GRAMMAR = new RegExp(values.grammar.join("|"));
/** A call, an index, a template or the environment: the value is somewhere else. */
const CODE = new RegExp(values.code.join("|"), "s");
const TEMPLATE = /\$[A-Z_]{4,}|\$\{|\{\{|<%|#\{|%\(|\{[a-z_.]{1,30}\}/;
const FILE_NAME =
	/^([\w.-]{1,200})\.(?:ya?ml|json|toml|[cm]?[jt]sx?|py|go|rs|rb|php|java|md|txt|env|pem|key|crt|conf|cfg|ini|sh|sql|html|css|log|lock)(?::\d+)*[.,;]?$/;
/** A number with what parts it. */
const NUMBERS = /^[\d._:/-]+$/;
/** A key of a cache: words and what they stand for. */
const CACHED = /^[a-z]{3,}(?:[-._/:][a-z]{3,})+[-._/:]/i;
const UUID = /^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i;

/** Whether what stands behind a secret's name is one. Values are looked at for their first 256 characters. */
export function isSecretValue(text: string, style: Style, trust: Trust, name = ""): boolean {
	if (style === "prose" || style === "beside") return isTold(text, style, trust);
	if (text.length < 4 || isMarker(text)) return false;
	// a value that only begins like a marker
	if (text.startsWith("[REDACTED:")) return true;
	if (text.length > LOOK) return trust !== "maybe" || looksRandom(text.slice(0, LOOK), 16);
	if (trust !== "maybe" && (isNamedByLot(text) || isCodedPair(text))) return true;
	if (isNothing(text) || ((style === "quoted" || style === "bare") && TEMPLATE.test(text))) return false;
	if (style !== "quoted" && style !== "sole" && CODE.test(text)) return false;
	if ((style === "bare" || style === "line") && isLongName(text)) return false;
	if (trust === "maybe") return isLikelyRandom(text, name.toLowerCase());
	return trust === "likely" ? isTokenLike(text, style) : isPassword(text, style);
}

/** `user:password` in base64. */
export const isCodedPair = (text: string): boolean =>
	/^[\w+/-]{8,}={0,2}$/.test(text) && /^[!-9;-~]+:[!-~]{3,}$/.test(Buffer.from(text, "base64").toString("latin1"));

/** What is no value whatever it is given to: a word of the trade, a reference, a place, a file's name, a piece of a grammar. */
export function isNothing(text: string): boolean {
	const bare = text.replace(/[.;,!?]+$/, "");
	return (
		NONE.has(bare.toLowerCase()) ||
		isReference(text) ||
		isReference(bare) ||
		PLAIN.test(text) ||
		GRAMMAR.test(text) ||
		LOCATION.test(text) ||
		isFileName(text)
	);
}

/** The name of a file, of words and numbers. A password may end like one: what stands before is no word then. */
function isFileName(text: string): boolean {
	const stem = FILE_NAME.exec(text)?.[1];
	return stem?.split(/[-_.]+/).every((part) => /^(?:[A-Za-z]*\d{0,3}|\d{1,14})$/.test(part)) ?? false;
}

/** The file was named after the secret: `dump-password=….sql`. */
function isNamedByLot(text: string): boolean {
	const stem = /^([\w-]{10,100})\.[a-z][a-z0-9]{1,4}(?:\.[a-z]{2,3})?$/.exec(text)?.[1];
	return stem !== undefined && stem !== stem.toLowerCase() && isDrawn(stem);
}

/** What a password's name may hold. */
function isPassword(text: string, style: Style): boolean {
	const { digits, letters, symbols, hasSpaces } = shapeOf(text);
	const isOpen = style === "bare" || style === "line";
	if (hasSpaces) return style !== "bare" && isPhrase(text);
	if (letters === text.length || /^[A-Za-z]+(?:[-_.][A-Za-z]+)*$/.test(text)) return isWordPassword(text, style);
	if (digits === text.length) return text.length >= 6;
	// words put together: a test, a symbol, a path; a number; an identifier with a number
	if (isOpen && (isMemberPath(text) || digits === 0)) return false;
	return (text.length >= 6 || (symbols > 0 && digits > 0)) && !NUMBERED.test(text);
}
/** A plain identifier with a number, as `password2` or `field_1`. */
const NUMBERED =
	/^(?:new|old|my|user|db|the)?_?(?:pass(?:word)?|pwd|token|secret|key|field|input|value|param|arg|step|user|str)_?\d{1,2}$/i;

/** Letters alone: a password where only one can stand, a word or a name anywhere else. */
function isWordPassword(text: string, style: Style): boolean {
	if (text.length < 8 || isCommon(text)) return false;
	if (style === "shell" || style === "sole") return !/^[A-Z_]+$/.test(text);
	if (style === "bare") return false;
	return text === text.toLowerCase() && /^[^-_.]+(?:(?:-[^-_.]+){2,})?$/.test(text);
}

/** A value made of words of the trade is none. */
const isCommon = (text: string): boolean => nameParts(text).some((word) => COMMON.has(word.toLowerCase()));

/** Several words: a passphrase of plain words, or one with something no sentence has. */
function isPhrase(text: string): boolean {
	const parts = text.trim().split(/\s+/);
	if (parts.length > 30 || parts.some((part) => SENTENCE.has(part.toLowerCase()))) return false;
	if (parts.length >= 3 && parts.every((part) => /^[a-z]{2,12}$/.test(part))) return true;
	return parts.length <= 4 && !holdsSign(text.at(-1)!, ".?!:") && parts.some((part) => isTold(part, "beside", "sure"));
}

/** What a token's or a key's name may hold: not a word, not a name of something. */
function isTokenLike(text: string, style: Style): boolean {
	const { digits, letters, symbols, hasSpaces } = shapeOf(text);
	if (hasSpaces) return false;
	if (text.length < 8) return text.length >= 6 && style !== "bare" && digits > 0 && symbols > 0 && letters > 2;
	if (NUMBERS.test(text)) return style === "shell";
	if (isIdentifier(text, style)) return false;
	if (digits > 0) return letters > 0;
	if (looksShuffled(text)) return true;
	if (style === "shell" || style === "sole") return isWordPassword(text, style);
	return /^[\w-].*[!@#%^$~]/.test(text);
}

/** Only what looks random, by the name's kind: a PIN is digits, a session may be a UUID. */
function isLikelyRandom(text: string, name: string): boolean {
	const isOf = (...words: string[]): boolean => words.some((word) => name.includes(word));
	const { digits, hasSpaces } = shapeOf(text);
	const isNumber = digits === text.length;
	if (name.endsWith("pin")) return isNumber && digits <= 8;
	// an id with a date or a name in it is shown everywhere; what proves a session is one run
	if (hasSpaces || (isOf("sess") && !/^[A-Za-z0-9+/=_%]{20,}$/.test(text))) return false;
	if (isNumber && digits >= 6 && digits <= 8 && (name.endsWith("otp") || name.endsWith("code")))
		return isOf("otp", "mfa", "2fa", "auth", "verif", "login");
	if (UUID.test(text)) return isOf("secret", "token", "cookie", "licen", "salt");
	if (isOf("licen") && digits < 4) return false;
	if (isName(text) || CACHED.test(text)) return false;
	return looksRandom(text, isOf("salt", "pepper", "sess", "sid") ? 10 : 16);
}

/** What a sentence gives as a secret: `prose` behind a verb, `beside` right behind the name, where it must show more. */
export function isTold(text: string, style: "prose" | "beside", trust: Trust): boolean {
	if (text.length < 5 || text.length > LOOK || isNothing(text) || NOT_TOLD.test(text) || CODE.test(text)) return false;
	const { digits, letters, symbols, kinds } = shapeOf(text);
	const isProse = style === "prose";
	if (trust === "maybe") return !CACHED.test(text) && looksRandom(text, isProse ? 12 : 20);
	if (/^[A-Za-z]+(?:[-'’][A-Za-z]+)+$/.test(text)) return isProse && trust === "sure" && text.split("-").length >= 4;
	if (trust === "likely")
		return (
			text.length >= 8 &&
			digits > 0 &&
			!isIdentifier(text, "line") &&
			(looksRandom(text, isProse ? 10 : 16) || (isProse && kinds >= 3))
		);
	if (isProse) {
		const isSigned = text.length >= 7 && holdsSign(text, "!@#$%^&*+~");
		return (digits > 0 && letters > 0) || (isSigned && !/[/.=()]|^[\w-]+['’]/.test(text));
	}
	const isLong = text.length >= 8 && digits >= 2 && letters >= 3;
	const isMixed = text.length >= 7 && kinds >= 3 && !/^[A-Z]?[a-z]\w*$/.test(text);
	return isLong || isMixed || (digits >= 3 && text.length >= 9 && symbols === 0);
}

/** Without what the sentence adds: its point, the closing bracket or quote, emphasis. */
export function trimValue(raw: string, isOpen = true): string {
	const value = raw.split(isOpen ? /\\[nrt]|["'`“”’»」』›]/ : /\\[nrt]/, 1)[0]!;
	return value.replace(/[.,;:)\]}>"'`”’»*\\]+$/, "");
}

/** A variable's, a key's or a resource's name with a number in it. */
function isIdentifier(text: string, style: Style): boolean {
	const parts = text.split(/[-_]/);
	const isMade = parts.every((part) => /^(?:[A-Za-z]+\d{0,2}|\d{1,4}|v\d+)$/.test(part)) && /^[A-Za-z]/.test(text);
	if (style === "shell" || style === "sole" || !isMade || !/^(?:[A-Za-z]+|\d{1,4}|v\d+)$/.test(parts.at(-1)!))
		return false;
	return style === "bare" || parts.length > 1 || shapeOf(text).digits === 0;
}

/**
 * Several words put together as code, files and tests name things: by case, dots, dashes, strokes and colons, a number now and
 * then. A password of one word with a number is none.
 */
export function isName(text: string, letters = 3.4): boolean {
	if (!/^[\w$.:/@#+-]+$/.test(text)) return false;
	const words = nameParts(text);
	const numbers = numbersOf(text);
	const isPlain = words.length >= 4 || numbers.every((number) => number.length <= 2);
	return (
		isPlain && words.length >= 2 && words.length > numbers.length && words.join("").length >= letters * words.length
	);
}

/** A path, a member or three words of code: a name wherever it stands without quotes. */
const isLongName = (text: string): boolean => isName(text) && /[/.:]|(?:[a-z][A-Z].*){2}/.test(text);

const isMemberPath = (text: string): boolean =>
	/^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)+$/.test(text) && shapeOf(text).digits < 3;
