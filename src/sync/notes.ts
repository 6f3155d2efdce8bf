import { join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { counted, cut, oneLine } from "../core/text/text.ts";
import { deleteNote } from "../memory/change.ts";
import { cleanText, type Note, noteKey, OWN_HEADING, plainText } from "../memory/notes.ts";
import { folderOf, memoryPath, notesFile, notesOf, type ScopedStore } from "../memory/notes-file.ts";
import { REPLACED, SHARED, sharedBullet } from "../memory/shared.ts";
import { appendText, writeText } from "../store/gate.ts";
import { readText } from "../store/json-file.ts";
import { type Document, isSameProject, MAX_TEXT, newValue, type Replaced, type Value } from "./document.ts";
import type { Said } from "./read.ts";
import type { Opened, SharedHere, Tell } from "./space.ts";

/** A note of this machine that another one replaced or deleted, and that stands in MEMORY.md still. */
export interface Taken {
	place: ScopedStore;
	note: Note;
	value: Value;
	by: Value;
}

export const placeOf = ({ store }: Pick<Opened, "store">, { key, folder }: SharedHere): ScopedStore => ({
	...store,
	scope: key === "" ? { global: true } : { cwd: folder },
});

export const nameOf = ({ folder }: SharedHere): string => folder || "the notes for all projects";

/** The notes of this machine's document for a project, in the order of its file. */
const ownNotes = (own: Document, { marks }: Pick<SharedHere, "marks">): Value[] =>
	own.values.filter(({ kind, project, text }) => kind === "note" && text !== null && isSameProject(project, marks));

/** So many notes may go from a MEMORY.md in an exchange without a yes. */
export const MANY = 5;

/** What of a project is to be said, by what became of its MEMORY.md since the document was written. Writes nothing. */
export function planNotes(
	opened: Opened,
	own: Document,
	shared: SharedHere,
	replaced: Replaced,
	tell: Tell,
): { values: Value[]; taken: Taken[] } {
	const before = ownNotes(own, shared);
	const place = placeOf(opened, shared);
	// a file that is lost as a whole is no deletion of its notes
	if (notesFile(memoryPath(place)) === null) return { values: before, taken: [] };
	const notes = notesOf(place).notes.map((note) => ({ note, text: redactSecrets(plainText(note)) }));
	const fitting = notes.filter(({ text }) => text.length <= MAX_TEXT);
	if (fitting.length < notes.length)
		tell(
			`${counted(notes.length - fitting.length, "note")} of ${nameOf(shared)} not shared: longer than ${MAX_TEXT} characters`,
		);
	// the same text is the same note, wherever it stands
	const free = Map.groupBy(before, ({ text }) => text);
	const found = fitting.map((one) => ({ ...one, was: free.get(one.text)?.shift() }));
	const gone = before.filter((value) => free.get(value.text)!.includes(value));
	// as many new ones as are gone are these, changed
	const isEdit = found.filter(({ was }) => !was).length === gone.length;
	const plan = { values: [] as Value[], taken: [] as Taken[] };
	const like = { kind: "note", project: shared.marks, at: opened.now().toISOString() } as const;
	for (const { note, text, was } of found) {
		const by = was && replaced.get(was.id);
		// (of what redaction changed the file alone has the words: it stays, as a note of its own)
		if (by && text === plainText(note)) plan.taken.push({ place, note, value: was, by });
		const edited = was || !isEdit ? [] : gone.splice(0, 1);
		const item = edited[0]?.item ?? `note:${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
		plan.values.push(was ?? newValue(own, { ...like, item, text }, edited));
	}
	// what a note that is gone had replaced must not stand again
	for (const value of gone.filter(({ id, replaces }) => !replaced.has(id) && replaces.length > 0))
		plan.values.push(newValue(own, { ...like, item: value.item, text: null }, [value]));
	return plan;
}

/** Takes a note out of MEMORY.md that another machine replaced or deleted: it is kept beside it, with who did that. */
export function takeOut({ place, note, value, by }: Taken, who: string, now: Date): void {
	const path = join(folderOf(place.root, place.scope), REPLACED);
	const how = by.text === null ? "deleted it" : `replaced it with "${cut(oneLine(by.text), 80)}"`;
	const line = sharedBullet(who, now.getTime(), `, ${how}: ${cleanText(value.text!)}`);
	const had = readText(path);
	// (killed behind it, the same is done again)
	if (!had?.endsWith(line)) appendText(path, [...(had === null ? [HEAD] : []), line], { durable: true });
	deleteNote(place, note);
}

const HEAD = `${OWN_HEADING}replaced: notes of yours that another machine replaced or deleted; to bring one back, write it into MEMORY.md again\n\n`;

/** Of what others say of a project what is to be told, the oldest first. What stands in this machine's own file is not among it. */
export function foreignNotes(own: Document, { marks }: Pick<SharedHere, "marks">, others: readonly Said[]): Said[] {
	const told = new Set(ownNotes(own, { marks }).map(({ text }) => noteKey(`- ${text}`)));
	return others
		.filter(({ value }) => value.kind === "note" && isSameProject(value.project, marks))
		.sort((a, b) => (a.value.at < b.value.at ? -1 : Number(a.value.at > b.value.at)))
		.filter(({ value: { text } }) => told.size < told.add(noteKey(`- ${text}`)).size);
}

/** Its line in `shared.md`. */
export const foreignLine = ({ value: { text, at }, by }: Said): string =>
	sharedBullet(by, Date.parse(at) || 0, `: ${cleanText(text!)}`);

const HEAD_SHARED = `${OWN_HEADING}shared: written on other machines; made anew by each 'ccg sync now', so changes here are lost\n\n`;

/** Enough for any start, and for `recall`, which reads no file of 1 MiB; who has more looks with `ccg memory list`. */
const MAX_BYTES = 1020 * 1024;

/**
 * Writes what others wrote of a project to where starts and searches read it: the newest of it that fits. `waiting`: so many notes of
 * MEMORY.md others replaced or deleted.
 */
export function writeShared(place: ScopedStore, notes: readonly Said[], waiting = 0): void {
	const fitting: string[] = [];
	let left = MAX_BYTES;
	for (const line of notes.toReversed().map(foreignLine)) {
		left -= Buffer.byteLength(line);
		if (left < 0) break;
		fitting.push(line);
	}
	if (waiting > 0)
		fitting.unshift(
			`- ccg: other machines replaced or deleted ${counted(waiting, "note")} of MEMORY.md, which stay until the user says yes: 'ccg sync now' shows them\n`,
		);
	const path = join(folderOf(place.root, place.scope), SHARED);
	const text = [HEAD_SHARED, ...fitting.reverse()];
	const before = readText(path);
	if ((text.length > 1 || before !== null) && before !== text.join("")) writeText(path, text);
}
