import { notesNamed, textOf } from "../../store/memory/delete-note.ts";
import { cleanText, type Note } from "../../store/memory/notes.ts";
import { answerJson } from "./answer-json.ts";
import type { Io } from "./io.ts";
import { fitted } from "./layout/fit.ts";
import { asTyped } from "./own-name.ts";

/** Shows the notes of a MEMORY.md with their numbers, and in a sentence what to do with one. */
export function numberNotes(path: string, notes: Note[], todo: string, json: boolean, io: Io): void {
	const numbered = notes.map((note, i) => ({ number: i + 1, text: textOf(note) }));
	if (json) return answerJson(io, { path, notes: numbered });
	if (notes.length === 0) return io.out(`there is no note in ${path}`);
	for (const line of numberedLines(notes, notes, io)) io.out(line);
	io.out(asTyped(`\n${todo}`, io));
}

/** The one note that a number, its text or a part of it names. Throws when it is none or several. */
export function theOne(named: string, notes: Note[], path: string, io: Io): Note {
	const [note, ...others] = notesNamed(notes, named);
	if (!note)
		throw new Error(`no note '${named}' in ${path}; 'ccg memory list --notes' shows the notes with their numbers`);
	if (others.length === 0) return note;
	const lines = numberedLines(notes, [note, ...others], io).map((line) => `\n${line}`);
	throw new Error(
		`'${named}' stands in ${others.length + 1} notes of ${path}; name one by its number:${lines.join("")}`,
	);
}

/** A line for each note: its number among all, and as much of it as fits. */
function numberedLines(all: Note[], shown: Note[], { columns = Number.POSITIVE_INFINITY }: Io): string[] {
	const width = String(all.length).length;
	return shown.map((note) => {
		const number = String(all.indexOf(note) + 1).padStart(width);
		return `  ${number}  ${fitted(oneLineOf(textOf(note)), columns - width - 4)}`;
	});
}

/** A note's text in one line, safe to print. */
export const oneLineOf = (text: string): string => cleanText(text).replace(/\s+/g, " ").trim();
