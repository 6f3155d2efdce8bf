import { redactSecrets } from "../core/redact/secrets.ts";
import { oneLine, withoutEnd } from "../core/text/text.ts";
import { writeBetween } from "../store/gate.ts";
import { bullet, cleanText, MARK, type Note, noteKey, notesIn, noteText, OWN_HEADING } from "./notes.ts";
import { inNotes, type KnownNotes, type ScopedStore, saveInLog } from "./notes-file.ts";

const MAX_CHARACTERS = 8000;

/**
 * Saves one note, secrets redacted; in MEMORY.md unless a note says the same: `same` names that one. MEMORY.md is replaced atomically
 * under the kernel's lock, its hand-written bytes kept; a daily log is appended to, as hooks do. Throws an error that names the file
 * and what to do.
 */
export function saveMemory({
	target,
	text,
	now,
	...place
}: ScopedStore & { target: "memory" | "log"; text: string; now: Date }): { path: string; same: string | null } {
	const note = noteOf(text);
	if (target === "log") return { path: saveInLog(place, note, now), same: null };
	return inNotes(place, "saved in", (known) => {
		const { path } = known;
		const same = sameNote(known.notes, note);
		if (same) return { path, same };
		const whose = "global" in place.scope ? "for all projects" : "of this project";
		const head = `${OWN_HEADING}memory ${whose}: one note per bullet, yours to edit\n\n`;
		const bytes = known.bytes.length > 0 ? known.bytes : Buffer.from(head);
		const end = lineEndOf(bytes);
		write(known, [bytes, NOTHING], (bytes.at(-1) === 10 ? "" : end) + bullet(note, end));
		return { path, same: null };
	});
}

/** Names the note, other than `but`, that has this text already: `note 3: - tests run with bun`; `null` where there is none. */
function sameNote(notes: readonly Note[], text: string, but?: Note): string | null {
	const wanted = noteKey(`- ${text}`);
	const at = notes.findIndex((note) => note !== but && noteKey(noteText(note)) === wanted);
	return at < 0 ? null : `note ${at + 1}: ${oneLine(cleanText(noteText(notes[at]!)))}`;
}

const NOTHING = Buffer.alloc(0);
const lineEndOf = (bytes: Buffer): string => (bytes.includes("\r\n") ? "\r\n" : "\n");

const write = ({ path, mode }: KnownNotes, around: readonly [Buffer, Buffer], text: string): void =>
	writeBetween(path, around, text, { mode, durable: true });

/** The text of a note as it is saved: clean, secrets redacted, without a bullet. Throws where it is empty or too long. */
export function noteOf(text: string): string {
	if (text.length > MAX_CHARACTERS)
		throw new Error(
			`a note may have ${MAX_CHARACTERS} characters, this one has ${text.length}; shorten it, or put it into a file and save where that is`,
		);
	const clean = redactSecrets(cleanText(text))
		.replace(/^\s*\n/, "")
		.trimEnd();
	const note = clean.includes("\n") ? clean : clean.trim().replace(/^[-*+](?:\s+|$)/, "");
	if (note === "") throw new Error("the note is empty; give its text, or - to read it from stdin");
	return note;
}

/**
 * Deletes one note from MEMORY.md under the lock that saving takes, by an atomic replacement; every other byte stays. Gives how many are
 * left. Throws when the note is no longer there as it was shown, and an error that names the file when it can't be written.
 */
export function deleteNote(place: ScopedStore, wanted: Note): number {
	return inNotes(place, "deleted from", (known) => {
		write(known, aroundNote(known.bytes, noteThere(known, wanted), true), "");
		return known.notes.length - 1;
	});
}

/** Finds the wanted note in the file as it is now. Throws where it is not there any more. */
function noteThere({ notes }: KnownNotes, wanted: Note): Note {
	const same = notes.filter((note) => noteText(note) === noteText(wanted));
	// of two notes with the same text the one at the wanted line
	const note = same.find(({ at }) => at === wanted.at) ?? same[0];
	if (!note) throw new Error("it has changed meanwhile; look again with: ccg memory list");
	return note;
}

/** The file's bytes before and behind a note. Where the note is taken out, one of the two blank lines around it goes too. */
function aroundNote(bytes: Buffer, { at, lines }: Note, isTakenOut = false): [Buffer, Buffer] {
	const starts = [0];
	for (let feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, feed + 1)) starts.push(feed + 1);
	const isBlank = (line: number): boolean =>
		line < starts.length && bytes.toString("utf8", starts[line], starts[line + 1]).trim() === "";
	const from = starts[at]! + (at === 0 && bytes.indexOf("\uFEFF") === 0 ? 3 : 0);
	const next = at + lines.length;
	const end = isTakenOut && isBlank(next) && (at === 0 || isBlank(at - 1)) ? next + 1 : next;
	return [bytes.subarray(0, from), bytes.subarray(starts[end] ?? bytes.length)];
}

/**
 * Puts a new text in the place of one note of MEMORY.md, secrets redacted, as a bullet with the note's own mark; every other byte stays.
 * Under the lock that saving takes, by an atomic replacement. Gives the note's text as it stands now. Throws when the note is no longer
 * there as it was shown, when another note has the text, when the text would become several notes, and an error that names the file when it
 * can't be written.
 */
export function editNote(place: ScopedStore, wanted: Note, newText: string): string {
	const text = noteOf(newText);
	return inNotes(place, "edited in", (known) => {
		const note = noteThere(known, wanted);
		const same = sameNote(known.notes, text, note);
		if (same) throw new Error(`the file has it as ${same}`);
		const [before, behind] = aroundNote(known.bytes, note);
		const oldText = known.bytes.toString("utf8", before.length, known.bytes.length - behind.length);
		const newBullet = bullet(text, lineEndOf(known.bytes), MARK.exec(oldText)?.[0]);
		const added = withoutEnd(newBullet, "\r\n") + (/\r?\n$/.exec(oldText)?.[0] ?? "");
		const after = changedNote(known.notes, note, Buffer.concat([before, Buffer.from(added), behind]));
		write(known, [before, behind], added);
		return after;
	});
}

/** The text of the edited note, read from the bytes of the new file. Throws where the other notes would not stay as they were. */
function changedNote(notes: readonly Note[], note: Note, bytes: Buffer): string {
	const texts = notesIn(bytes.toString("utf8")).map(noteText);
	const index = notes.indexOf(note);
	const isAlone = texts.length === notes.length && texts.every((one, i) => i === index || one === noteText(notes[i]!));
	if (!isAlone) throw new Error("the text would become several notes there; edit the file itself");
	return texts[index]!;
}
