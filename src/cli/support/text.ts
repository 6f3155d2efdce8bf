import { joinSafe, knownSafe, mapSafe, redactJson, redactSecrets, safeTemplate } from "../../core/redact/secrets.ts";
import { escapeUnseen } from "../../core/text/invisible.ts";
import type { Io } from "./io.ts";
import { withTypableCommands } from "./own-name.ts";

/**
 * All functions here measure text as it will be seen, with controls and hidden characters written out. They take text without colours:
 * colours are added afterwards, a line at a time.
 */

/** Shortens a text to at most `width` columns; a text that is cut ends in "…". */
export function truncateToWidth(original: string, width: number): string {
	const text = escapeUnseen(original);
	if (Bun.stringWidth(text) <= width) return text;
	if (width < 1) return "";
	return `${Bun.sliceAnsi(text, 0, width - 1).trimEnd()}…`;
}

/** Gives a text of exactly `width` columns: cut, or filled up with spaces. */
function padCell(original: string, width: number, align?: "right"): string {
	const text = truncateToWidth(original, width);
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
			// each part gets the indent of its line, or the bar of a quoted line
			const indent = /^(?:\| )?\s*/.exec(line)![0];
			const words = line.slice(indent.length).match(/(?:`[^`]*`|\S)+/g) ?? [];
			return wrapWords(words, width - indent.length).map((part) => indent + part);
		});

/** Joins words into lines, each with as many words as fit into `width` columns. */
export function wrapWords(words: readonly string[], width: number): string[] {
	const lines: string[] = [];
	let lastLine = "";
	for (const word of words.map(escapeUnseen)) {
		const longer = lastLine ? `${lastLine} ${word}` : word;
		const isFull = lastLine !== "" && Bun.stringWidth(longer) > width;
		if (isFull) lines.push(lastLine);
		lastLine = isFull ? word : longer;
	}
	return [...lines, lastLine];
}

const withoutColour = (line: string): string => line;

/** Prints a message on stdout, wrapped to the terminal's width, without secrets; commands in it can be typed as they stand. */
export function printText(text: string, io: Io, paint = withoutColour): void {
	// redacted before `withTypableCommands` puts the launcher's path in: a sentence with a path needs all the rules
	const clean = joinSafe(text.split("\n").map(redactJson), "\n");
	for (const line of wrapText(withTypableCommands(clean, io), io.columns ?? Infinity))
		io.out(knownSafe`${mapSafe(clean, () => line && paint(line))}`);
}

/** The fewest columns of a text beside its label. */
const MIN_TEXT_COLUMNS = 24;

/** Prints a text beside its label, continued under the text's own column. The label takes `indent` columns and may be coloured. */
export function printBesideLabel(io: Io, label: string, indent: number, text: string, paint = withoutColour) {
	const width = Math.max(MIN_TEXT_COLUMNS, (io.columns ?? Infinity) - indent);
	for (const [i, line] of wrapText(text, width).entries())
		io.out(((i === 0 && label) || " ".repeat(indent)) + (line && paint(line)));
}

interface Column<Row> {
	title: string;
	cell(row: Row): string | number;
	align?: "right";
	/** Colours a cell after it was fitted. */
	paint?: (cell: string, row: Row) => string;
}

const GAP = "  ";

/** A column is made no narrower than this to fit the terminal. */
const MIN_CELL_COLUMNS = 6;

/** Prints a table in the terminal's width: it narrows the widest columns, but not the first, which names a row; then it cuts the last. */
export function printTable<Row>(io: Io, rows: readonly Row[], columns: readonly Column<Row>[]): void {
	let columnsLeft = io.columns ?? Infinity;
	const lines = [undefined, ...rows].map(() => safeTemplate``);
	// a row is a line, whatever a cell holds
	const texts = columns.map(({ title, cell }) =>
		[title, ...rows.map((row) => escapeUnseen(String(cell(row)).replace(/\s/g, " ")))].map(redactSecrets),
	);
	const widths = texts.map((cells) => Math.max(...cells.map((text) => Bun.stringWidth(text))));
	while (widths.reduce((sum, width) => sum + GAP.length + width) > columnsLeft) {
		const widest = Math.max(...widths.slice(1));
		if (widest <= MIN_CELL_COLUMNS) break;
		widths[widths.lastIndexOf(widest)]!--;
	}
	for (const [column, { align, paint = String }] of columns.entries()) {
		const width = Math.min(columnsLeft, widths[column]!);
		if (width < 1) break;
		columnsLeft -= width + GAP.length;
		for (const [i, text] of texts[column]!.entries()) {
			const colour = (padded: string): string => (i === 0 ? io.colours.dim(padded) : paint(padded, rows[i - 1]!));
			const cell = mapSafe(text, (clean) => (column > 0 ? GAP : "") + colour(padCell(clean, width, align)));
			lines[i] = joinSafe([lines[i]!, cell]);
		}
	}
	// in one write: thousands of writes take as long as all else
	const trimmed = lines.map((line) => mapSafe(line, (text) => text.trimEnd()));
	io.out(knownSafe`${joinSafe(trimmed, "\n")}`);
}
