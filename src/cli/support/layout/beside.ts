import { shown } from "../../../core/text/terminal.ts";
import type { Io } from "../io.ts";

/** Below this many columns a text has too little room beside its label. */
const LEAST = 24;

/**
 * Prints a text beside its label, continued under the text's own column; below the label where that leaves too little room.
 * The label takes `indent` columns and may be coloured. A text may be given as the parts it can be broken between.
 */
export function beside(
	{ out, columns = Infinity }: Pick<Io, "out" | "columns">,
	{ label, indent }: { label: string; indent: number },
	text: string | readonly string[],
	paint: (line: string) => string = String,
): void {
	const room = columns - indent;
	const isBelow = room < LEAST || Bun.stringWidth(unbroken(text, room)[0]!) > room;
	const at = isBelow ? Math.min(4, indent) : indent;
	const lines = unbroken(text, columns - at).map((line) => line && paint(line));
	if (isBelow && label) out(label.trimEnd());
	const begin = isBelow || !label ? " ".repeat(at) : label;
	for (const [i, line] of lines.entries()) out(((i === 0 ? begin : " ".repeat(at)) + line).trimEnd());
}

/** The text's lines, broken between words to `width` columns. What is wider than that stays whole, as paths and commands must. */
export function unbroken(text: string | readonly string[], width: number): string[] {
	if (typeof text !== "string") return packed(text.map(shown), width);
	const lines = shown(text).split("\n");
	return Number.isFinite(width) ? lines.flatMap((line) => packed(wordsOf(line), width)) : lines;
}

/** The words of a line; what stands between backticks is to be copied, and is one. */
export function wordsOf(line: string): string[] {
	const words = [""];
	for (const part of line.match(/`[^`]*`|[^\s`]+|`|\s+/g) ?? [])
		if (part.trim()) words.push(words.pop() + part);
		else words.push("");
	return words.filter(Boolean);
}

function packed(words: readonly string[], width: number): string[] {
	const lines: string[] = [];
	let last = "";
	for (const word of words) {
		const longer = last ? `${last} ${word}` : word;
		if (last && Bun.stringWidth(longer) > width) lines.push(last);
		last = last && Bun.stringWidth(longer) > width ? word : longer;
	}
	return [...lines, last];
}
