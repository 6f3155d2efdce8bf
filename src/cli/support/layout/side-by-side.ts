import { pad, wrapped } from "./fit.ts";

/** A text, and how its lines are coloured once they are fitted. */
export interface Painted {
	text: string;
	paint?: (line: string) => string;
}

const GAP = 3;

/** Two cells beside each other, each wrapped in its half of `width`. */
export function sideBySide(left: readonly Painted[], right: readonly Painted[], width: number): string[] {
	const half = Math.floor((width - GAP) / 2);
	const [a, b] = [cell(left, half), cell(right, half)];
	return Array.from({ length: Math.max(a.length, b.length) }, (_, i) =>
		`${a[i] ?? " ".repeat(half)}${" ".repeat(GAP)}${b[i]?.trimEnd() ?? ""}`.trimEnd(),
	);
}

/** Lines filled up to the cell's width, then coloured. */
const cell = (parts: readonly Painted[], width: number): string[] =>
	parts.flatMap(({ text, paint = String }) => wrapped(text, width).map((line) => paint(pad(line, width))));
