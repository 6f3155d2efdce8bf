/** What a text is made of: how many characters of each kind, how many of the four kinds it has, and how often the kind changes. */
export function countCharacterKinds(text: string) {
	const counts = [0, 0, 0, 0, 0];
	let changes = 0;
	let before = -1;
	for (let i = 0; i < text.length; i++) {
		const kind = characterKind(text.charCodeAt(i));
		counts[kind]!++;
		if (i > 0 && kind !== before) changes++;
		before = kind;
	}
	const [digits, lower, upper, symbols, spaces] = counts as [number, number, number, number, number];
	const kinds = Math.sign(digits) + Math.sign(lower) + Math.sign(upper) + Math.sign(symbols);
	return { digits, lower, upper, letters: lower + upper, symbols, hasSpaces: spaces > 0, kinds, changes };
}

/** The kind of a character: 0 a digit, 1 a small letter (and any beyond ASCII), 2 a capital, 3 a symbol, 4 white space. */
function characterKind(code: number): number {
	if (code >= 48 && code <= 57) return 0;
	if ((code >= 97 && code <= 122) || code > 191) return 1;
	if (code >= 65 && code <= 90) return 2;
	return code === 32 || (code >= 9 && code <= 13) ? 4 : 3;
}

/** Whether a text holds any of these characters. */
export function hasAnyOf(text: string, characters: string): boolean {
	for (const character of characters) if (text.includes(character)) return true;
	return false;
}

/** The words of a compound name, parted by case, digits and signs: `maxRetry_count` gives `max`, `Retry`, `count`. */
export const nameParts = (text: string): string[] => text.match(/[A-Z]?[a-zà-ɏ]+|[A-Z]+(?![a-z])/g) ?? [];
export const digitRuns = (text: string): string[] => text.match(/\d+/g) ?? [];

/** Whether a text looks randomly made: letters and digits mixed, in one long run. Not paths, words with numbers, dates. */
export function looksRandom(text: string, min: number): boolean {
	if (text.length < min || !/^[\w+/=.~:%$!@#^&*,|?-]+$/.test(text)) return false;
	const { digits, symbols, kinds } = countCharacterKinds(text);
	if (digits === 0) return isMixedCase(text) && text.length >= 20;
	const longestRun = text.split(/[^A-Za-z0-9]+/).reduce((a, b) => (b.length > a.length ? b : a), "");
	if (longestRun.length < Math.min(8, min)) return symbols >= 3 && kinds === 4;
	const { changes } = countCharacterKinds(longestRun);
	return changes >= 3 && changes * 6 >= longestRun.length;
}

/** Whether capitals and small letters change as often as in no name. */
export const isMixedCase = (text: string): boolean =>
	/^[A-Za-z0-9+/=_-]{10,}$/.test(text) &&
	countCharacterKinds(text).changes * 3 >= text.length &&
	/[A-Z]{2}|[a-z][A-Z][a-z]?[A-Z]/.test(text);

/** Whether letters and digits change after every one or two, as in no name. For texts too short for `looksRandom`. */
export function looksMixed(text: string): boolean {
	const [words, numbers] = [nameParts(text).length, digitRuns(text).length];
	return words > 0 && numbers > 0 && words + numbers >= 5 && text.length < 2.3 * (words + numbers);
}

/** Whether letters and digits are mixed with a symbol or capital as only in a password: in no name, number, address or expression. */
export function looksLikePassword(text: string): boolean {
	if (!/^[A-Za-z0-9][\w!#$%^&*?~+@.-]{5,63}$/.test(text) || VERSION_OR_ADDRESS.test(text)) return false;
	const { digits, lower, upper } = countCharacterKinds(text);
	if (digits === 0) return false;
	if (hasAnyOf(text.slice(0, -1), "!#$%^&*?~+@") || (text.length >= 8 && hasAnyOf(text.slice(-1), "!#$%^&")))
		return true;
	const words = nameParts(text.replace(TERM_WITH_DIGITS, ""));
	const areWordsShort = words.join("").length < 3.2 * words.length;
	return upper > 0 && lower > 0 && areWordsShort && hasInnerDigit(text) && !text.includes("_0");
}
/** A version, an address, a number or a reference. */
const VERSION_OR_ADDRESS =
	/^v?\d+(?:\.\d+){2}[-+]|^[\w.+-]+@[\w-]+(?:\.\w+)+$|@\d|^[\d.+%*x-]+\w?$|^0x|^[A-Za-z]{1,5}#\d+$/;

/** A digit between letters, as in `p4ss`; names hardly ever have one. Terms such as `k8s` don't count. */
export const hasInnerDigit = (text: string): boolean => /[A-Za-z]\d+[A-Za-z]/.test(text.replace(TERM_WITH_DIGITS, ""));

/** Technical terms with a digit. */
const TERM_WITH_DIGITS =
	/k8s|i18n|l10n|a11y|e2e|[bp]2[bpc]|s3|ec2|x509|h26[45]|utf8|sha\d+|md5|base\d\d|oauth2?|u?int\d+|v\d+/gi;
