import { redactSecrets } from "../core/redact/secrets.ts";
import { withoutEnd } from "../core/text/text.ts";
import { readHead } from "../git/head.ts";
import { repositoryOf } from "../git/repository.ts";
import { writeBetween } from "../store/gate.ts";
import { type LikeNote, likeNote } from "./compare.ts";
import { forgetFacts, keepFacts, type NoteFact, noteId, readFacts } from "./facts.ts";
import { bullet, cleanText, MARK, type Note, noteKey, notesIn, OWN_HEADING, textOf } from "./notes.ts";
import {
	folderOf,
	inNotes,
	type KnownNotes,
	type MemoryScope,
	memoryPath,
	notesAt,
	type ScopedStore,
	saveInLog,
} from "./notes-file.ts";

const MAX_CHARACTERS = 8000;

export type MemoryTarget = "memory" | "log";

export interface SaveRequest extends ScopedStore {
	target: MemoryTarget;
	text: string;
	now: Date;
	/** Also what another note says nearly. */
	anyway?: boolean;
}

/** Not done: the file has the same text, or nearly the same. */
type Refused = { status: "duplicate" | "similar"; like: LikeNote };
type Saved = { path: string } & ({ status: "saved" } | Refused);
type Edited = { path: string } & ({ status: "edited"; text: string } | { status: "same" } | Refused);
type Moved = { from: string; to: string } & (
	| { status: "moved" | "duplicate"; left: number }
	| { status: "similar"; like: LikeNote }
);

/**
 * Saves one note, secrets redacted; in MEMORY.md unless a note says the same, or nearly. MEMORY.md is replaced atomically under the
 * kernel's lock, its hand-written bytes kept; a daily log is appended to, as hooks do. Throws an error that names the file and what to do.
 */
export function saveMemory({ target, text, now, anyway = false, ...place }: SaveRequest): Saved {
	const note = noteOf(text);
	if (target === "log") return { path: saveInLog(place, note, now), status: "saved" };
	const path = memoryPath(place);
	return inNotes(place, "saved in", (known) => {
		const like = likeNote(known.notes, note, { nearly: !anyway });
		if (like) return { path, ...like };
		const whose = "global" in place.scope ? "for all projects" : "of this project";
		const head = `${OWN_HEADING}memory ${whose}: one note per bullet, yours to edit\n\n`;
		const bytes = known.bytes.length > 0 ? known.bytes : Buffer.from(head);
		const end = lineEndOf(bytes);
		write(known, [bytes, NOTHING], (bytes.at(-1) === 10 ? "" : end) + bullet(note, end));
		keepFacts(place, folderOf(place.root, place.scope), [noteId(`- ${note}`)], savedAt(place.scope, now));
		return { path, status: "saved" };
	});
}

const NOTHING = Buffer.alloc(0);
const lineEndOf = (bytes: Buffer): string => (bytes.includes("\r\n") ? "\r\n" : "\n");

const write = ({ path, mode }: KnownNotes, around: readonly [Buffer, Buffer], text: string): void =>
	writeBetween(path, around, text, { mode, durable: true });

