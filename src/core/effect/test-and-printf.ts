import { COMPARES_NUMBERS, isNumber } from "../shell/shell-arithmetic.ts";
import type { ShellWord } from "../shell/shell-word.ts";

/**
 * Whether `[ … ]` or `test` only compares. With `-v` a shell reckons the index of a name; so words that expansions decide must
 * stand where no operator can be.
 */
export function isPlainTest(words: ShellWord[]): boolean {
	const terms: ShellWord[][] = [[]];
	for (const word of words) {
		if (word.split) return false;
		if (/^-[ao]$/.test(word.text ?? "")) terms.push([]);
		else if (word.text !== "!" || terms.at(-1)!.length > 0) terms.at(-1)!.push(word);
	}
	return terms.every((term) => {
		if (term.length > 3 || term.some(({ several }) => several && words.length > 2)) return false;
		if (term.length <= 1) return true;
		if (term.length === 2) return /^-[a-hkprstuwxzGLNOS]$/.test(term[0]!.text ?? "");
		const [left, operator, right] = term as [ShellWord, ShellWord, ShellWord];
		if (COMPARES_NUMBERS.test(operator.text ?? "")) return isNumber(left) && isNumber(right);
		return /^(?:==?|!=|<|>|-[no]t|-ef)$/.test(operator.text ?? "");
	});
}

/** Whether `printf` only prints: `-v` and `%n` set a variable, and zsh reckons what is printed as a number. */
export function isPlainPrintf(words: ShellWord[]): boolean {
	const rest = words[0]?.text === "--" ? words.slice(1) : words;
	const format = rest[0]?.text;
	if (typeof format !== "string" || (rest === words && format.startsWith("-"))) return false;
	const kinds = [...format.matchAll(/%[-+ #0']*(?:\d+)?(?:\.\d+)?(.?)/gs)].map(([, kind]) => kind!);
	if (kinds.every((kind) => /^[sbqc%]$/.test(kind))) return true;
	return kinds.every((kind) => /^[sbqc%diouxXfFeEgG]$/.test(kind)) && rest.slice(1).every(isNumberOrText);
}

/** A number, or a text that is no sum. */
const isNumberOrText = (word: ShellWord): boolean => isNumber(word) || /^[\w .,:/-]*$/.test(word.text ?? "(");
