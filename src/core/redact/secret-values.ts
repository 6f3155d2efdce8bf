import { isMarker, isReference } from "./marker.ts";
import { isDrawn, looksRandom, looksShuffled, looksTyped, shapeOf } from "./random-looking.ts";
import type { NameTrust } from "./secret-names.ts";

/** How a value stands in the text. */
export type Style =
	/** Between quotes. */
	| "quoted"
	| "backtick"
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

/** Whether what stands behind a secret's name is one. Values are looked at for their first 256 characters. */
export function isSecretValue(text: string, style: Style, trust: Exclude<NameTrust, null>, name = ""): boolean {
	if (text.length < 4 || isMarker(text) || CONSTANT.test(text)) return false;
	// a value that only begins like a marker
	if (text.startsWith("[REDACTED:")) return true;
	if (text.length > LOOK)
		return style !== "prose" && (trust !== "maybe" || (looksRandom(text.slice(0, LOOK), 16) && !/\s/.test(text)));
	if (trust !== "maybe" && isNamedByLot(text)) return true;
	if (GRAMMAR.test(text) || isReference(text) || LOCATION.test(text) || isFileName(text) || NO_SECRET.test(text))
		return false;
	if ((style === "quoted" || style === "bare") && TEMPLATE.test(text)) return false;
	if (style !== "quoted" && style !== "backtick" && style !== "sole" && CODE.test(text)) return false;
	if ((style === "bare" || (style === "line" && !/\d{3}/.test(text))) && isLongName(text)) return false;
	if (style === "prose" || style === "beside") return isTold(text, style, trust);
	if (trust === "maybe") return isLikelyRandom(text, name);
	if (trust === "likely") return isTokenLike(text, style);
	return isPassword(text, style);
}

/** A constant of a program: words in capitals, put together. */
const CONSTANT = /^[A-Z]{2,}(?:_[A-Z]{2,}(?:v\d)?(?:_\d)?){2,}$/;

