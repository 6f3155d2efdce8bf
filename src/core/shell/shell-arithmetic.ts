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
		case "ArithmeticCommandExpansion":
			return isNumber(variables.output(sum.script, true));
		case "ArithmeticWord": {
			if (/^(?:\d+|0[xX][\da-fA-F]+)$/.test(sum.value)) return true;
			const name = /^(?:\$?([A-Za-z_]\w*)|\$\{#?([A-Za-z_]\w*)\}|\$([#?]))$/.exec(sum.value);
			return name !== null && (sum.value.startsWith("$" + "{#") || variables.isNumber(name[1] ?? name[2] ?? name[3]!));
		}
		default:
			return operandsOf(sum).every((one) => isSum(one, variables));
	}
}

/** The sums a sum is made of; none of a single word or command. */
export function operandsOf(sum: ArithmeticExpression): ArithmeticExpression[] {
	switch (sum.type) {
		case "ArithmeticBinary":
			return [sum.left, sum.right];
		case "ArithmeticUnary":
			return [sum.operand];
		case "ArithmeticTernary":
			return [sum.test, sum.consequent, sum.alternate];
		case "ArithmeticGroup":
			return [sum.expression];
		default:
			return [];
	}
}

/** The variables a sum sets. */
export const setBy = (sum: ArithmeticExpression | undefined): string[] =>
	sum ? [...assignedBy(sum), ...operandsOf(sum).flatMap(setBy)] : [];

/** What the sum itself assigns, or counts up or down. */
function assignedBy(sum: ArithmeticExpression): string[] {
	let target: ArithmeticExpression | undefined;
	if (sum.type === "ArithmeticBinary" && /^(?:[-+*/%&|^]|<<|>>)?=$/.test(sum.operator)) target = sum.left;
	if (sum.type === "ArithmeticUnary" && /^(?:\+\+|--)$/.test(sum.operator)) target = sum.operand;
	return target?.type === "ArithmeticWord" ? [target.value] : [];
}
