import { join } from "node:path";
import { writeBehind } from "../gate.ts";
import { withLock } from "../kernel-lock.ts";
import { refusePathLinks } from "../refuse-links.ts";
import { bytesOf, folderOf, type MemoryScope, WAIT_MS } from "./memory.ts";
import { type Note, noteKey, notesIn } from "./notes.ts";
import { notesFile } from "./notes-file.ts";

interface NotePlace {
	root: string;
	scope: MemoryScope;
}

/** The notes of a MEMORY.md; none where there is no file. */
export function notesOf({ root, scope }: NotePlace): { path: string; notes: Note[] } {
	const path = join(folderOf(root, scope), "MEMORY.md");
	const found = notesFile(root, path);
	return { path, notes: found ? notesIn(bytesOf(found.path).toString("utf8")) : [] };
}

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
export function deleteNote({ root, scope }: NotePlace, wanted: Note): { path: string; left: number } {
	const path = join(folderOf(root, scope), "MEMORY.md");
	try {
		refusePathLinks(root, folderOf(root, scope));
		refusePathLinks(root, join(root, "run"));
		return withLock(join(root, "run", "memory.lock"), () => deleteNow(root, path, wanted), { waitMs: WAIT_MS });
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`the note was not deleted from ${path}: ${reason}`, { cause: error });
	}
}

function deleteNow(root: string, path: string, wanted: Note): { path: string; left: number } {
	const found = notesFile(root, path);
	const bytes = found && bytesOf(found.path);
	const notes = bytes ? notesIn(bytes.toString("utf8")) : [];
	const same = notes.filter((note) => textOf(note) === textOf(wanted));
	// of two alike the one that was meant
	const note = same.find(({ at }) => at === wanted.at) ?? same[0];
	if (!found || !bytes || !note) throw new Error("it has changed meanwhile; look again with: ccg memory delete");
	writeBehind(found.path, without(bytes, note), "", { mode: found.stat.mode & 0o777, durable: true });
	return { path, left: notes.length - 1 };
}

/** The file without the note's lines; of two blank lines that come together, one goes. */
function without(bytes: Buffer, { at, lines }: Note): Buffer {
	const starts = [0];
	for (let feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, feed + 1)) starts.push(feed + 1);
	const isBlank = (line: number): boolean =>
		line < starts.length && bytes.toString("utf8", starts[line], starts[line + 1]).trim() === "";
	let end = at + lines.length;
	if (isBlank(end) && (at === 0 || isBlank(at - 1))) end++;
	return Buffer.concat([bytes.subarray(0, starts[at]), bytes.subarray(starts[end] ?? bytes.length)]);
}
