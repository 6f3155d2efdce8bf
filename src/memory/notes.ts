import { stripInvisible } from "../core/text/invisible.ts";
import { stripByteOrderMark } from "../core/text/text.ts";

/** A note in a memory or log file: a bullet with its indented lines, a paragraph, or a fenced block. */
export interface Note {
	/** The nearest heading above it, as written; `null` at the top of the file and below ccg's own first line. */
	heading: string | null;
	lines: string[];
	/** The line it begins at, from 0. */
	lineIndex: number;
}

/** How the first line of a file begins that ccg creates; the line says what the file is, and is no note. */
export const CCG_HEADING = "# ccg ";

/** The mark of a bullet or a numbered line. */
export const LIST_MARK = /^(?:[-*+]|\d{1,9}[.)])\s+/;
const FENCE = /^(?:```|~~~)/;
const HEADING = /^#{1,6}\s/;

/** Splits a Markdown text into its notes, in file order. Headings and blank lines are no notes. */
export function parseNotes(text: string): Note[] {
	const notes: Note[] = [];
	let heading: string | null = null;
	/** What the note that the next line may continue began as. */
	let openKind: "bullet" | "text" | "fence" | null = null;
	/** Whether a line belongs to that note. */
	const continuesNote = (line: string, isBlank: boolean): boolean => {
		if (openKind === "fence") return true;
		if (isBlank) return openKind === "bullet";
		if (HEADING.test(line) || FENCE.test(line) || LIST_MARK.test(line)) return false;
		return openKind === "text" || (openKind === "bullet" && /^\s/.test(line));
	};
	const lines = stripByteOrderMark(text).split(/\r\n|\n/);
	for (const [lineIndex, line] of lines.entries()) {
		const isBlank = line.trim() === "";
		if (continuesNote(line, isBlank)) {
			notes.at(-1)!.lines.push(isBlank && openKind === "bullet" ? "" : line);
			if (openKind === "fence" && FENCE.test(line)) openKind = null;
		} else if (isBlank || HEADING.test(line)) {
			openKind = null;
			if (!isBlank) heading = line.startsWith(CCG_HEADING) ? null : line;
		} else {
			notes.push({ heading, lines: [line], lineIndex });
			openKind = FENCE.test(line) ? "fence" : LIST_MARK.test(line) ? "bullet" : "text";
		}
	}
	for (const { lines } of notes) while (lines.at(-1) === "") lines.pop();
	return notes;
}

/** A note's text as it is in the file, with its bullet mark. */
export const noteText = ({ lines }: Pick<Note, "lines">): string => lines.join("\n");

/** A note's text without its bullet mark and indent: the text that `formatBullet` was given. */
export function noteBody({ lines: [first = "", ...rest] }: Pick<Note, "lines">): string {
	const indents = rest.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)![0].length);
	const depth = LIST_MARK.test(first) ? Math.min(...indents) : 0;
	const lines = [first.replace(LIST_MARK, ""), ...rest.map((line) => line.slice(Math.min(depth, line.length)))];
	return cleanText(lines.join("\n")).trimEnd();
}

/** A note's text without bullet mark, in lower case, white space normalised: notes with the same key count as the same. */
export const noteKey = (text: string): string => text.replace(LIST_MARK, "").replace(/\s+/g, " ").trim().toLowerCase();

/** The notes that a person names: by number (from 1) and first words, or by a part of the text, both also cut short with `…`. */
export function findNotes(notes: readonly Note[], named: string): Note[] {
	const words = named.replace(/…$/, "");
	const [, number, first] = /^(\d+)\s+(.+)/s.exec(words) ?? [];
	const numbered = notes[Number(number) - 1];
	if (numbered && noteKey(noteText(numbered)).startsWith(noteKey(first!))) return [numbered];
	const wanted = noteKey(words);
	return wanted === "" ? [] : notes.filter((note) => noteKey(noteText(note)).includes(wanted));
}

/** The text without invisible characters, line ends as `\n`. */
export const cleanText = (text: string): string => stripInvisible(text.replace(/\r\n?/g, "\n"));

/** One Markdown bullet; further lines are indented so that they stay its own. */
export function formatBullet(text: string, lineEnd = "\n", mark = "- "): string {
	const [first, ...rest] = text.split("\n");
	return [`${mark}${first}`, ...rest.map((line) => (line.trim() ? `  ${line.trimEnd()}` : "")), ""].join(lineEnd);
}
