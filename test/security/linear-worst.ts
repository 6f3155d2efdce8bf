import type { AST } from "@eslint-community/regexpp";
import { RegExpParser } from "@eslint-community/regexpp";

/**
 * Texts made to be slow for one pattern, each of `length` characters: what it repeats, repeated; what it begins with, over and
 * over; both with an end that fits nothing. Found from the pattern's own parts, so a new pattern brings its own.
 */
export function* worstTexts(source: string, flags: string, length: number): Generator<string> {
	const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, {
		unicode: flags.includes("u"),
	});
	const letters = lettersOf(source);
	const { heads, pumps } = partsOf(pattern, letters);
	const units = new Set([...letters, ...pairsOf(letters), ...heads]);
	for (const unit of units) if (unit) yield* ended(unit.repeat(Math.ceil(length / unit.length)).slice(0, length));
	for (const { head, pump } of pumps)
		if (pump) yield* ended((head + pump.repeat(Math.ceil(length / pump.length))).slice(0, length));
}

/** With an end that many patterns can't take, and with one that starts a new line. */
function* ended(text: string): Generator<string> {
	yield `${text}\u0000`;
	yield `${text}\n\u0000`;
}

/** Characters that stand in the pattern, and a few of each sort. */
function lettersOf(source: string): string[] {
	const own = source.replace(/\\u[0-9a-f]{4}|\\[a-zA-Z0-9]|[\\()[\]|?*+^${}]/gi, "");
	const escaped = (source.match(/\\[^a-zA-Z0-9]/g) ?? []).map((one) => one[1]!);
	return [...new Set([...escaped, ...own, ..." \n\taA0-_."])].slice(0, 40);
}

const pairsOf = (letters: readonly string[]): string[] =>
	letters.slice(0, 12).flatMap((a) => [" ", "\n", "a", "-", '"', "="].flatMap((b) => (a === b ? [] : [a + b])));

interface Parts {
	/** Texts that the pattern's beginnings match. */
	heads: Set<string>;
	/** What a part repeats, behind what stands before it. */
	pumps: { head: string; pump: string }[];
}

function partsOf(pattern: AST.Pattern, letters: readonly string[]): Parts {
	const parts: Parts = { heads: new Set(), pumps: [] };
	walk(pattern.alternatives, "", letters, parts);
	return { heads: new Set([...parts.heads].slice(0, 80)), pumps: parts.pumps.slice(0, 120) };
}

function walk(
	alternatives: readonly AST.Alternative[],
	before: string,
	letters: readonly string[],
	parts: Parts,
): void {
	for (const { elements } of alternatives) {
		let head = before;
		for (const element of elements) {
			const inner = element.type === "Quantifier" ? element.element : element;
			if (inner.type === "Group" || inner.type === "CapturingGroup") walk(inner.alternatives, head, letters, parts);
			if (inner.type === "Assertion" && "alternatives" in inner) walk(inner.alternatives, head, letters, parts);
			if (element.type === "Quantifier" && element.max > 8)
				for (const pump of samplesOf(element.element, letters)) parts.pumps.push({ head, pump });
			head += samplesOf(element, letters)[0] ?? "";
			parts.heads.add(head);
		}
	}
}

/** Short texts that a part matches; the first is the shortest that is not empty. */
function samplesOf(element: AST.Element | AST.QuantifiableElement, letters: readonly string[]): string[] {
	switch (element.type) {
		case "Character":
			return [String.fromCodePoint(element.value)];
		case "CharacterSet":
		case "CharacterClass":
		case "ExpressionCharacterClass": {
			const one = new RegExp(element.raw, "u");
			return [...letters, "b", "1", "/", "é", "\u2028"].filter((letter) => one.test(letter)).slice(0, 6);
		}
		case "Group":
		case "CapturingGroup": {
			const texts = element.alternatives.map(({ elements }) =>
				elements.map((part) => samplesOf(part, letters)[0] ?? "").join(""),
			);
			return [...new Set(texts)].filter(Boolean).slice(0, 8);
		}
		case "Quantifier": {
			const [first = "", ...more] = samplesOf(element.element, letters);
			const times = Math.min(Math.max(element.min, 1), 40);
			return [first.repeat(times), ...more.map((one) => one.repeat(times))];
		}
		default:
			return [""];
	}
}
