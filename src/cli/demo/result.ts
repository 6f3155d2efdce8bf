import type { Io } from "../support/io.ts";
import { pad, wrapped } from "../support/text.ts";
import type { Statement } from "./play.ts";

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

/** Two cells a row: the heads, then what the user said and what became of it. */
export const rowsOf = (statements: readonly Statement[], c: Io["colours"]): [Painted[], Painted[]][] => [
	[
		[{ text: "What the user said", paint: c.bold }],
		[{ text: "What the model has after the compaction", paint: c.bold }],
	],
	...statements.map((one): [Painted[], Painted[]] => [[{ text: `"${one.said}"` }], outcome(one, c)]),
];

/** How the summary has a statement, and whether ccg injected it. */
function outcome({ fate, summary, isBack }: Statement, c: Io["colours"]): Painted[] {
	if (fate === "dropped")
		return [
			{ text: "✗ summary: nothing of it", paint: c.red },
			isBack
				? { text: "✓ ccg: injected, word for word", paint: c.green }
				: { text: "✗ ccg: not injected", paint: c.red },
		];
	const kept = { text: `✓ summary: "${summary}"`, paint: c.dim };
	return isBack ? [kept, { text: "✓ ccg: the user's own words as well", paint: c.dim }] : [kept];
}

/** What came of it. */
export function sentence(statements: readonly Statement[]): string {
	const missing = statements.filter(({ fate }) => fate === "dropped");
	const back = missing.filter(({ isBack }) => isBack).length;
	const other = back === missing.length ? `the other ${back}` : `${back} of the others`;
	return `The summary kept ${statements.length - missing.length} of ${statements.length} things the user said; ccg gave back ${other}, word for word.`;
}
