import { shown } from "../../core/text/terminal.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./own-name.ts";

/**
 * All of this measures text as it will be seen, controls and hidden characters written out. It takes text without colours:
 * those go on afterwards, a line at a time.
 */

/** Text as wide as `width` columns at most; what is cut ends in "…". */
export function fitted(given: string, width: number): string {
	const text = shown(given);
	if (Bun.stringWidth(text) <= width) return text;
	if (width < 1) return "";
	return `${Bun.sliceAnsi(text, 0, width - 1).trimEnd()}…`;
}

/** Filled up with spaces to `width` columns. */
export function pad(text: string, width: number, side: "left" | "right" = "left"): string {
	const spaces = " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
	return side === "left" ? text + spaces : spaces + text;
}

/**
 * The text's lines, broken between words to `width` columns and indented as they were, behind a list's mark by two more. What is wider
 * than that stays whole, as paths and commands must. A text may be given as the parts it can be broken between.
 */
export function wrapped(text: string | readonly string[], width: number): string[] {
	if (typeof text !== "string") return packed(text.map(shown), width);
	return shown(text)
		.split("\n")
		.flatMap((line) => {
			if (Bun.stringWidth(line) <= width) return [line];
			const indent = /^\s*(?:- )?/.exec(line)![0];
			const lines = packed(wordsOf(line.slice(indent.length)), width - indent.length);
			return lines.map((part, i) => (i === 0 ? indent : " ".repeat(indent.length)) + part);
		});
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
		const isFull = last !== "" && Bun.stringWidth(longer) > width;
		if (isFull) lines.push(last);
		last = isFull ? word : longer;
	}
	return [...lines, last];
}

/** Prints a text of ours on stdout, in the terminal's width; commands in it can be typed. */
export function say(text: string, io: Io, paint: (line: string) => string = String): void {
	for (const line of wrapped(asTyped(text, io), io.columns ?? Infinity)) io.out(line && paint(line));
}

/** Prints a long text as it is: a page at a time where somebody reads at a terminal. */
export function printLong(text: string, { page, out }: Io): void {
	if (!page?.(`${text.trimEnd()}\n`)) out(text.trimEnd());
}

/** Below this many columns a text has too little room beside its label. */
const LEAST = 24;

/**
 * Prints a text beside its label, continued under the text's own column; below the label where that leaves too little room.
 * The label takes `indent` columns and may be coloured.
 */
export function beside(
	{ out, columns = Infinity }: Io,
	{ label, indent }: { label: string; indent: number },
	text: string | readonly string[],
	paint: (line: string) => string = String,
): void {
	const room = columns - indent;
	const isBelow = room < LEAST || Bun.stringWidth(wrapped(text, room)[0]!) > room;
	const at = isBelow ? Math.min(4, indent) : indent;
	const lines = wrapped(text, columns - at).map((line) => line && paint(line));
	if (isBelow && label) out(label.trimEnd());
	const begin = isBelow || !label ? " ".repeat(at) : label;
	for (const [i, line] of lines.entries()) out(((i === 0 ? begin : " ".repeat(at)) + line).trimEnd());
}

/** A column of a table. */
export interface Column<Row> {
	title: string;
	cell(row: Row): string | number;
	/** What goes first where there is no room: the highest. Those of rank 0 stay. */
	rank: number;
	/** Columns it may shrink to before one of a higher rank goes; absent: it keeps its width. */
	least?: number;
	align?: "right";
	/** Colours a cell after it was fitted. */
	paint?: (cell: string, row: Row) => string;
}

const GAP = 2;

/**
 * Prints rows below their titles, in the terminal's width: cells shrink, then columns go, the last ranked first. Gives the titles that
 * found no room.
 */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], io: Io): string[] {
	const { columns: width = Infinity, colours } = io;
	// a row is a line, whatever a cell holds
	const all = columns.map((column) => {
		const cells = rows.map((row) => shown(String(column.cell(row)).replace(/\s/g, " ")));
		const natural = Math.max(...[column.title, ...cells].map((text) => Bun.stringWidth(text)));
		return { ...column, cells, width: natural, least: Math.min(natural, column.least ?? natural) };
	});
	const total = (some: typeof all, of: "width" | "least"): number =>
		some.reduce((sum, one) => sum + one[of], GAP * (some.length - 1));
	let kept = all;
	while (total(kept, "least") > width && kept.some(({ rank }) => rank > 0)) {
		const last = kept.reduce((a, b) => (b.rank >= a.rank ? b : a));
		kept = kept.filter((one) => one !== last);
	}
	const isTight = total(kept, "least") > width;
	// what is too much is taken from the widest that may shrink, one by one
	while (total(kept, "width") > width) {
		const room = kept.filter((one) => one.width > (isTight ? 1 : one.least));
		if (room.length === 0) break;
		room.reduce((a, b) => (b.width > a.width ? b : a)).width--;
	}
	const line = (cell: (column: (typeof all)[number]) => string): string =>
		kept.map(cell).join(" ".repeat(GAP)).trimEnd();
	const put = (text: string, { width: of, align }: (typeof all)[number]): string => pad(fitted(text, of), of, align);
	const lines = [
		line((column) => colours.dim(put(column.title, column))),
		...rows.map((row, at) => line((column) => (column.paint ?? String)(put(column.cells[at]!, column), row))),
	];
	// in one write: thousands take as long as all else
	io.out(lines.join("\n"));
	return all.filter((one) => !kept.includes(one)).map(({ title }) => title);
}
