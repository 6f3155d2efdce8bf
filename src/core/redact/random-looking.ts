/** What looks drawn by lot: letters and digits mixed, in one long run. Not paths, words with numbers, dates. */
export function looksRandom(text: string, min: number): boolean {
	if (text.length < min || !/^[\w+/=.~:%$!@#^&*,|?-]+$/.test(text) || /^[\d.:/,-]+$/.test(text)) return false;
	const { digits, symbols, kinds } = shapeOf(text);
	if (digits === 0) return looksShuffled(text) && text.length >= 20;
	const longest = text.split(/[^A-Za-z0-9]+/).reduce((a, b) => (b.length > a.length ? b : a), "");
	if (longest.length < Math.min(8, min)) return symbols >= 3 && kinds === 4;
	const turns = turnsIn(longest);
	return turns >= 3 && turns * 6 >= longest.length;
}

/** Capitals and small letters in no order a name has. */
export function looksShuffled(text: string): boolean {
	if (!/^[A-Za-z0-9+/=_-]{10,}$/.test(text)) return false;
	return turnsIn(text) * 3 >= text.length && /[A-Z]{2}|[a-z][A-Z][a-z]?[A-Z]/.test(text);
}

/** Letters and digits in no order a name has: one or two at a time of a kind. Shorter than what `looksRandom` takes. */
export function isDrawn(text: string): boolean {
	const pieces = wordsOf(text).length + numbersOf(text).length;
	return pieces >= 5 && text.length / pieces < 2.3 && /\d/.test(text) && /[A-Za-z]/.test(text);
}

/**
 * What can be nothing but typed as a password: letters and digits mixed, with a sign or a capital that no name, number, address or
 * expression has there.
 */
export function looksTyped(text: string): boolean {
	if (!/^[A-Za-z0-9][\w!#$%^&*?~+@.-]{5,63}$/.test(text) || !/\d/.test(text) || EXPRESSION.test(text)) return false;
	const words = wordsOf(text.replace(NUMERONYM, ""));
	const letters = words.join("").length;
	if (/[!#$%^&*?~+@](?!$)/.test(text)) return true;
	if (/[!#$%^&]$/.test(text) && text.length >= 8) return true;
	return (
		/[A-Z]/.test(text) &&
		/[a-z]/.test(text) &&
		hasDigitsInside(text) &&
		!text.includes("_0") &&
		letters < 3.2 * words.length
	);
}
/** An address, a number or a reference. */
const EXPRESSION = /^[\w.+-]+@[\w-]+(?:\.\w+)+$|@\d|^[\d.+%*x-]+\w?$|^0x|^[A-Za-z]{1,5}#\d+$/;

/** A digit between letters, as leet has and names of things hardly ever. */
export const hasDigitsInside = (text: string): boolean => /[A-Za-z]\d+[A-Za-z]/.test(text.replace(NUMERONYM, ""));

/** Words with a number that are words of the trade. */
const NUMERONYM =
	/k8s|i18n|l10n|a11y|e2e|[bp]2[bpc]|s3|ec2|x509|h26[45]|utf8|sha\d+|md5|base\d\d|oauth2?|u?int\d+|v\d+/gi;

/** The words that a name is put together of by case, dots and dashes. */
export const wordsOf = (text: string): string[] => text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
export const numbersOf = (text: string): string[] => text.match(/\d+/g) ?? [];

/** How many characters of each kind a text has, and how many of the four kinds. */
export function shapeOf(text: string) {
	const counts = [0, 0, 0, 0, 0];
	for (let i = 0; i < text.length; i++) counts[kindAt(text, i)]!++;
	const [digits, lower, upper, symbols, spaces] = counts as [number, number, number, number, number];
	const kinds = [digits, lower, upper, symbols].filter(Boolean).length;
	return { digits, letters: lower + upper, symbols, hasSpaces: spaces > 0, kinds };
}

/** How often the kind of character changes. */
function turnsIn(text: string): number {
	let turns = 0;
	for (let i = 1; i < text.length; i++) if (kindAt(text, i) !== kindAt(text, i - 1)) turns++;
	return turns;
}

/** 0 a digit, 1 a small letter (and any beyond ASCII), 2 a capital, 3 a symbol, 4 white space. */
function kindAt(text: string, at: number): number {
	const code = text.charCodeAt(at);
	if (code >= 48 && code <= 57) return 0;
	if ((code >= 97 && code <= 122) || code > 191) return 1;
	if (code >= 65 && code <= 90) return 2;
	return code === 32 || (code >= 9 && code <= 13) ? 4 : 3;
}
