import type { ArithmeticExpression, ParsedScript, Word, WordPart } from "unbash";
import { operandsOf, setBy } from "./shell-arithmetic.ts";
import type { GivenVariable } from "./shell-variables.ts";

/** What is found on a walk through a text. */
export interface Expansions {
	given: GivenVariable[];
	/** What the shell reckons with: each must be a number. */
	sums: (Word | ArithmeticExpression)[];
	/** Scripts within words. */
	script(script: ParsedScript): boolean;
}

/** A person's sum is short. */
export const MAX_SUM_CHARS = 200;

/** Walks what a shell expands in a word. False where an expansion could run more than the commands that stand in it. */
export function walkWord(word: Word, found: Expansions): boolean {
	// a bracket that bash takes for text, zsh takes for a list or for what to run on each file
	const isOpen = (text: string): boolean => /(?<!\\)[()]/.test(text);
	if (word.parts ? word.parts.some((part) => part.type === "Literal" && isOpen(part.text)) : isOpen(word.text))
		return false;
	return walkPattern(word, found);
}

/** The same for a pattern of `=~`, where a bracket is one. */
export function walkPattern(word: Word, found: Expansions): boolean {
	return word.parts ? walkParts(word.parts, found) : isPlain(word.text);
}

export function walkParts(parts: readonly WordPart[], found: Expansions): boolean {
	return parts.every((part, i) => {
		// zsh takes what follows for an index, and reckons it
		if (part.type === "SimpleExpansion" && parts[i + 1]?.text.startsWith("[")) return false;
		return walkPart(part, found);
	});
}

/** Flags of zsh stand between the dollar sign and the name. */
const isPlain = (text: string): boolean => !/\$[=~^+{([#]/.test(text);

function walkPart(part: WordPart, found: Expansions): boolean {
	switch (part.type) {
		case "Literal":
			return isPlain(part.text);
		case "SingleQuoted":
		case "AnsiCQuoted":
		case "SimpleExpansion":
			return true;
		case "DoubleQuoted":
			return walkParts(part.parts, found);
		case "Glob":
			return !part.parts || walkParts(part.parts, found);
		case "BraceExpansion":
			return !part.parts || walkParts(part.parts, found);
		case "CommandExpansion":
			// the forms of bash 5.3 run in this shell
			return /^(?:\$\(|`)/.test(part.text) && part.script !== undefined && found.script(part.script);
		case "ProcessSubstitution":
			return part.operator === "<" && part.script !== undefined && found.script(part.script);
		case "ArithmeticExpansion":
			return part.text.startsWith("$((") && part.text.length <= MAX_SUM_CHARS && walkSum(part.expression, found);
		case "ParameterExpansion":
			return walkParameter(part, found);
		default:
			return false;
	}
}

function walkParameter(part: Extract<WordPart, { type: "ParameterExpansion" }>, found: Expansions): boolean {
	if (!/^(?:[A-Za-z_]\w*|\d+|[@*#?$!-])$/.test(part.parameter) || part.prefix === "!") return false;
	if (part.index && !/^(?:\d+|[@*])$/.test(part.index.text)) return false;
	const { operation } = part;
	// zsh takes a bracket in what stands behind the name for what to run on each file
	if (/(?<![$(])\(/.test(part.text)) return false;
	switch (operation?.type) {
		case undefined:
			return true;
		case "Default":
			if (operation.operator.endsWith("=")) found.given.push({ name: part.parameter, words: [operation.operand] });
			return walkWord(operation.operand, found);
		case "Remove":
			return walkWord(operation.operand, found);
		case "Replace":
			return walkWord(operation.pattern, found) && walkWord(operation.replacement, found);
		case "Slice":
			found.sums.push(operation.offset, ...(operation.length ? [operation.length] : []));
			return walkWord(operation.offset, found) && (!operation.length || walkWord(operation.length, found));
		case "CaseModification":
			return !operation.operand || walkWord(operation.operand, found);
		case "Transform":
			// others expand the value once more
			return /^[QULu]$/.test(operation.operand.text);
		default:
			return false;
	}
}

/** Walks a sum: the commands in it, and what it sets. */
export function walkSum(sum: ArithmeticExpression | undefined, found: Expansions): boolean {
	if (!sum) return true;
	found.sums.push(sum);
	for (const name of setBy(sum)) found.given.push({ name, isNumber: true });
	return walkSumParts(sum, found);
}

function walkSumParts(sum: ArithmeticExpression, found: Expansions): boolean {
	switch (sum.type) {
		case "ArithmeticCommandExpansion":
			return sum.script !== undefined && found.script(sum.script);
		case "ArithmeticWord":
			return !sum.parts || walkParts(sum.parts, found);
		default:
			return operandsOf(sum).every((one) => walkSumParts(one, found));
	}
}
