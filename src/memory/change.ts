import { redactSecrets } from "../core/redact/secrets.ts";
import { oneLine, trimEndSigns } from "../core/text/text.ts";
import { writeBetween } from "../store/gate.ts";
import { CCG_HEADING, cleanText, formatBullet, LIST_MARK, type Note, noteKey, noteText, parseNotes } from "./notes.ts";
import { type NotesFile, type ScopedStore, saveNoteInLog, withNotesLock } from "./notes-file.ts";

const MAX_CHARACTERS = 8000;

/**
 * Saves one note, secrets redacted, in a daily log or in MEMORY.md; there only when no note has the same text: else `same` names that one.
 * Every other byte of the file stays. Throws an error that names the file and what to do.
 */
export function saveMemory({
	target,
	text,
	now,
	...store
}: ScopedStore & { target: "memory" | "log"; text: string; now: Date }): { path: string; same: string | null } {
	const note = cleanNote(text);
	if (target === "log") return { path: saveNoteInLog(store, note, now), same: null };
	return withNotesLock(store, "saved in", (file) => {
		const { path } = file;
		const same = describeSameNote(file.notes, note);
		if (same) return { path, same };
		const whose = "global" in store.scope ? "for all projects" : "of this project";
		const heading = `${CCG_HEADING}memory ${whose}: one note per bullet, yours to edit\n\n`;
		const bytes = file.bytes.length > 0 ? file.bytes : Buffer.from(heading);
		const lineEnd = detectLineEnd(bytes);
		writeNotesFile(file, [bytes, NO_BYTES], (bytes.at(-1) === 10 ? "" : lineEnd) + formatBullet(note, lineEnd));
		return { path, same: null };
	});
}

/** Names the first note that has this text already, as `note 3: - tests run with bun`; `null` where none has. `except` is not compared. */
function describeSameNote(notes: readonly Note[], text: string, except?: Note): string | null {
	const key = noteKey(`- ${text}`);
	const index = notes.findIndex((note) => note !== except && noteKey(noteText(note)) === key);
	return index < 0 ? null : `note ${index + 1}: ${oneLine(cleanText(noteText(notes[index]!)))}`;
}

const NO_BYTES = Buffer.alloc(0);
/** The line end that a notes file uses. */
const detectLineEnd = (bytes: Buffer): string => (bytes.includes("\r\n") ? "\r\n" : "\n");

/** Replaces a notes file by `text` between the bytes that stay. */
const writeNotesFile = ({ path, mode }: NotesFile, keptBytes: readonly [Buffer, Buffer], text: string): void =>
	writeBetween(path, keptBytes, text, { mode, durable: true });

/** A person's text as it is saved as a note: secrets redacted, without a bullet mark. Throws where it is empty or too long. */
export function cleanNote(text: string): string {
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

/** Deletes a note from MEMORY.md and gives how many are left. Throws where it has changed since it was read, or can't be written. */
export function deleteNote(store: ScopedStore, wanted: Note): number {
	return withNotesLock(store, "deleted from", (file) => {
		writeNotesFile(file, bytesAroundNote(file.bytes, findUnchangedNote(file, wanted), true), "");
		return file.notes.length - 1;
	});
}

/** Finds a note that was read earlier in the file as it is now. Throws where no note has its text any more. */
function findUnchangedNote({ notes }: NotesFile, wanted: Note): Note {
	const candidates = notes.filter((note) => noteText(note) === noteText(wanted));
	// several notes may have the same text
	const note = candidates.find(({ lineIndex }) => lineIndex === wanted.lineIndex) ?? candidates[0];
	if (!note) throw new Error("it has changed meanwhile; look again with: ccg memory list");
	return note;
}

/** The file's bytes before and behind a note. To delete the note, one of two blank lines around it is left out too. */
function bytesAroundNote(bytes: Buffer, { lineIndex, lines }: Note, isDeletion = false): [Buffer, Buffer] {
	const lineStarts = [0];
	for (let feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, feed + 1)) lineStarts.push(feed + 1);
	const isBlank = (line: number): boolean =>
		line < lineStarts.length && bytes.toString("utf8", lineStarts[line], lineStarts[line + 1]).trim() === "";
	const noteStart = lineStarts[lineIndex]! + (lineIndex === 0 && bytes.indexOf("\uFEFF") === 0 ? 3 : 0);
	const nextLine = lineIndex + lines.length;
	const skipsBlank = isDeletion && isBlank(nextLine) && (lineIndex === 0 || isBlank(lineIndex - 1));
	return [bytes.subarray(0, noteStart), bytes.subarray(lineStarts[nextLine + (skipsBlank ? 1 : 0)] ?? bytes.length)];
}

/**
 * Replaces the text of one note of MEMORY.md, secrets redacted, its bullet mark kept; every other byte stays. Gives the note's new text.
 * Throws where the note has changed since it was read, another note has the new text, or that would become several notes.
 */
export function editNote(store: ScopedStore, wanted: Note, newText: string): string {
	const text = cleanNote(newText);
	return withNotesLock(store, "edited in", (file) => {
		const note = findUnchangedNote(file, wanted);
		const same = describeSameNote(file.notes, text, note);
		if (same) throw new Error(`the file has it as ${same}`);
		const [before, rest] = bytesAroundNote(file.bytes, note);
		const oldText = file.bytes.toString("utf8", before.length, file.bytes.length - rest.length);
		const newBullet = formatBullet(text, detectLineEnd(file.bytes), LIST_MARK.exec(oldText)?.[0]);
		const added = trimEndSigns(newBullet, "\r\n") + (/\r?\n$/.exec(oldText)?.[0] ?? "");
		const savedText = readEditedNote(file.notes, note, Buffer.concat([before, Buffer.from(added), rest]));
		writeNotesFile(file, [before, rest], added);
		return savedText;
	});
}

/** The text of the edited note, parsed from the new file's bytes. Throws where these change any other note. */
function readEditedNote(notes: readonly Note[], note: Note, bytes: Buffer): string {
	const texts = parseNotes(bytes.toString("utf8")).map(noteText);
	const index = notes.indexOf(note);
	const onlyItChanged =
		texts.length === notes.length && texts.every((text, other) => other === index || text === noteText(notes[other]!));
	if (!onlyItChanged) throw new Error("the text would become several notes there; edit the file itself");
	return texts[index]!;
}
