import { join } from "node:path";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { refusePathLinks } from "../refuse-links.ts";
import { deleteNow, foundNote, inNotes, textOf } from "./delete-note.ts";
import { type LikeNote, likeNote } from "./like-note.ts";
import { addToMemory, bytesOf, folderOf, type MemoryScope, type ScopedStore } from "./memory.ts";
import { noteId, readFacts } from "./note-facts.ts";
import { cleanText, type Note } from "./notes.ts";
import { notesFile } from "./notes-file.ts";

export type Moved = {
	from: string;
	to: string;
} /** `duplicate`: it stood there already, and is gone from where it was. */ & (
	| { status: "moved" | "duplicate"; left: number }
	/** Not moved: a note there says nearly the same. */
	| { status: "similar"; like: LikeNote }
);

/**
 * Moves one note to another MEMORY.md: first it is added there, then it is deleted here, so that it is never in neither; after a kill
 * in between, the same move ends it. Its age and uses go along. Throws when the note is no longer there as it was shown, when it
 * holds what would be redacted, and an error that names the file when one can't be written.
 */
export function moveNote(
	place: ScopedStore,
	wanted: Note,
	to: MemoryScope,
	{ anyway = false }: { anyway?: boolean } = {},
): Moved {
	const { root, tell } = place;
	const [from, folder] = [folderOf(root, place.scope), folderOf(root, to)];
	const paths = { from: join(from, "MEMORY.md"), to: join(folder, "MEMORY.md") };
	if (from === folder) throw new Error(`the note is in ${paths.from} already`);
	return inNotes(place, "moved from", () => {
		const { note, file: own } = foundNote(place, wanted);
		const text = movable(note);
		refusePathLinks(root, folder);
		const file = notesFile(root, paths.to);
		// both may be links to one
		if (file?.stat.ino === own.stat.ino && file.stat.dev === own.stat.dev)
			throw new Error(`${paths.to} is the same file`);
		const before = file && bytesOf(file.path);
		const like = before && likeNote(before, text, { nearly: !anyway });
		if (like?.status === "similar") return { ...paths, status: "similar", like: like.like };
		if (!like) {
			// the branch is one of the project it leaves
			const { branch: _, ...saved } = readFacts(from, tell).get(noteId(textOf(note))) ?? {};
			addToMemory(file?.path ?? paths.to, before, text, { scope: to, tell, folder, mode: file?.stat.mode, saved });
		}
		return { ...paths, status: like ? "duplicate" : "moved", left: deleteNow(place, note) };
	});
}

/** The note as one bullet's text. What the gate would redact stays where its owner wrote it. */
function movable(note: Note): string {
	const [first = "", ...rest] = note.lines;
	const isBullet = /^(?:[-*+]|\d{1,9}[.)])\s/.test(first);
	const depth = isBullet
		? Math.min(...rest.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)![0].length))
		: 0;
	const lines = [
		isBullet ? first.replace(/^(?:[-*+]|\d{1,9}[.)])\s+/, "") : first,
		...rest.map((line) => line.slice(Math.min(depth, line.length))),
	];
	const text = cleanText(lines.join("\n")).trimEnd();
	if (redactSecrets(text) !== text)
		throw new Error("it holds what looks like a secret, which ccg does not write; move it in the files themselves");
	return text;
}