/** A pattern, a page's markup, a colour, a number of a program: in quotes too it is no value. */
export const GRAMMAR =
	/\(\?[:=!<]|\[\^?[\\\w]-\w|[\])]\{\d|\\(?!u[0-9a-fA-F]{4})[\w&*(.-]|^#(?:[0-9a-fA-F]{3}){1,2}$|^-?0x[0-9a-fA-F]{1,16}[,;]?$|^[a-z_]{2,30}=$|^(?:[A-Z]{2,6}|[a-z]{1,3})#\d+$/;
/** Of a public key, as programs print it. */
const FINGERPRINT = /^(?:[0-9A-F]{16}|[0-9A-F]{40})$/;

/** A key of a cache: words and what they stand for. */
const CACHED = /^[a-z]{3,}(?:[-._/:][a-z]{3,})+[-._/:]/i;

const TEMPLATE = /\$[A-Z_]{4,}|\$\{|\{\{|<%|#\{|%\(|\{[a-z_.]{1,30}\}/;

/** Type names, schemes and words that stand behind such names in code, schemas and descriptions. */
const NO_SECRET =
	/^(?:required|optional|(?:user|current|new|old|your|confirm|reset|forgot|change)?[-_ ]?(?:passwords?|passwd|pwd|secrets?|tokens?|(?:api)?[-_ ]?keys?|pass)|undefined|function|disabled|enabled|redacted|unknown|invalid|missing|expired|incorrect|string|number|boolean|object|array|varchar(?:\(\d+\))?|text|char|bytes?|unsigned|integer|(?:Big)?(?:Uint|Int|Float)\d+(?:Clamped)?Array|base(?:32|58|64)(?:url)?|sha-?\d+|md5|bcrypt|argon2(?:i?d?)|scrypt|pbkdf2|hs(?:256|384|512)|rs256|es256|ed25519|rsa-?\d*|aes-?\d+(?:-\w+)?|utf-?8|bearer|basic|digest|oauth2?|jwt|default|inherit|always|never|prompt|generated?|automatic|random|manual|protected|private|public|internal|external|encrypted|plaintext|hashed|str|bool|int|any|unique|nullable|not null|username|localhost|anonymous|service-account|password123!?\?|\d{1,3}(?:px|ms|s|m|h|d|kb|mb)?|sk|pk)[.;,!?]*$/i;
const LOCATION =
	/^(?:(?:application|text|image|audio|video|font|multipart)\/[\w.+-]+|(?:~|\.{1,2})?(?:\/[\w.@{}$-]+){2,}\/?|(?:~|\.{1,2})\/[\w.@/-]+|[A-Za-z]:\\[\w\\. -]+|(?:https?|file|ssh|git|wss?|ftp):\/\/[^\s?]*|[\w-]+(?:\/[\w.-]+)+\.\w{1,5}(?::\d+)*)[.;,]?$/;
const FILE_NAME =
	/^([\w.-]{1,200})\.(?:ya?ml|json|toml|ts|tsx|js|mjs|py|go|rs|rb|php|java|md|txt|env|pem|key|crt|conf|cfg|ini|sh|sql|html|css|log|lock)(?::\d+)*[.,;]?$/;

/** The name of a file, of words and numbers. A password may end like one: what stands before is no word then. */
function isFileName(text: string): boolean {
	const stem = FILE_NAME.exec(text)?.[1];
	return stem?.split(/[-_.]+/).every((part) => /^(?:[A-Za-z]*\d{0,3}|\d{1,14})$/.test(part)) ?? false;
}

/** The file was named after the secret: `dump-password=….sql`. */
function isNamedByLot(text: string): boolean {
	const stem = /^([A-Za-z0-9_-]{10,100})\.[a-z][a-z0-9]{1,4}(?:\.[a-z]{2,3})?$/.exec(text)?.[1];
	return stem !== undefined && /[A-Z]/.test(stem) && isDrawn(stem);
}

/** A call, an index, a template or the environment: the value is somewhere else. */
const CODE =
	/^!?this\.|^[!(*&]*[A-Za-z_$][\w$.?!:]*[([<{](?:.*[),;([\]<>{}])?$|^\(?(?:process\.env|os\.environ|os\.getenv|import\.meta|env\.|ENV\[|env\(|Deno\.env|System\.getenv|secrets\.|vars\.|config\.|self\.|this\.|settings\.|props\.|state\.|req\.|request\.|args\.|opts\.|options\.|params\.|await |new |function|lambda)|^\$[({]|=>|^[A-Za-z_$][\w$]*(?:\[|(?:\.\w{1,40}){1,8}[(<])|::|->|^[:[(]|^\{[^{]*[^}]$|[):]$|^[A-Za-z_][\w.]*(?::[A-Za-z_][\w.]*)+$/s;

/** What a password's name may hold. */
function isPassword(text: string, style: Style): boolean {
	const shape = shapeOf(text);
	if (shape.spaces) return style !== "bare" && isPhrase(text);
	if (shape.letters === text.length || /^[A-Za-z]+(?:[-_.][A-Za-z]+)*$/.test(text)) return isWordPassword(text, style);
	if (style === "bare" || style === "line") {
		if (isMemberPath(text) || /^[\d.:/-]+$/.test(text))
			return shape.digits === text.length && text.length >= 6 && style === "line";
		if (
			style === "bare" &&
			/^[A-Za-z_]\w*\d?$/.test(text) &&
			shape.digits < 2 &&
			/(?:pass|pwd|token|secret|key|value|name|user|str|arg|input)/i.test(text)
		)
			return false;
	}
	if (style === "backtick") return shape.digits > 0 && text.length >= 6 && !isMemberPath(text);
	// words put together: a test, a symbol, a path
	if (shape.digits === 0 && style !== "quoted" && style !== "shell" && style !== "sole" && /^[\w./-]+$/.test(text))
		return false;
	if (shape.digits === text.length) return text.length >= 6;
	if (text.length < 6 && !(shape.symbols > 0 && shape.digits > 0)) return false;
	// a plain identifier with a number, as `password2` or `field_1`
	if (
		/^(?:new|old|my|user|db|the)?_?(?:pass(?:word)?|pwd|token|secret|key|field|input|value|param|arg|step|user|str)_?\d{1,2}$/i.test(
			text,
		)
	)
		return false;
	return shape.digits > 0 || shape.symbols > 0;
}

/** Letters alone: a password where only one can stand, a word or a name anywhere else. */
function isWordPassword(text: string, style: Style): boolean {
	if (text.length < 8 || isCommon(text)) return false;
	if (style === "shell" || style === "sole") return !/^[A-Z][A-Z_]+$/.test(text);
	if (style === "line") return /^[a-z]+$/.test(text) || /^[a-z]+(?:-[a-z]+){2,}$/.test(text);
	if (style !== "quoted") return false;
	if (/^[a-z]+$/.test(text)) return true;
	if (/^[a-z]+(?:[-_.][a-z]+)+$/.test(text))
		return text.split(/[-_.]/).length >= 4 || (!/[_.]/.test(text) && text.split("-").length >= 3);
	return /[a-z][A-Z]/.test(text) && !/^[a-z]+(?:[A-Z][a-z]+){1,3}$/.test(text) && !/^(?:[A-Z][a-z]+)+$/.test(text);
}

/** Words of code, forms and schemas: a value made of them is none. */
const COMMON = new Set(
	"password passwords passwd passphrase passwort token tokens secret secrets credential credentials contraseña contrasena senha wachtwoord kennwort required optional enabled disabled default string boolean object function undefined unknown invalid missing expired generated identifier username account provider service manager config configuration setting settings variable environment placeholder example internal external development production staging authentication authenticated authorization authorized encrypted encryption session bearer header headers cookie request response element component container repository document template workflow reference namespace public private inherit forbidden unauthorized permission confirm confirmation forgot please field column property attribute parameter argument selector keyboard primary foreign success failure failed error warning argument arguments deprecated whatever something nothing anything everything protected hardcoded automatic available unavailable mandatory necessary different correctly incorrect mismatch changed rotated stored hashed plaintext cleartext validation verification registration interactive keychain keyring vault manually yourself anonymous localhost interface constructor prototype parameter character characters".split(
		" ",
	),
);

const isCommon = (text: string): boolean =>
	text
		.replace(/([a-z])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-zñ]+/)
		.some((part) => COMMON.has(part));

/** Several words: a passphrase of plain words, or one with something no sentence has. */
function isPhrase(text: string): boolean {
	const parts = text.trim().split(/\s+/);
	if (parts.length > 30) return false;
	if (parts.length >= 3 && parts.every((part) => /^[a-z]{2,12}$/.test(part)))
		return !parts.some((part) => SENTENCE.has(part));
	const isMixed =
		parts.length >= 4 && parts.length <= 8 && parts.every((part) => /^(?:[A-Za-z]{2,14}\d{0,4}|\d{1,4})!?$/.test(part));
	if (isMixed && /\d/.test(text)) return !parts.some((part) => SENTENCE.has(part.toLowerCase()));
	return (
		parts.length <= 4 &&
		!/[.?!:]$/.test(text) &&
		parts.some((part) => isTold(part, "beside", "sure")) &&
		!parts.some((part) => SENTENCE.has(part.toLowerCase()))
	);
}

const SENTENCE = new Set(
	"minimum maximum min max chars zeichen muss mindestens mínimo máximo caracteres caractères days hours minutes seconds times bits the a an your you must is are was be been to of for in on at by with from enter please and or not no it this that should can may need needs has have use used using if when password token secret key login sign reset forgot new old user account value field required invalid wrong least characters contain set get der die das ihr le la les de el los un una votre su o as para um".split(
		" ",
	),
);

/** What a token's or a key's name may hold: not a word, not a name of something. */
function isTokenLike(text: string, style: Style): boolean {
	const shape = shapeOf(text);
	if (shape.spaces)
		return /^(?:[A-Za-z]{4,12}) \S{16,}$/.test(text)
			? looksRandom(text.split(" ")[1]!, 16)
			: /^(?:[A-Z2-7]{4} ){3,}[A-Z2-7]{2,4}$/i.test(text);
	if (text.length < 8)
		return (
			shape.digits > 0 && shape.symbols > 0 && shape.lower + shape.upper > 2 && style !== "bare" && text.length >= 6
		);
	if (/^[\d._:/-]+$/.test(text)) return style === "shell" && shape.digits >= 8;
	if (isMemberPath(text) || isIdentifier(text, style)) return false;
	if (style === "backtick") return shape.digits > 0;
	if (shape.digits > 0) return shape.lower + shape.upper > 0;
	if (style === "shell" || style === "sole") return isWordPassword(text, style) || looksShuffled(text);
	if (style === "quoted")
		return (
			looksShuffled(text) ||
			(/[!@#%^$~&+]/.test(text.slice(1)) && !/[<>()[\]]/.test(text)) ||
			(/^[a-z]+$/.test(text) && text.length >= 10 && !isCommon(text))
		);
	if (style === "line")
		return (/^[a-z]+$/.test(text) && !isCommon(text)) || looksShuffled(text) || /^[\w-].*[!@#%^$~]/.test(text);
	return looksShuffled(text) || /^[\w-].*[!@#%^$~]/.test(text);
}

/** Only what looks random, by the name's kind: a PIN is digits, a session may be a UUID. */
function isLikelyRandom(text: string, name: string): boolean {
	if (/pin$/i.test(name)) return /^\d{4,8}$/.test(text);
	if (/\s/.test(text)) return false;
	// an id with a date or a name in it is shown everywhere; what proves a session is one run
	if (/sess/i.test(name) && !/^[A-Za-z0-9+/=_%]{20,}$/.test(text)) return false;
	if (/otp$|code$/i.test(name) && /^\d{6,8}$/.test(text)) return /otp|mfa|2fa|auth|verif|login/i.test(name);
	if (UUID.test(text)) return /secret|token|cookie|licen[cs]e|salt/i.test(name) && !/sess/i.test(name);
	if (/sig|sig\w+$/i.test(name) && text.includes("%")) return text.length >= 16;
	if (isName(text) || FINGERPRINT.test(text) || CACHED.test(text)) return false;
	return (
		looksRandom(text, /salt|pepper|sess|sid/i.test(name) ? 10 : 16) || (/salt|pepper/i.test(name) && looksTyped(text))
	);
}

export const UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;

/** What a sentence gives as a secret: `prose` behind a verb, `beside` right behind the name, where it must show more. */
export function isTold(text: string, style: "prose" | "beside", trust: Exclude<NameTrust, null>): boolean {
	if (text.length < 5 || text.length > LOOK || isMarker(text) || isReference(text)) return false;
	if (LOCATION.test(text) || NO_SECRET.test(text) || NOT_TOLD.test(text) || CODE.test(text) || GRAMMAR.test(text))
		return false;
	if (FINGERPRINT.test(text) || isLongName(text)) return false;
	const shape = shapeOf(text);
	if (shape.digits === text.length) return trust === "sure" && style === "prose" && text.length >= 6;
	if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(text) || /^[A-Z]{2,8}-\d{1,6}$/.test(text)) return false;
	// capitals and digits alone are a fingerprint, of a public key too
	if (trust === "maybe")
		return (
			!CACHED.test(text) && (looksRandom(text, 20) || (style === "prose" && looksRandom(text, 12) && isDrawn(text)))
		);
	if (shape.digits === 0 && shape.symbols === 0) {
		if (style === "beside") return false;
		return looksShuffled(text) && text.length >= 10;
	}
	if (/^[A-Za-z]+(?:[-'’][A-Za-z]+)+$/.test(text))
		return style === "prose" && trust === "sure" && text.split("-").length >= 4;
	if (trust === "likely")
		return (
			text.length >= 8 &&
			shape.digits > 0 &&
			!isIdentifier(text, "line") &&
			(looksRandom(text, style === "beside" ? 16 : 10) || (style === "prose" && shape.kinds >= 3))
		);
	if (style === "prose")
		return (
			(shape.digits > 0 && shape.lower + shape.upper > 0) ||
			(/[!@#$%^&*+~]|\?(?!$)/.test(text) && text.length >= 7 && !/^[\w-]+[.'’)/]/.test(text) && !/[/.=()]/.test(text))
		);
	return (
		(shape.kinds >= 3 && text.length >= 7 && !/^[A-Z]?[a-z]+[A-Z]?\w*\d?$/.test(text)) ||
		(shape.digits >= 2 && text.length >= 8 && shape.lower + shape.upper >= 3 && !/^[a-z]+[-_]?\d+$/i.test(text)) ||
		(shape.digits >= 3 && /^[a-z]+\d+$/i.test(text) && text.length >= 9)
	);
}

/** Without what the sentence adds: its point, the closing bracket or quote, emphasis. */
export function trimmed(raw: string, isOpen = true): string {
	let value = raw.replace(/\\[nrt].*$/s, "");
	const close = /["'`“”’»」』›]/.exec(value);
	if (close && isOpen) value = value.slice(0, close.index);
	return value.replace(/(?:[.,;:)\]}>"'`”’»*]|\\)+$/, "");
}

/** Versions, times, sizes, file names, addresses, algorithms: what stands in sentences beside such names. */
const NOT_TOLD =
	/^(?:[\w-]+\(\d.*|\w+=\w{0,3}|\d+\/\w+|v?\d+(?:[.:x/-]\d+)*\w{0,3}[.%+]?|\d+(?:st|nd|rd|th)|[\w.+-]+@[\w-]+\.[\w.-]+|(?:sha|md|aes|rsa|utf|base|hmac|argon|oauth|ipv|h|p|s|ed|x|gpt|claude|python|node|php|java|step|line|page|case|user|test|host|server|db|field|item|option|part|phase|type|level|http|tls|ssl|web|k8s|log4j|i18n|a11y|e2e|s3|ec2|b2b|pg|mysql|redis|es|vue|angular|ws|issue|pr|bug)s?[-_ ]?\d+(?:[-_.]\w+)*|[\w-]+\.(?:com|org|net|io|dev|app|local|internal|[a-z]{2,4})(?:[:/].*)?|[#@][\w-]+|[a-z]+\(\)|\w+\(s\)|[a-z]+\/[a-z/]+|\w+(?:\.\w+)*\(.*|\w+[<([{].*|"[^"]*|and\/or|[^\x21-\x7e].*)$/i;

/** A variable's, a key's or a resource's name with a number in it. */
function isIdentifier(text: string, style: Style): boolean {
	if (style === "shell" || style === "sole") return false;
	if (
		/^[A-Za-z]+(?:[-_][A-Za-z0-9]{1,12})*$/.test(text) &&
		/^(?:[A-Za-z]+|\d{1,4}|v\d+)$/.test(text.split(/[-_]/).at(-1)!)
	)
		return (
			text.split(/[-_]/).every((part) => /^(?:[A-Za-z]+|\d{1,4}|v\d+|[A-Za-z]+\d{1,2})$/.test(part)) &&
			(style === "bare" || /[-_]/.test(text) || !/\d/.test(text))
		);
	return style === "bare" && /^[a-z]+(?:[A-Z][a-z]+)*\d{0,2}$/.test(text);
}

/**
 * Several words put together as code, files and tests name things: by case, dots, dashes, strokes and colons, a number now and
 * then. A password of one word with a number is none.
 */
export function isName(text: string, letters = 3.4): boolean {
	if (!/^[\w$.:/@#+-]+$/.test(text)) return false;
	const words = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
	const numbers = text.match(/\d+/g) ?? [];
	const isPlain = words.length >= 4 || numbers.every((number) => number.length <= 2);
	return (
		isPlain && words.length >= 2 && words.length > numbers.length && words.join("").length >= letters * words.length
	);
}

/** A path, a member or three words of code: a name wherever it stands without quotes. */
const isLongName = (text: string): boolean => isName(text) && /[/.:]|(?:[a-z][A-Z].*){2}/.test(text);

export function isMemberPath(text: string): boolean {
	return /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)+$/.test(text) && (text.match(/\d/g)?.length ?? 0) < 3;
}
