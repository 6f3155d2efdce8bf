import { counted } from "../../core/text/text.ts";
import { deleteNote, notesOf, textOf } from "../../store/memory/delete-note.ts";
import { cleanText } from "../../store/memory/notes.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import type { Io } from "../support/io.ts";
import { numberNotes, theOne } from "../support/pick-note.ts";

export interface DeleteOptions {
	global?: boolean;
	yes?: boolean;
	json?: boolean;
}

export async function remove(named: string, { global, yes, json }: DeleteOptions, io: Io, ask: Ask): Promise<void> {
	const scope = global ? { global: true as const } : { cwd: projectFolderOf(io) };
	const place = { ...storeOf(io), scope };
	const { path, notes } = notesOf(place);
	if (named === "") return numberNotes(path, notes, "To delete one: ccg memory delete NUMBER", Boolean(json), io);
	const note = theOne(named, notes, path, io);
	if (!yes && !io.interactive) {
		io.err("Nothing was deleted: there is no terminal to ask on. To delete the note add --yes");
		return io.exit(2);
	}
	if (!yes && !(await ask(`${cleanText(textOf(note))}\nDelete this note from ${path}? [y/N] `)))
		return io.err("Nothing was deleted.");
	const { left } = deleteNote(place, note);
	if (json) return answerJson(io, { deleted: textOf(note), path, notes_left: left });
	io.out(`deleted from ${path}, which has ${counted(left, "note")} now:`);
	for (const line of cleanText(textOf(note)).split("\n")) io.out(line);
}
