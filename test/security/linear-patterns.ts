/** Finds every regular expression in a module's text, so that none goes unproved (see `linear-patterns.test.ts`). */
import { parseAst } from "vitest/node";

export interface Pattern {
	line: number;
	source: string;
	flags: string;
}

/** The patterns written as literals, in order, and how many are put together with `RegExp(`. */
export function patternsIn(code: string): { literals: Pattern[]; made: number } {
	const literals: Pattern[] = [];
	let made = 0;
	for (const { type, start, regex, callee } of nodesIn(parseAst(code, { lang: "ts" }))) {
		const line = (): number => code.slice(0, start).split("\n").length;
		if (type === "Literal" && regex) literals.push({ line: line(), source: regex.pattern, flags: regex.flags });
		if (/^(?:New|Call)Expression$/.test(type) && callee?.name === "RegExp") made++;
	}
	return { literals, made };
}

interface Node {
	type: string;
	start: number;
	regex?: { pattern: string; flags: string };
	callee?: { name?: string };
}

function* nodesIn(value: unknown): Generator<Node> {
	if (typeof value !== "object" || value === null) return;
	if ("type" in value) yield value as Node;
	for (const inner of Object.values(value)) yield* nodesIn(inner);
}
