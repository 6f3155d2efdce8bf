import { redactSecrets } from "../core/redact/secrets.ts";
import { deleteNote, noteOf, saveMemory } from "../memory/change.ts";
import { type Note, noteKey, noteText, plainText } from "../memory/notes.ts";
import { notesOf } from "../memory/notes-file.ts";
import { newValue } from "./document.ts";
import { standingOf, tellOthers } from "./exchange.ts";
import { foreignNotes, placeOf } from "./notes.ts";
import { readKnown } from "./read.ts";
import { keepOwn, type Opened } from "./space.ts";

/**
 * Puts a text of this machine in the place of a note that another one wrote, or with `null` deletes it; `shown`: as it stands in `shared.md`.
 * Where this machine says the same note otherwise, a new text takes the place of that too. The others have it with the next exchange; what
 * they changed meanwhile stands beside it. Throws where no such note stands.
 */
export async function changeForeign(opened: Opened, key: string, shown: Note, text: string | null): Promise<void> {
	const shared = opened.space.projects.find((one) => one.key === key);
	if (!shared) throw new Error("this project is not shared from here; run ccg sync init in its folder");
	const { own, seen, said } = await readKnown(opened);
	const standing = standingOf(own, { seen, said });
	const wanted = noteKey(noteText(shown));
	const note = foreignNotes(own, shared, standing).find(({ line }) => noteKey(line) === wanted)?.value;
	if (!note) throw new Error("it is no note that stands there now; see ccg memory list");
	const isOfNote = ({ item, kind }: { item: string; kind: string }): boolean => kind === "note" && item === note.item;
	const theirs = standing
		.map(({ value }) => value)
		.filter((value) => isOfNote(value) && (text !== null || value.text === note.text));
	const mine = text === null ? [] : own.values.filter((value) => isOfNote(value) && value.text !== null);
	const safe = text === null ? null : redactSecrets(noteOf(text));
	if (safe !== null) {
		const place = placeOf(opened, shared);
		// (cut short behind the file, the text there is a new note, and nothing is lost)
		const { same } = saveMemory({ ...place, target: "memory", text: safe, now: opened.now() });
		if (same) throw new Error(`the file has it as ${same}`);
		const before = notesOf(place).notes.filter((one) => mine.some((was) => redactSecrets(plainText(one)) === was.text));
		for (const one of before) deleteNote(place, one);
	}
	const like = { item: note.item, kind: "note", project: shared.mark, at: opened.now().toISOString() } as const;
	const value = newValue(own, { ...like, text: safe }, [...mine, ...theirs]);
	const next = { ...own, values: [...own.values.filter((one) => !mine.includes(one)), value] };
	await keepOwn(opened, next);
	tellOthers(opened, next, standingOf(next, { seen, said }), opened.store.tell);
}
