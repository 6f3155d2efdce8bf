import { joinSafe, madeOf, redactJson, redactSecrets, safely, told } from "../../core/redact/secrets.ts";
import { escapeUnseen } from "../../core/text/invisible.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./own-name.ts";

/**
 * All of this measures text as it will be seen, controls and hidden characters written out. It takes text without colours:
 * those go on afterwards, a line at a time.
 */

/** Text as wide as `width` columns at most; what is cut ends in "…". */
export function fitLine(given: string, width: number): string {
	const text = escapeUnseen(given);
	if (Bun.stringWidth(text) <= width) return text;
	if (width < 1) return "";
	return `${Bun.sliceAnsi(text, 0, width - 1).trimEnd()}…`;
}

/** Cuts a text to a width, and fills it up with spaces. */
function fillCell(given: string, width: number, align?: "right"): string {
	const text = fitLine(given, width);
	const spaces = " ".repeat(width - Bun.stringWidth(text));
	return align ? spaces + text : text + spaces;
}

/**
 * The text's lines, broken between words to `width` columns and indented as they were. A word that is wider stays whole, as paths
 * must, and what stands between backticks is to be copied, and is one word.
 */
export const wrapText = (text: string, width: number): string[] =>
	escapeUnseen(text)
		.split("\n")
		.flatMap((line) => {
			if (Bun.stringWidth(line) <= width) return line;
			// what stands behind a bar goes on behind it
			const indent = /^(?:\| )?\s*/.exec(line)![0];
			const words = line.slice(indent.length).match(/(?:`[^`]*`|\S)+/g) ?? [];
			return fillLines(words, width - indent.length).map((part) => indent + part);
		});

/** Lines of so many words as fit into `width` columns. */
export function fillLines(words: readonly string[], width: number): string[] {
	const lines: string[] = [];
	let last = "";
	for (const word of words.map(escapeUnseen)) {
		const longer = last ? `${last} ${word}` : word;
		const isFull = last !== "" && Bun.stringWidth(longer) > width;
		if (isFull) lines.push(last);
		last = isFull ? word : longer;
	}
	return [...lines, last];
}

/** Prints a text of ours on stdout, in the terminal's width; commands in it can be typed. */
export function say(text: string, io: Io, paint: (line: string) => string = String): void {
	// before the launcher's path stands in it: a sentence with a path needs all the rules
	const clean = joinSafe(text.split("\n").map(redactJson), "\n");
	for (const line of wrapText(asTyped(clean, io), io.columns ?? Infinity))
		io.out(told`${madeOf(clean, () => line && paint(line))}`);
}

/** A text beside its label has at least so many columns. */
const LEAST = 24;

/** Prints a text beside its label, continued under the text's own column. The label takes `indent` columns and may be coloured. */
export function printBeside(
	{ out, columns = Infinity }: Io,
	{ label, indent }: { label: string; indent: number },
	text: string,
	paint: (line: string) => string = String,
): void {
	for (const [i, line] of wrapText(text, Math.max(LEAST, columns - indent)).entries())
		out(((i === 0 && label) || " ".repeat(indent)) + (line && paint(line)));
}

interface Column<Row> {
	title: string;
	cell(row: Row): string | number;
	align?: "right";
	/** Colours a cell after it was fitted. */
	paint?: (cell: string, row: Row) => string;
}

const GAP = "  ";

/** So much of each cell stays when room is taken from the widest. */
const LEAST_CELL = 6;

/** Prints rows below their titles, in the terminal's width: the widest are cut but for the first, which names a row; then the last. */
export function printTable<Row>(io: Io, rows: readonly Row[], columns: readonly Column<Row>[]): void {
	let left = io.columns ?? Infinity;
	const lines = [undefined, ...rows].map(() => safely``);
	// a row is a line, whatever a cell holds
	const texts = columns.map(({ title, cell }) =>
		[title, ...rows.map((row) => escapeUnseen(String(cell(row)).replace(/\s/g, " ")))].map(redactSecrets),
	);
	const widths = texts.map((cells) => Math.max(...cells.map((text) => Bun.stringWidth(text))));
	while (widths.reduce((sum, width) => sum + GAP.length + width) > left) {
		const widest = Math.max(...widths.slice(1));
		if (widest <= LEAST_CELL) break;
		widths[widths.lastIndexOf(widest)]!--;
	}
	for (const [at, { align, paint = String }] of columns.entries()) {
		const width = Math.min(left, widths[at]!);
		if (width < 1) break;
		left -= width + GAP.length;
		for (const [i, text] of texts[at]!.entries()) {
			const colour = (one: string): string => (i === 0 ? io.colours.dim(one) : paint(one, rows[i - 1]!));
			const cell = madeOf(text, (one) => (at > 0 ? GAP : "") + colour(fillCell(one, width, align)));
			lines[i] = joinSafe([lines[i]!, cell]);
		}
	}
	// in one write: thousands take as long as all else
	const whole = lines.map((line) => madeOf(line, (one) => one.trimEnd()));
	io.out(told`${joinSafe(whole, "\n")}`);
}
