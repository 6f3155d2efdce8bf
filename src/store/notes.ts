/** A note in a memory or log file: a bullet with its indented lines, a paragraph, or a fenced block. */
export interface Note {
	/** The nearest heading above it, as written; `null` at the top of the file and below ccg's own first line. */
	heading: string | null;
	lines: string[];
}

/** First lines of the files ccg creates begin so; they say what the file is and are no note. */
export const OWN_HEADING = "# ccg ";

const BULLET = /^(?:[-*+]|\d{1,9}[.)])\s+/;
const FENCE = /^(?:```|~~~)/;

/** The notes of a Markdown text in file order. Headings and blank lines alone are none. */
export function notesIn(text: string): Note[] {
	const notes: Note[] = [];
	let heading: string | null = null;
	let open: { note: Note; bullet: boolean } | null = null;
	let fenced = false;
	const begin = (line: string, bullet: boolean) => {
		open = { note: { heading, lines: [line] }, bullet };
		notes.push(open.note);
	};
	for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\n/)) {
		const current = open as { note: Note; bullet: boolean } | null;
		if (fenced) {
			current!.note.lines.push(line);
			if (FENCE.test(line)) {
				fenced = false;
				open = null;
			}
		} else if (FENCE.test(line)) {
			fenced = true;
			begin(line, false);
		} else if (/^#{1,6}\s/.test(line)) {
			heading = line.startsWith(OWN_HEADING) ? null : line;
			open = null;
		} else if (line.trim() === "") {
			if (current?.bullet) current.note.lines.push("");
			else open = null;
		} else if (BULLET.test(line)) begin(line, true);
		else if (current && (!current.bullet || /^\s/.test(line))) current.note.lines.push(line);
		else begin(line, false);
	}
	for (const { lines } of notes) while (lines.at(-1) === "") lines.pop();
	return notes;
}

/** What makes two notes the same: text without its bullet, white space and case folded. */
export function foldNote(text: string): string {
	return text.replace(BULLET, "").replace(/\s+/g, " ").trim().toLowerCase();
}

const TERMINAL_SEQUENCE = /\u001b\[[\d;?]*[ -/]*[@-~]/g;

/** Line ends as `\n`; terminal sequences and all other control characters but tab gone. */
export function cleanText(text: string): string {
	return text
		.replace(/\r\n?/g, "\n")
		.replace(TERMINAL_SEQUENCE, "")
		.replace(/[^\P{Cc}\n\t]/gu, "");
}
