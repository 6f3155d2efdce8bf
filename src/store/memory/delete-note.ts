import { join } from "node:path";
import { writeBehind } from "../gate.ts";
import { refusePathLinks } from "../refuse-links.ts";
import { bytesOf, folderOf, type ScopedStore, WAIT_MS } from "./memory.ts";
import { changeFacts, noteId, withNotesLock } from "./note-facts.ts";
import { type Note, noteKey, notesIn } from "./notes.ts";
import { notesFile } from "./notes-file.ts";

/** The notes of a MEMORY.md; none where there is no file. Throws where it has more than `maxBytes`. */
export function notesOf(
	{ root, scope }: Pick<ScopedStore, "root" | "scope">,
	{ maxBytes = Number.POSITIVE_INFINITY } = {},
): { path: string; notes: Note[] } {
	const path = join(folderOf(root, scope), "MEMORY.md");
	const found = notesFile(root, path);
	if (found && found.stat.size > maxBytes)
		throw new Error(
			`${path} has ${found.stat.size} bytes, more than the ${maxBytes} that are looked through; shorten it`,
		);
	return { path, notes: found ? notesIn(bytesOf(found.path).toString("utf8")) : [] };
}

/** What is looked through note by note: beyond this nobody keeps notes by hand. */
export const LOOKED_THROUGH = 4 * 1024 * 1024;

/** The notes that a number (from 1), a note's whole text or a part of it name. Case and white space do not count. */
export function notesNamed(notes: readonly Note[], named: string): Note[] {
	if (/^\d+$/.test(named)) return notes.slice(Number(named) - 1, Number(named));
	const wanted = noteKey(named);
	if (wanted === "") return [];
	const texts = notes.map((note) => ({ note, text: noteKey(textOf(note)) }));
	const whole = texts.filter(({ text }) => text === wanted);
	return (whole.length > 0 ? whole : texts.filter(({ text }) => text.includes(wanted))).map(({ note }) => note);
}

export const textOf = ({ lines }: Note): string => lines.join("\n");

/**
 * Deletes one note from MEMORY.md under the lock that saving takes, by an atomic replacement; every other byte stays. Throws when the
 * note is no longer there as it was shown, and an error that names the file when it can't be written.
 */
export function deleteNote(place: ScopedStore, wanted: Note): { path: string; left: number } {
	return inNotes(place, "deleted from", () => {
		const left = deleteNow(place, wanted);
		return { path: join(folderOf(place.root, place.scope), "MEMORY.md"), left };
	});
}

/** Changes a MEMORY.md under the lock. `act` throws why it can't; the error says what was not done, and to which file. */
export function inNotes<T>({ root, scope }: ScopedStore, done: string, act: () => T): T {
	const folder = folderOf(root, scope);
	try {
		refusePathLinks(root, folder);
		return withNotesLock(root, act, WAIT_MS);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`the note was not ${done} ${join(folder, "MEMORY.md")}: ${reason}`, { cause: error });
	}
}

/** The note as it stands in the file now, with the file's bytes. Throws where it does not. */
export function foundNote({ root, scope }: ScopedStore, wanted: Note) {
	const found = notesFile(root, join(folderOf(root, scope), "MEMORY.md"));
	const bytes = found && bytesOf(found.path);
	const notes = bytes ? notesIn(bytes.toString("utf8")) : [];
	const same = notes.filter((note) => textOf(note) === textOf(wanted));
	// of two alike the one that was meant
	const note = same.find(({ at }) => at === wanted.at) ?? same[0];
	if (!found || !bytes || !note) throw new Error("it has changed meanwhile; look again with: ccg memory delete");
	return { file: found, bytes, notes, note };
}

/** Under the lock. Gives how many notes are left. */
export function deleteNow(place: ScopedStore, wanted: Note): number {
	const { file, bytes, notes, note } = foundNote(place, wanted);
	writeBehind(file.path, without(bytes, note), "", { mode: file.stat.mode & 0o777, durable: true });
	// of two alike one is left
	const isLast = !notes.some((other) => other !== note && noteId(textOf(other)) === noteId(textOf(note)));
	if (isLast) changeFacts(folderOf(place.root, place.scope), place.tell, (facts) => facts.delete(noteId(textOf(note))));
	return notes.length - 1;
}

/** The file without the note's lines; of two blank lines that come together, one goes. */
function without(bytes: Buffer, { at, lines }: Note): Buffer {
	const starts = lineStarts(bytes);
	const isBlank = (line: number): boolean =>
		line < starts.length && bytes.toString("utf8", starts[line], starts[line + 1]).trim() === "";
	let end = at + lines.length;
	if (isBlank(end) && (at === 0 || isBlank(at - 1))) end++;
	return Buffer.concat([bytes.subarray(0, starts[at]), bytes.subarray(starts[end] ?? bytes.length)]);
}

/** Where each line begins. */
export function lineStarts(bytes: Buffer): number[] {
	const starts = [0];
	for (let feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, feed + 1)) starts.push(feed + 1);
	return starts;
}