/** The text of a note as it is saved: clean, secrets redacted, without a bullet. Throws where it is empty or too long. */
function noteOf(text: string): string {
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

/** What is kept of a note that is saved now. */
function savedAt(scope: MemoryScope, now: Date): NoteFact {
	const repository = "cwd" in scope ? repositoryOf(scope.cwd) : null;
	const branch = repository && readHead(repository)?.branch;
	return { saved: now.toISOString(), ...(branch && branch.length <= 250 && { branch }) };
}

/**
 * Deletes one note from MEMORY.md under the lock that saving takes, by an atomic replacement; every other byte stays. Throws when the
 * note is no longer there as it was shown, and an error that names the file when it can't be written.
 */
export function deleteNote(place: ScopedStore, wanted: Note): { path: string; left: number } {
	return inNotes(place, "deleted from", (known) => {
		const note = noteThere(known, wanted);
		write(known, aroundNote(known.bytes, note, true), "");
		const others = known.notes.filter((one) => one !== note);
		// of two alike one is left
		if (!others.some((one) => noteKey(textOf(one)) === noteKey(textOf(note))))
			forgetFacts(place, folderOf(place.root, place.scope), noteId(textOf(note)));
		return { path: memoryPath(place), left: others.length };
	});
}

/** The note that is wanted as it stands in the file now. Throws where it does not. */
function noteThere({ notes }: KnownNotes, wanted: Note): Note {
	const same = notes.filter((note) => textOf(note) === textOf(wanted));
	// of two alike the one that was meant
	const note = same.find(({ at }) => at === wanted.at) ?? same[0];
	if (!note) throw new Error("it has changed meanwhile; look again with: ccg memory list");
	return note;
}

/** What stands before and behind a note. Where it is taken out, one of two blank lines that come together goes too. */
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
 * Under the lock that saving takes, by an atomic replacement. Throws when the note is no longer there as it was shown, when the text would
 * become several notes there, and an error that names the file when it can't be written.
 */
export function editNote(place: ScopedStore, wanted: Note, given: string, now: Date, { anyway = false } = {}): Edited {
	const text = noteOf(given);
	const path = memoryPath(place);
	return inNotes(place, "edited in", (known) => {
		const note = noteThere(known, wanted);
		if (noteKey(textOf(note)) === noteKey(`- ${text}`)) return { path, status: "same" };
		const like = likeNote(known.notes, text, { nearly: !anyway, but: note });
		if (like) return { path, ...like };
		const [before, behind] = aroundNote(known.bytes, note);
		const old = known.bytes.toString("utf8", before.length, known.bytes.length - behind.length);
		const made = bullet(text, lineEndOf(known.bytes), MARK.exec(old)?.[0]);
		const added = withoutEnd(made, "\r\n") + (/\r?\n$/.exec(old)?.[0] ?? "");
		const after = changedNote(known.notes, note, Buffer.concat([before, Buffer.from(added), behind]));
		write(known, [before, behind], added);
		const folder = folderOf(place.root, place.scope);
		const { used } = readFacts(place, folder).get(noteId(textOf(note))) ?? {};
		forgetFacts(place, folder, noteId(textOf(note)));
		keepFacts(place, folder, [noteId(after)], { ...savedAt(place.scope, now), ...(used && { used }) });
		return { path, status: "edited", text: after };
	});
}

/** The text of a note in the file as it would be. Throws where the others are not as they were. */
function changedNote(notes: readonly Note[], note: Note, bytes: Buffer): string {
	const texts = notesIn(bytes.toString("utf8")).map(textOf);
	const index = notes.indexOf(note);
	const isAlone = texts.length === notes.length && texts.every((one, i) => i === index || one === textOf(notes[i]!));
	if (!isAlone) throw new Error("the text would become several notes there; edit the file itself");
	return texts[index]!;
}

/**
 * Moves one note to another MEMORY.md: first it is saved there, then it is deleted here, so that it is never in neither; after a kill
 * in between, the same move ends it. Its age goes along. Throws when the note is no longer there as it was shown, when it holds what
 * would be redacted, and an error that names the file when one can't be written.
 */
export function moveNote(place: ScopedStore, wanted: Note, to: MemoryScope, { anyway = false } = {}): Moved {
	const there = { ...place, scope: to };
	const paths = { from: memoryPath(place), to: memoryPath(there) };
	// both may be links to one
	if (paths.from === paths.to || notesAt(place).path === notesAt(there).path)
		throw new Error(`the note is in ${paths.to} already`);
	const note = inNotes(place, "moved from", (known) => noteThere(known, wanted));
	const { saved } = readFacts(place, folderOf(place.root, place.scope)).get(noteId(textOf(note))) ?? {};
	const now = new Date(saved ?? Date.now());
	const result = saveMemory({ ...there, target: "memory", text: movable(note), now, anyway });
	if (result.status === "similar") return { ...paths, status: "similar", like: result.like };
	const { left } = deleteNote(place, note);
	return { ...paths, status: result.status === "saved" ? "moved" : "duplicate", left };
}

/** The note as one bullet's text. What the gate would redact stays where its owner wrote it. */
function movable({ lines: [first = "", ...rest] }: Note): string {
	const indents = rest.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)![0].length);
	const depth = MARK.test(first) ? Math.min(...indents) : 0;
	const lines = [first.replace(MARK, ""), ...rest.map((line) => line.slice(Math.min(depth, line.length)))];
	const text = cleanText(lines.join("\n")).trimEnd();
	if (redactSecrets(text) !== text)
		throw new Error("it holds what looks like a secret, which ccg does not write; move it in the files themselves");
	return text;
}
