/** What a text is made of: how many characters of each kind, how many of the four kinds, and how often the kind changes. */
export function shapeOf(text: string) {
	const counts = [0, 0, 0, 0, 0];
	let turns = 0;
	let before = -1;
	for (let i = 0; i < text.length; i++) {
		const kind = signKind(text.charCodeAt(i));
		counts[kind]!++;
		if (i > 0 && kind !== before) turns++;
		before = kind;
	}
	const [digits, lower, upper, symbols, spaces] = counts as [number, number, number, number, number];
	const kinds = Math.sign(digits) + Math.sign(lower) + Math.sign(upper) + Math.sign(symbols);
	return { digits, lower, upper, letters: lower + upper, symbols, hasSpaces: spaces > 0, kinds, turns };
}

/** 0 a digit, 1 a small letter (and any beyond ASCII), 2 a capital, 3 a symbol, 4 white space. */
function signKind(code: number): number {
	if (code >= 48 && code <= 57) return 0;
	if ((code >= 97 && code <= 122) || code > 191) return 1;
	if (code >= 65 && code <= 90) return 2;
	return code === 32 || (code >= 9 && code <= 13) ? 4 : 3;
}

/** Whether a text holds any of some signs. */
export function holdsSign(text: string, signs: string): boolean {
	for (const sign of signs) if (text.includes(sign)) return true;
	return false;
}

/** The words that a name is put together of by case, dots and dashes. */
export const nameParts = (text: string): string[] => text.match(/[A-Z]?[a-zà-ɏ]+|[A-Z]+(?![a-z])/g) ?? [];
export const numbersOf = (text: string): string[] => text.match(/\d+/g) ?? [];

/** What looks drawn by lot: letters and digits mixed, in one long run. Not paths, words with numbers, dates. */
export function looksRandom(text: string, min: number): boolean {
	if (text.length < min || !/^[\w+/=.~:%$!@#^&*,|?-]+$/.test(text)) return false;
	const { digits, symbols, kinds } = shapeOf(text);
	if (digits === 0) return looksShuffled(text) && text.length >= 20;
	const longest = text.split(/[^A-Za-z0-9]+/).reduce((a, b) => (b.length > a.length ? b : a), "");
	if (longest.length < Math.min(8, min)) return symbols >= 3 && kinds === 4;
	const { turns } = shapeOf(longest);
	return turns >= 3 && turns * 6 >= longest.length;
}

/** Capitals and small letters in no order a name has. */
export const looksShuffled = (text: string): boolean =>
	/^[A-Za-z0-9+/=_-]{10,}$/.test(text) &&
	shapeOf(text).turns * 3 >= text.length &&
	/[A-Z]{2}|[a-z][A-Z][a-z]?[A-Z]/.test(text);

/** Letters and digits in no order a name has: one or two at a time of a kind. Shorter than what `looksRandom` takes. */
export function isDrawn(text: string): boolean {
	const [words, numbers] = [nameParts(text).length, numbersOf(text).length];
	return words > 0 && numbers > 0 && words + numbers >= 5 && text.length < 2.3 * (words + numbers);
}

/**
 * What can be nothing but typed as a password: letters and digits mixed, with a sign or a capital that no name, number, address or
 * expression has there.
 */
export function looksTyped(text: string): boolean {
	if (!/^[A-Za-z0-9][\w!#$%^&*?~+@.-]{5,63}$/.test(text) || EXPRESSION.test(text)) return false;
	const { digits, lower, upper } = shapeOf(text);
	if (digits === 0) return false;
	if (holdsSign(text.slice(0, -1), "!#$%^&*?~+@") || (text.length >= 8 && holdsSign(text.slice(-1), "!#$%^&")))
		return true;
	const words = nameParts(text.replace(NUMERONYM, ""));
	const isShort = words.join("").length < 3.2 * words.length;
	return upper > 0 && lower > 0 && isShort && hasDigitsInside(text) && !text.includes("_0");
}
/** A version, an address, a number or a reference. */
const EXPRESSION = /^v?\d+(?:\.\d+){2}[-+]|^[\w.+-]+@[\w-]+(?:\.\w+)+$|@\d|^[\d.+%*x-]+\w?$|^0x|^[A-Za-z]{1,5}#\d+$/;

/** A digit between letters, as leet has and names of things hardly ever. */
export const hasDigitsInside = (text: string): boolean => /[A-Za-z]\d+[A-Za-z]/.test(text.replace(NUMERONYM, ""));

/** Words with a number that are words of the trade. */
const NUMERONYM =
	/k8s|i18n|l10n|a11y|e2e|[bp]2[bpc]|s3|ec2|x509|h26[45]|utf8|sha\d+|md5|base\d\d|oauth2?|u?int\d+|v\d+/gi;
