/** What looks drawn by lot: letters and digits mixed, in one long run. Not paths, words with numbers, dates. */
export function looksRandom(text: string, min: number): boolean {
	if (text.length < min || !/^[\w+/=.~:%$!@#^&*,|?-]+$/.test(text)) return false;
	if (/^[\d.:/,-]+$/.test(text)) return false;
	const longest = text.split(/[^A-Za-z0-9]+/).reduce((a, b) => (b.length > a.length ? b : a), "");
	const shape = shapeOf(text);
	if (shape.digits === 0) return looksShuffled(text) && text.length >= 20;
	if (longest.length < Math.min(8, min)) return shape.symbols >= 3 && shape.kinds === 4;
	let turns = 0;
	for (let i = 1; i < longest.length; i++) if (kindAt(longest, i) !== kindAt(longest, i - 1)) turns++;
	return turns >= 3 && turns * 6 >= longest.length;
}

/** Capitals and small letters in no order a name has. */
export function looksShuffled(text: string): boolean {
	if (!/^[A-Za-z0-9+/=_-]+$/.test(text) || text.length < 10) return false;
	let turns = 0;
	for (let i = 1; i < text.length; i++) if (kindAt(text, i) !== kindAt(text, i - 1)) turns++;
	return turns * 3 >= text.length && /[A-Z]{2}|[a-z][A-Z][a-z]?[A-Z]/.test(text);
}

/** Letters and digits in no order a name has: one or two at a time of a kind. Shorter than what `looksRandom` takes. */
export function isDrawn(text: string): boolean {
	const pieces = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
	return pieces.length >= 5 && text.length / pieces.length < 2.3 && /\d/.test(text) && /[A-Za-z]/.test(text);
}

/**
 * What can be nothing but typed as a password: letters and digits mixed, with a sign or a capital that no name, number, address or
 * expression has there.
 */
export function looksTyped(text: string): boolean {
	if (!/^[A-Za-z0-9][\w!#$%^&*?~+@.-]{5,63}$/.test(text) || !/\d/.test(text)) return false;
	const words = text.replace(NUMERONYM, "").match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
	const letters = words.join("").length;
	if (letters < 2 || /^[\w.+-]+@[\w.-]+\.\w+$|@\d|^[\d.+%*x-]+\w?$|^0x|^[A-Za-z]{1,5}#\d+$/.test(text)) return false;
	const signs = text.match(/[!#$%^&*?~+@](?!$)/g)?.length ?? 0;
	if (signs > 0) return true;
	if (/[!#$%^&]$/.test(text) && text.length >= 8) return letters + 3 <= text.length || hasDigitsInside(text);
	return (
		hasDigitsInside(text) &&
		/[A-Z]/.test(text) &&
		/[a-z]/.test(text) &&
		!text.includes("_0") &&
		letters < 3.2 * words.length
	);
}

/** A digit between letters, as leet has and names of things hardly ever. */
export const hasDigitsInside = (text: string): boolean => /[A-Za-z]\d+[A-Za-z]/.test(text.replace(NUMERONYM, ""));

/** Words with a number that are words of the trade. */
const NUMERONYM =
	/k8s|i18n|l10n|a11y|e2e|[bp]2[bpc]|s3|ec2|x509|h26[45]|utf8|sha\d+|md5|base\d\d|oauth2?|u?int\d+|v\d+/gi;

interface Shape {
	lower: number;
	upper: number;
	digits: number;
	symbols: number;
	letters: number;
	spaces: boolean;
	/** How many of the four kinds of characters occur. */
	kinds: number;
}

export function shapeOf(text: string): Shape {
	const shape = { lower: 0, upper: 0, digits: 0, symbols: 0, letters: 0, spaces: false, kinds: 0 };
	for (let i = 0; i < text.length; i++) {
		const kind = kindAt(text, i);
		if (kind === 0) shape.digits++;
		else if (kind === 1) shape.lower++;
		else if (kind === 2) shape.upper++;
		else if (kind === 4) shape.spaces = true;
		else shape.symbols++;
	}
	shape.letters = shape.lower + shape.upper;
	shape.kinds = [shape.lower, shape.upper, shape.digits, shape.symbols].filter(Boolean).length;
	return shape;
}

/** 0 a digit, 1 a small letter (and any beyond ASCII), 2 a capital, 3 a symbol, 4 white space. */
function kindAt(text: string, at: number): number {
	const code = text.charCodeAt(at);
	if (code >= 48 && code <= 57) return 0;
	if ((code >= 97 && code <= 122) || code > 191) return 1;
	if (code >= 65 && code <= 90) return 2;
	return code === 32 || (code >= 9 && code <= 13) ? 4 : 3;
}
