/** A folder's name pattern (`*`, `?`, `[a-z]`, `\`), taken apart. */
export type Glob = readonly GlobPiece[];
type GlobPiece = { kind: "char"; char: string } | { kind: "any" } | { kind: "many" } | { kind: "class"; has: Ranges };
interface Ranges {
	not: boolean;
	ranges: readonly (readonly [from: string, to: string])[];
}

/** `null` for a pattern that matches nothing, as git has it (a bracket that is not closed, a backslash at its end). */
export function parseGlob(text: string): Glob | null {
	const pieces: GlobPiece[] = [];
	const chars = [...text];
	for (let i = 0; i < chars.length; i++) {
		const char = chars[i]!;
		if (char === "*") {
			if (pieces.at(-1)?.kind !== "many") pieces.push({ kind: "many" });
		} else if (char === "?") pieces.push({ kind: "any" });
		else if (char === "\\") {
			if (i + 1 === chars.length) return null;
			pieces.push({ kind: "char", char: chars[++i]! });
		} else if (char === "[") {
			const found = classAt(chars, i + 1);
			if (!found) return null;
			pieces.push({ kind: "class", has: found.has });
			i = found.end;
		} else pieces.push({ kind: "char", char });
	}
	return pieces;
}

/** Whether a name fits. */
export function globMatches(glob: Glob, name: readonly string[]): boolean {
	const kindAt = (at: number) => (glob[at]!.kind === "many" ? "many" : "one");
	return inOrder({ parts: glob.length, kindAt, fits: (at, i) => fits(glob[at]!, name[i]!) }, 0, name.length);
}

/** The parts of a pattern: "many" stands for any number of units, "rest" for one and all behind it, "one" for a unit that fits. */
interface Parts {
	parts: number;
	kindAt(at: number): "one" | "many" | "rest";
	fits(at: number, unit: number): boolean;
}

/**
 * Whether the units from `from` to `end` fit the parts. Each "many" is tried from left to right and the last one alone goes
 * back: at most the two lengths multiplied.
 */
export function inOrder({ parts, kindAt, fits }: Parts, from: number, end: number): boolean {
	let at = 0;
	let many = -1;
	let manyAt = 0;
	for (let unit = from; unit < end; ) {
		const kind = at < parts ? kindAt(at) : null;
		if (kind === "rest") return true;
		if (kind === "many") {
			many = at++;
			manyAt = unit;
		} else if (kind && fits(at, unit)) {
			at++;
			unit++;
		} else if (many >= 0) {
			at = many + 1;
			unit = ++manyAt;
		} else return false;
	}
	while (at < parts && kindAt(at) === "many") at++;
	return at === parts;
}

function fits(piece: GlobPiece, char: string): boolean {
	if (piece.kind === "char") return piece.char === char;
	if (piece.kind !== "class") return true;
	return piece.has.not !== piece.has.ranges.some(([from, to]) => from <= char && char <= to);
}

const NAMED: Record<string, string> = {
	alpha: "azAZ",
	digit: "09",
	alnum: "azAZ09",
	upper: "AZ",
	lower: "az",
	space: "  \t\r",
	blank: "  \t\t",
	punct: "!/:@[`{~",
	xdigit: "09afAF",
	cntrl: "\0\u001f\u007f\u007f",
	print: " ~",
	graph: "!~",
};

function classAt(chars: readonly string[], from: number): { has: Ranges; end: number } | null {
	const ranges: [string, string][] = [];
	let at = from;
	const not = chars[at] === "!" || chars[at] === "^";
	if (not) at++;
	for (let first = true; at < chars.length; first = false) {
		let char = chars[at]!;
		if (char === "]" && !first) return { has: { not, ranges }, end: at };
		if (char === "[" && chars[at + 1] === ":") {
			const close = chars.indexOf("]", at + 2);
			const name = close > 0 && chars[close - 1] === ":" ? chars.slice(at + 2, close - 1).join("") : "";
			const pairs = NAMED[name];
			if (close > 0 && chars[close - 1] === ":" && !pairs) return null;
			if (pairs) {
				for (let i = 0; i < pairs.length; i += 2) ranges.push([pairs[i]!, pairs[i + 1]!]);
				at = close + 1;
				continue;
			}
		}
		if (char === "\\") char = chars[++at] ?? "";
		at++;
		if (chars[at] === "-" && at + 1 < chars.length && chars[at + 1] !== "]") {
			let to = chars[at + 1]!;
			at += 2;
			if (to === "\\") to = chars[at++] ?? "";
			ranges.push([char, to]);
		} else ranges.push([char, char]);
	}
	return null;
}
