import { shown } from "../../../core/text/terminal.ts";

/**
 * All of this measures text as it will be seen, controls and hidden characters written out. It takes text without colours:
 * those go on afterwards, a line at a time.
 */

/** Text as wide as `width` columns at most; what is cut ends in "…". */
export function fitted(given: string, width: number): string {
	const text = shown(given);
	if (Bun.stringWidth(text) <= width) return text;
	if (width < 1) return "";
	return `${head(text, width - 1).trimEnd()}…`;
}

/** The same, but what is cut is the middle: paths and ids say most at their ends. */
export function fitMiddle(given: string, width: number): string {
	const text = shown(given);
	if (Bun.stringWidth(text) <= width) return text;
	if (width < 5) return fitted(text, width);
	const end = tail(text, Math.ceil((width - 1) / 2));
	return `${head(text, width - 1 - Bun.stringWidth(end))}…${end}`;
}

/** Filled up with spaces to `width` columns. */
export function pad(text: string, width: number, side: "left" | "right" = "left"): string {
	const spaces = " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
	return side === "left" ? text + spaces : spaces + text;
}

/** The text's lines, broken between words to `width` columns and indented as they were; a word that is wider is broken inside. */
export function wrapped(text: string, width: number): string[] {
	const lines = shown(text).split("\n");
	if (!Number.isFinite(width)) return lines;
	return lines.flatMap((line) => {
		const indent = /^[ \t]*/.exec(line)![0].slice(0, Math.max(0, width - 8));
		const room = Math.max(8, width - Bun.stringWidth(indent));
		return Bun.wrapAnsi(line.trim(), room, { hard: true, trim: true })
			.split("\n")
			.map((part) => (part === "" ? "" : indent + part));
	});
}

function head(text: string, width: number): string {
	return Bun.sliceAnsi(text, 0, width);
}

function tail(text: string, width: number): string {
	const all = Bun.stringWidth(text);
	return Bun.sliceAnsi(text, all - width, all);
}
