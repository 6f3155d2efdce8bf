import { visible } from "../../core/text/invisible.ts";

/** A note in a memory or log file: a bullet with its indented lines, a paragraph, or a fenced block. */
export interface Note {
	/** The nearest heading above it, as written; `null` at the top of the file and below ccg's own first line. */
	heading: string | null;
	lines: string[];
	/** The line it begins at, from 0. */
	at: number;
}

/** First lines of the files ccg creates begin so; they say what the file is and are no note. */
export const OWN_HEADING = "# ccg ";

const BULLET = /^(?:[-*+]|\d{1,9}[.)])\s+/;
const FENCE = /^(?:```|~~~)/;
const HEADING = /^#{1,6}\s/;

/** The notes of a Markdown text in file order. Headings and blank lines alone are none. */
export function notesIn(text: string): Note[] {
	const notes: Note[] = [];
	let heading: string | null = null;
	const walk: NotesWalk = { open: null, isFenced: false };
	for (const [at, line] of text
		.replace(/^\uFEFF/, "")
		.split(/\r\n|\n/)
		.entries()) {
		const what = nextLine(walk, line);
		if (what === "begins") notes.push({ heading, lines: [line], at });
		else if (what === "goes on") notes.at(-1)!.lines.push(walk.open === "bullet" && line.trim() === "" ? "" : line);
		else if (HEADING.test(line)) heading = line.startsWith(OWN_HEADING) ? null : line;
	}
	for (const { lines } of notes) while (lines.at(-1) === "") lines.pop();
	return notes;
}

/** Where a walk through a file's lines is. */
interface NotesWalk {
	open: "bullet" | "text" | null;
	isFenced: boolean;
}

/** Whether the next line begins a note, goes on in the one that is open (a blank line too), or neither. */
function nextLine(walk: NotesWalk, line: string): "begins" | "goes on" | "neither" {
	if (walk.isFenced) {
		walk.isFenced = !FENCE.test(line);
		if (!walk.isFenced) walk.open = null;
		return "goes on";
	}
	if (line.trim() === "" && walk.open === "bullet") return "goes on";
	if (line.trim() === "" || HEADING.test(line)) {
		walk.open = null;
		return "neither";
	}
	walk.isFenced = FENCE.test(line);
	const isBullet = !walk.isFenced && BULLET.test(line);
	if (!walk.isFenced && !isBullet && walk.open && (walk.open === "text" || /^\s/.test(line))) return "goes on";
	walk.open = isBullet ? "bullet" : "text";
	return "begins";
}

/** What makes two notes the same: text without its bullet, white space and case normalised. */
export function noteKey(text: string): string {
	return text.replace(BULLET, "").replace(/\s+/g, " ").trim().toLowerCase();
}

/** The text as it is seen, line ends as `\n`. */
export const cleanText = (text: string): string => visible(text.replace(/\r\n?/g, "\n"));
