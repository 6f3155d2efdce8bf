import type { Fate, LossReport } from "../../core/audit/audit.ts";
import { oneLine } from "../../core/text/text.ts";
import type { Io } from "../support/io.ts";
import { pad, wrapped } from "../support/text.ts";

type Message = LossReport["messages"][number];

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

/** Two cells a row: the heads, then what the user said and where it stands now. */
export const rowsOf = (messages: readonly Message[], c: Io["colours"]): [Painted[], Painted[]][] => [
	[
		[{ text: "What the user said", paint: c.bold }],
		[{ text: "What the model has of it, word for word", paint: c.bold }],
	],
	...messages.map(({ text, fate }): [Painted[], Painted[]] => [[{ text: `"${oneLine(text)}"` }], STANDS[fate](c)]),
];

const STANDS: Record<Fate, (c: Io["colours"]) => Painted[]> = {
	summary: (c) => [{ text: "✓ in the summary", paint: c.dim }],
	whole: (c) => [missing(c), { text: "✓ ccg: injected", paint: c.green }],
	part: (c) => [missing(c), { text: "✓ ccg: injected in part", paint: c.green }],
	neither: (c) => [missing(c), { text: "✗ ccg: not injected; ccg recall finds it", paint: c.red }],
};
const missing = (c: Io["colours"]): Painted => ({ text: "✗ not word for word in the summary", paint: c.red });
