import { join } from "node:path";
import { withoutEnd } from "../../core/text/without-end.ts";
import { writeBetween } from "../gate.ts";
import { foundNote, inNotes, lineStarts, textOf } from "./delete-note.ts";
import { type LikeNote, likeNote } from "./like-note.ts";
import { bullet, folderOf, noteOf, type ScopedStore, savedAt } from "./memory.ts";
import { changeFacts, noteId } from "./note-facts.ts";
import { type Note, noteKey, notesIn } from "./notes.ts";

export type Edited = { path: string } & (
	| { status: "edited"; text: string }
	/** Not edited: the text is that of the note already, or another note says it, or nearly. */
	| { status: "same" }
	| { status: "duplicate" | "similar"; like: LikeNote }
);

/**
 * Puts a new text in the place of one note of MEMORY.md, secrets redacted; every other byte stays, and so does the note's own mark (`*`,
 * `1.`). Under the lock that saving takes, by an atomic replacement. Throws when the note is no longer there as it was shown, when
 * the text would become several notes there, and an error that names the file when it can't be written.
 */
export function editNote(place: ScopedStore, wanted: Note, given: string, now: Date, { anyway = false } = {}): Edited {
	const text = noteOf(given);
	const folder = folderOf(place.root, place.scope);
	const path = join(folder, "MEMORY.md");
	return inNotes(place, "edited in", () => {
		const { file, bytes, notes, note } = foundNote(place, wanted);
		if (noteKey(textOf(note)) === noteKey(`- ${text}`)) return { path, status: "same" };
		const like = likeNote(bytes, text, { nearly: !anyway, but: note });
		if (like) return { path, ...like };
		const put = replaced(bytes, notes, note, text);
		const before = noteId(textOf(note));
		const after = noteId(put.text);
		const { saved, branch } = { branch: undefined, ...savedAt(place.scope, now) };
		changeFacts(folder, place.tell, (facts) => {
			const { branch: _, ...known } = facts.get(before) ?? { id: before };
			return facts.set(after, { ...known, id: after, saved, ...(branch && { branch }) }).size > 0;
		});
		writeBetween(file.path, put.around, put.added, { mode: file.stat.mode & 0o777, durable: true });
		changeFacts(folder, place.tell, (facts) => facts.delete(before));
		return { path, status: "edited", text: put.text };
	});
}

const MARK = /^(?:[-*+]|\d{1,9}[.)])\s+/;

/** What stands before and after the note, and what comes between; the file is the same but for this note. */
function replaced(
	bytes: Buffer,
	notes: Note[],
	note: Note,
	text: string,
): { around: [Buffer, Buffer]; added: string; text: string } {
	const starts = lineStarts(bytes);
	const from = starts[note.at]! + (note.at === 0 && bytes.indexOf("\uFEFF") === 0 ? 3 : 0);
	const end = starts[note.at + note.lines.length] ?? bytes.length;
	const after = bytes.subarray(end);
	const old = bytes.toString("utf8", from, end);
	const lineEnd = old.includes("\r\n") || (!old.includes("\n") && bytes.includes("\r\n")) ? "\r\n" : "\n";
	const ending = /\r?\n$/.exec(old)?.[0] ?? "";
	const mark = MARK.exec(note.lines[0]!)?.[0];
	// a paragraph stays one where the text can be one
	const forms = [...(mark ? [] : [text.split("\n").join(lineEnd)]), withoutEnd(bullet(text, lineEnd, mark), "\r\n")];
	for (const form of forms) {
		const added = form + ending;
		const result = notesIn(Buffer.concat([bytes.subarray(0, from), Buffer.from(added), after]).toString("utf8"));
		const own = result[notes.indexOf(note)];
		const isAlone =
			result.length === notes.length &&
			own !== undefined &&
			noteKey(textOf(own)) === noteKey(`- ${text}`) &&
			result.every((one, i) => one === own || textOf(one) === textOf(notes[i]!));
		if (isAlone) return { around: [bytes.subarray(0, from), after], added, text: textOf(own) };
	}
	throw new Error("the text would become several notes there; edit the file itself");
}
