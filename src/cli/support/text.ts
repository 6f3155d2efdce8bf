import { joinSafe, madeOf, redactJson, redactSecrets, safely, told } from "../../core/redact/secrets.ts";
import { escapeUnseen } from "../../core/text/invisible.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./own-name.ts";

/**
 * All functions here measure text as it will be seen, with controls and hidden characters written out. They take text without colours:
 * colours are added afterwards, a line at a time.
 */

/** Gives a text of at most `width` columns; a text that is cut ends in "…". */
export function fitLine(original: string, width: number): string {
	const text = escapeUnseen(original);
	if (Bun.stringWidth(text) <= width) return text;
	if (width < 1) return "";
	return `${Bun.sliceAnsi(text, 0, width - 1).trimEnd()}…`;
}

/** Gives a text of exactly `width` columns: cut, or filled up with spaces. */
function fillCell(original: string, width: number, align?: "right"): string {
	const text = fitLine(original, width);
	const spaces = " ".repeat(width - Bun.stringWidth(text));
	return align ? spaces + text : text + spaces;
}

/**
 * Breaks a text into lines of `width` columns, between words, each indented as its line was. A wider word stays whole, as paths must. Text
 * between backticks counts as one word, since it is to be copied.
 */
export const wrapText = (text: string, width: number): string[] =>
	escapeUnseen(text)
		.split("\n")
		.flatMap((line) => {
			if (Bun.stringWidth(line) <= width) return line;
			// the text behind a bar goes on behind a bar
			const indent = /^(?:\| )?\s*/.exec(line)![0];
			const words = line.slice(indent.length).match(/(?:`[^`]*`|\S)+/g) ?? [];
			return fillLines(words, width - indent.length).map((part) => indent + part);
		});

/** Joins words into lines, each with as many words as fit into `width` columns. */
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

/** Prints a text of ours on stdout in the terminal's width, without secrets; commands in it can be typed as they stand. */
export function say(text: string, io: Io, paint: (line: string) => string = String): void {
	// redacted before `asTyped` puts the launcher's path in: a sentence with a path needs all the rules
	const clean = joinSafe(text.split("\n").map(redactJson), "\n");
	for (const line of wrapText(asTyped(clean, io), io.columns ?? Infinity))
		io.out(told`${madeOf(clean, () => line && paint(line))}`);
}

/** A text beside its label gets at least so many columns. */
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

/** So many columns of each cell stay when the widest column is made smaller. */
const LEAST_CELL = 6;

/** Prints a table in the terminal's width. Its widest columns are made smaller, but not the first, which names a row; then the last are cut. */
export function printTable<Row>(io: Io, rows: readonly Row[], columns: readonly Column<Row>[]): void {
	let columnsLeft = io.columns ?? Infinity;
	const lines = [undefined, ...rows].map(() => safely``);
	// a row is a line, whatever a cell holds
	const texts = columns.map(({ title, cell }) =>
		[title, ...rows.map((row) => escapeUnseen(String(cell(row)).replace(/\s/g, " ")))].map(redactSecrets),
	);
	const widths = texts.map((cells) => Math.max(...cells.map((text) => Bun.stringWidth(text))));
	while (widths.reduce((sum, width) => sum + GAP.length + width) > columnsLeft) {
		const widest = Math.max(...widths.slice(1));
		if (widest <= LEAST_CELL) break;
		widths[widths.lastIndexOf(widest)]!--;
	}
	for (const [at, { align, paint = String }] of columns.entries()) {
		const width = Math.min(columnsLeft, widths[at]!);
		if (width < 1) break;
		columnsLeft -= width + GAP.length;
		for (const [i, text] of texts[at]!.entries()) {
			const colour = (one: string): string => (i === 0 ? io.colours.dim(one) : paint(one, rows[i - 1]!));
			const cell = madeOf(text, (one) => (at > 0 ? GAP : "") + colour(fillCell(one, width, align)));
			lines[i] = joinSafe([lines[i]!, cell]);
		}
	}
	// in one write: thousands of writes take as long as all else
	const whole = lines.map((line) => madeOf(line, (one) => one.trimEnd()));
	io.out(told`${joinSafe(whole, "\n")}`);
}
