import { visible } from "../core/text/invisible.ts";
import { withoutMark } from "../core/text/text.ts";

/** A note in a memory or log file: a bullet with its indented lines, a paragraph, or a fenced block. */
export interface Note {
	/** The nearest heading above it, as written; `null` at the top of the file and below ccg's own first line. */
	heading: string | null;
	lines: string[];
	/** The line it begins at, from 0. */
	at: number;
}

/** How the first line of a file begins that ccg creates; the line says what the file is, and is no note. */
export const OWN_HEADING = "# ccg ";

/** The mark of a bullet or a numbered line. */
export const MARK = /^(?:[-*+]|\d{1,9}[.)])\s+/;
const FENCE = /^(?:```|~~~)/;
const HEADING = /^#{1,6}\s/;

/** The notes of a Markdown text in file order. Headings and blank lines alone are none. */
export function notesIn(text: string): Note[] {
	const notes: Note[] = [];
	let heading: string | null = null;
	let open: "bullet" | "text" | "fence" | null = null;
	/** Whether a line belongs to the note that is open; to a bullet also a blank one. */
	const goesOn = (line: string, isBlank: boolean): boolean => {
		if (open === "fence") return true;
		if (isBlank) return open === "bullet";
		if (HEADING.test(line) || FENCE.test(line) || MARK.test(line)) return false;
		return open === "text" || (open === "bullet" && /^\s/.test(line));
	};
	const lines = withoutMark(text).split(/\r\n|\n/);
	for (const [at, line] of lines.entries()) {
		const isBlank = line.trim() === "";
		if (goesOn(line, isBlank)) {
			notes.at(-1)!.lines.push(isBlank && open === "bullet" ? "" : line);
			if (open === "fence" && FENCE.test(line)) open = null;
		} else if (isBlank || HEADING.test(line)) {
			open = null;
			if (!isBlank) heading = line.startsWith(OWN_HEADING) ? null : line;
		} else {
			notes.push({ heading, lines: [line], at });
			open = FENCE.test(line) ? "fence" : MARK.test(line) ? "bullet" : "text";
		}
	}
	for (const { lines } of notes) while (lines.at(-1) === "") lines.pop();
	return notes;
}

export const noteText = ({ lines }: Pick<Note, "lines">): string => lines.join("\n");

/** A note's text without its bullet's mark and without the indent of the lines below: the text from which `bullet` makes the note. */
export function plainText({ lines: [first = "", ...rest] }: Pick<Note, "lines">): string {
	const indents = rest.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)![0].length);
	const depth = MARK.test(first) ? Math.min(...indents) : 0;
	const lines = [first.replace(MARK, ""), ...rest.map((line) => line.slice(Math.min(depth, line.length)))];
	return cleanText(lines.join("\n")).trimEnd();
}

/** A note's text without its mark, white space and case normalised: notes with the same key count as the same. */
export const noteKey = (text: string): string => text.replace(MARK, "").replace(/\s+/g, " ").trim().toLowerCase();

/** The notes that `named` means: a number (from 1) with the note's first words, or a part of a text. Case and white space do not count. */
export function notesNamed(notes: readonly Note[], named: string): Note[] {
	const shown = named.replace(/…$/, "");
	const [, number, first] = /^(\d+)\s+(.+)/s.exec(shown) ?? [];
	const numbered = notes[Number(number) - 1];
	if (numbered && noteKey(noteText(numbered)).startsWith(noteKey(first!))) return [numbered];
	const wanted = noteKey(shown);
	return wanted === "" ? [] : notes.filter((note) => noteKey(noteText(note)).includes(wanted));
}

/** The text without invisible characters, line ends as `\n`. */
export const cleanText = (text: string): string => visible(text.replace(/\r\n?/g, "\n"));

/** One Markdown bullet; further lines are indented so that they stay its own. */
export function bullet(text: string, lineEnd = "\n", mark = "- "): string {
	const [first, ...rest] = text.split("\n");
	return [`${mark}${first}`, ...rest.map((line) => (line.trim() ? `  ${line.trimEnd()}` : "")), ""].join(lineEnd);
}
