import { deleteNote, notesNamed, notesOf, textOf } from "../../store/memory/delete-note.ts";
import { cleanText, type Note } from "../../store/memory/notes.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import type { Io } from "../support/io.ts";
import { fitted } from "../support/layout/fit.ts";
import { memoryRoot, projectFolderOf } from "../support/memory-place.ts";
import { asTyped } from "../support/own-name.ts";

export interface DeleteOptions {
	global?: boolean;
	yes?: boolean;
	json?: boolean;
}

export async function remove(named: string, { global, yes, json }: DeleteOptions, io: Io, ask: Ask): Promise<void> {
	const scope = global ? { global: true as const } : { cwd: projectFolderOf(io) };
	const place = { root: memoryRoot(io), scope };
	const { path, notes } = notesOf(place);
	if (named === "") return number(path, notes, Boolean(json), io);
	const note = theOne(named, notes, path, io);
	if (!yes && !io.interactive) {
		io.err("Nothing was deleted: there is no terminal to ask on. To delete the note add --yes");
		return io.exit(2);
	}
	if (!yes && !(await ask(`${cleanText(textOf(note))}\nDelete this note from ${path}? [y/N] `)))
		return io.err("Nothing was deleted.");
	const { left } = deleteNote(place, note);
	if (json) return answerJson(io, { deleted: textOf(note), path, notes_left: left });
	io.out(`deleted from ${path}, which has ${left} ${left === 1 ? "note" : "notes"} now:`);
	for (const line of cleanText(textOf(note)).split("\n")) io.out(line);
}

function number(path: string, notes: Note[], json: boolean, io: Io): void {
	const numbered = notes.map((note, i) => ({ number: i + 1, text: textOf(note) }));
	if (json) return answerJson(io, { path, notes: numbered });
	if (notes.length === 0) return io.out(`there is no note in ${path}`);
	for (const line of numberedLines(notes, notes, io)) io.out(line);
	io.out(asTyped("\nTo delete one: ccg memory delete NUMBER", io));
}

function theOne(named: string, notes: Note[], path: string, io: Io): Note {
	const [note, ...others] = notesNamed(notes, named);
	if (!note) throw new Error(`no note '${named}' in ${path}; 'ccg memory delete' shows the notes with their numbers`);
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
		return `  ${number}  ${fitted(cleanText(textOf(note)).replace(/\s+/g, " "), columns - width - 4)}`;
	});
}
