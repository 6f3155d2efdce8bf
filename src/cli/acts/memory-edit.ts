import { notesOf, textOf } from "../../store/memory/delete-note.ts";
import { editNote } from "../../store/memory/edit-note.ts";
import { likeText } from "../../store/memory/like-note.ts";
import { cleanText } from "../../store/memory/notes.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { numberNotes, theOne } from "../support/pick-note.ts";
import { tellSimilar } from "./memory.ts";

export interface EditOptions {
	global?: boolean;
	anyway?: boolean;
	json?: boolean;
}

/** `ccg memory edit`: puts a text in the place of one note. `text` is `null` where none was given. */
export function edit(
	named: string,
	text: string | null,
	{ global, anyway, json }: EditOptions,
	io: Io,
	now: Date,
): void {
	const scope = global ? { global: true as const } : { cwd: projectFolderOf(io) };
	const place = { ...storeOf(io), scope };
	const { path, notes } = notesOf(place);
	if (named === "" || text === null)
		return numberNotes(path, notes, 'To change one: ccg memory edit NUMBER "NEW TEXT"', Boolean(json), io);
	const note = theOne(named, notes, path, io);
	const edited = editNote(place, note, text, now, { anyway: Boolean(anyway) });
	if (edited.status === "similar") {
		tellSimilar("edited", path, edited.like, io);
		return io.err("To keep both add --anyway");
	}
	if (edited.status === "duplicate")
		throw new Error(`the note was not edited: ${path} has it as ${likeText(edited.like)}`);
	if (json)
		return answerJson(io, {
			path,
			number: notes.indexOf(note) + 1,
			before: textOf(note),
			text: edited.status === "edited" ? edited.text : textOf(note),
		});
	if (edited.status === "same") return io.out(`unchanged: the note in ${path} says so already`);
	io.out(`edited in ${path}; before:`);
	for (const line of cleanText(textOf(note)).split("\n")) io.out(line);
}
