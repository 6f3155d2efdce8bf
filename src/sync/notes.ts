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
	const plan = { values: [] as Value[], taken: [] as Taken[] };
	const at = opened.now().toISOString();
	const say = (text: string, item: string, known: readonly Value[]): Value =>
		newValue(own, { item, kind: "note", project: shared.marks, text, at }, known);
	const places = matchTexts(
		before.map(({ text }) => text!),
		fitting.map(({ text }) => text),
	);
	const named = new Set<number>();
	for (const [i, { before: was, isChanged }] of places.entries()) {
		const { note, text } = fitting[i]!;
		const value = was === null ? undefined : before[was]!;
		if (was !== null) named.add(was);
		const by = value && replaced.get(value.id);
		if (!value) plan.values.push(say(text, `note:${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`, []));
		else if (isChanged) plan.values.push(say(text, value.item, [value]));
		else plan.values.push(value);
		if (by && !isChanged) plan.taken.push({ place, note, value, by });
	}
	for (const value of before.filter(({ id }, i) => !named.has(i) && !replaced.has(id))) {
		// what it had replaced must not stand again
		const { item, kind, project, replaces } = value;
		if (replaces.length > 0) plan.values.push(newValue(own, { item, kind, project, text: null, at }, [value]));
	}
	return plan;
}

/**
 * Of each text of `now` which of `before` it is, `null` for one that is new. The same text is the same wherever it stands; where as many
 * are new as are gone, they are these, in their order, and changed.
 */
function matchTexts(
	before: readonly string[],
	now: readonly string[],
): { before: number | null; isChanged: boolean }[] {
	const free = new Map<string, number[]>();
	for (const [i, text] of before.entries()) free.set(text, [i, ...(free.get(text) ?? [])]);
	const same = now.map((text) => free.get(text)?.pop() ?? null);
	const gone = [...free.values()].flat().sort((a, b) => a - b);
	const isEdit = same.filter((one) => one === null).length === gone.length;
	return same.map((one) => ({ before: one ?? (isEdit ? gone.shift()! : null), isChanged: one === null && isEdit }));
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

/** Enough for any start, and for `recall`, which reads no file of 1 MiB; who has more looks with `ccg memory list`. */
const MAX_BYTES = 1020 * 1024;

/**
 * Writes what others wrote of a project to where starts and searches read it: the newest of it that fits. `waiting`: so many notes of
 * MEMORY.md others replaced or deleted. `isLast`: it is made anew no more.
 */
export function writeShared(place: ScopedStore, notes: readonly Said[], waiting = 0, isLast = false): void {
	const then = isLast
		? "as it was when this machine left"
		: "made anew by each 'ccg sync now', so changes here are lost";
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
	const text = [`${OWN_HEADING}shared: written on other machines; ${then}\n\n`, ...fitting.reverse()];
	const before = readText(path);
	if ((text.length > 1 || before !== null) && before !== text.join("")) writeText(path, text);
}
