import type { ArithmeticExpression, Word } from "unbash";
import { type ShellWord, shellWord, type Variables } from "./shell-word.ts";

/** Operators of `[[ ]]` and `[ ]` that take their words as sums. */
export const COMPARES_NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** Whether a word can only be a number: in a sum a shell runs what is in the text, such as `a[$(…)]`. */
export const isNumber = ({ shape }: ShellWord): boolean => shape !== null && /^\s*[-+]?\d+\s*$/.test(shape);

export const isNumberWord = (word: Word, variables: Variables): boolean => isNumber(shellWord(word, variables));

/** Whether a sum is made of numbers and of variables that hold numbers. */
export function isSum(sum: ArithmeticExpression | undefined, variables: Variables): boolean {
	if (!sum) return true;
	switch (sum.type) {
		case "ArithmeticBinary":
			return isSum(sum.left, variables) && isSum(sum.right, variables);
		case "ArithmeticUnary":
			return isSum(sum.operand, variables);
		case "ArithmeticTernary":
			return [sum.test, sum.consequent, sum.alternate].every((one) => isSum(one, variables));
		case "ArithmeticGroup":
			return isSum(sum.expression, variables);
		case "ArithmeticCommandExpansion":
			return isNumber(variables.output(sum.script, true));
		case "ArithmeticWord": {
			if (/^(?:\d+|0[xX][\da-fA-F]+)$/.test(sum.value)) return true;
			const name = /^(?:\$?([A-Za-z_]\w*)|\$\{#?([A-Za-z_]\w*)\}|\$([#?]))$/.exec(sum.value);
			return name !== null && (sum.value.startsWith("$" + "{#") || variables.isNumber(name[1] ?? name[2] ?? name[3]!));
		}
	}
}

/** The variables a sum sets. */
export function setBy(sum: ArithmeticExpression | undefined): string[] {
	if (!sum) return [];
	switch (sum.type) {
		case "ArithmeticBinary": {
			const sets = /^(?:[-+*/%&|^]|<<|>>)?=$/.test(sum.operator) && sum.left.type === "ArithmeticWord";
			return [...(sets ? [(sum.left as { value: string }).value] : []), ...setBy(sum.left), ...setBy(sum.right)];
		}
		case "ArithmeticUnary": {
			const sets = /^(?:\+\+|--)$/.test(sum.operator) && sum.operand.type === "ArithmeticWord";
			return sets ? [(sum.operand as { value: string }).value] : setBy(sum.operand);
		}
		case "ArithmeticTernary":
			return [sum.test, sum.consequent, sum.alternate].flatMap(setBy);
		case "ArithmeticGroup":
			return setBy(sum.expression);
		default:
			return [];
	}
}
