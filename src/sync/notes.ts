import { join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { counted, cut, oneLine } from "../core/text/text.ts";
import { readText } from "../files/json-file.ts";
import { deleteNote } from "../memory/change.ts";
import { cleanText, type Note, noteKey, OWN_HEADING, plainText } from "../memory/notes.ts";
import { memoryPath, notesFile, notesFolder, notesOf, type ScopedStore } from "../memory/notes-file.ts";
import { REPLACED, SHARED, sharedBullet } from "../memory/shared.ts";
import { appendText, writeText } from "../store/gate.ts";
import { projectOf } from "../store/project.ts";
import { type Document, MAX_TEXT, newValue, type Replaced, replacedBy, type Value } from "./document.ts";
import { nameIn } from "./machine.ts";
import type { Opened, SharedHere } from "./space.ts";

/** A value of another machine, and whose it is. */
export interface Said {
	value: Value;
	by: string;
}

/** A note of this machine that another one replaced or deleted, and that stands in MEMORY.md still. */
export interface Taken {
	place: ScopedStore;
	note: Note;
	value: Value;
	by: Value;
}

/** Gives where a project's notes lie. Throws where its folder is another project's now, whose notes are not shared. */
export function placeOf({ store }: Pick<Opened, "store">, { key, folder }: SharedHere): ScopedStore {
	if (key === "") return { ...store, scope: { global: true } };
	if (projectOf(folder).key === key) return { ...store, scope: { cwd: folder } };
	throw new Error(`${folder} is another project now; where the shared one is: ccg sync init`);
}

export const nameOf = ({ folder }: SharedHere): string => folder || "the notes for all projects";

/** The notes of this machine's document for a project, in the order of its file. */
const ownNotes = (own: Document, { mark }: Pick<SharedHere, "mark">): Value[] =>
	own.values.filter(({ kind, project, text }) => kind === "note" && text !== null && project === mark);

/** Compares MEMORY.md with this machine's document: gives the values of its notes now, and the notes that others replaced. Writes nothing. */
export function planNotes(
	opened: Opened,
	own: Document,
	shared: SharedHere,
	replaced: Replaced,
): { values: Value[]; taken: Taken[] } {
	const before = ownNotes(own, shared);
	const place = placeOf(opened, shared);
	// (the loss of the whole file deletes no notes)
	if (notesFile(memoryPath(place)) === null) return { values: before, taken: [] };
	const notes = notesOf(place).notes.map((note) => ({ note, text: redactSecrets(plainText(note)) }));
	const fitting = notes.filter(({ text }) => text.length <= MAX_TEXT);
	if (fitting.length < notes.length)
		opened.tell(
			`${counted(notes.length - fitting.length, "note")} of ${nameOf(shared)} not shared: longer than ${MAX_TEXT} characters`,
		);
	// the same text is the same note, wherever it stands
	const unmatched = Map.groupBy(before, ({ text }) => text);
	const matched = fitting.map((one) => ({ ...one, was: unmatched.get(one.text)?.shift() }));
	const gone = before.filter((value) => unmatched.get(value.text)!.includes(value));
	// as many new notes as are gone: these are the old ones, edited
	const isEdit = matched.filter(({ was }) => !was).length === gone.length;
	const plan = { values: [] as Value[], taken: [] as Taken[] };
	const like = { kind: "note", project: shared.mark, at: new Date().toISOString() } as const;
	for (const { note, text, was } of matched) {
		const by = was && replacedBy(replaced, was);
		// (of what redaction changed the file alone has the words: it stays, as a note of its own)
		if (by && text === plainText(note)) plan.taken.push({ place, note, value: was, by });
		const edited = was || !isEdit ? [] : gone.splice(0, 1);
		const item = edited[0]?.item ?? `note:${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
		plan.values.push(was ?? newValue(own, { ...like, item, text }, edited));
	}
	// what a note that is gone had replaced must not stand again
	for (const value of gone.filter((one) => !replacedBy(replaced, one) && one.replaces.length > 0))
		plan.values.push(newValue(own, { ...like, item: value.item, text: null }, [value]));
	return plan;
}

const becameOf = (by: Value): string => (by.text === null ? "deleted it" : "replaced it");

/** Says in a line which note others replaced or deleted. */
export const takenLine = ({ value, by }: Taken, who: string): string =>
	`${who} ${becameOf(by)}: ${cut(oneLine(value.text!), 80)}`;

/** Moves a note that another machine replaced or deleted from MEMORY.md to `replaced.md` beside it, with who did that. */
export function takeOut({ place, note, value, by }: Taken, who: string, now: Date): void {
	const path = join(notesFolder(place.root, place.scope), REPLACED);
	const line = sharedBullet(who, now.getTime(), `, ${becameOf(by)}: ${cleanText(value.text!)}`);
	const had = readText(path);
	// (killed behind it, the same is done again)
	if (!had?.endsWith(line)) appendText(path, [...(had === null ? [HEAD] : []), line], { durable: true });
	deleteNote(place, note);
}

const HEAD = `${OWN_HEADING}replaced: notes of yours that another machine replaced or deleted; to bring one back, write it into MEMORY.md again\n\n`;

const sharedLine = ({ value: { at, text }, by }: Said, more = ""): string =>
	sharedBullet(by, Date.parse(at) || 0, `${more}: ${cleanText(text!)}`);
const DISPUTED = ", said otherwise too";
const keyOf = ({ text }: Value): string => noteKey(`- ${text}`);

/** Gives others' notes on a project, oldest first, each with its line in `shared.md`; without texts that this machine's own file has too. */
export function foreignNotes(own: Document, { mark }: Pick<SharedHere, "mark">, others: readonly Said[]) {
	const mine = ownNotes(own, { mark });
	const keys = new Set(mine.map(keyOf));
	const notes = others.filter(({ value }) => value.kind === "note" && value.project === mark);
	const disputed = disputedIn([...mine, ...notes.map(({ value }) => value)]);
	return notes
		.sort((a, b) => (a.value.at < b.value.at ? -1 : Number(a.value.at > b.value.at)))
		.filter(({ value }) => keys.size < keys.add(keyOf(value)).size)
		.map((one) => ({ ...one, line: sharedLine(one, disputed.has(one.value.item) ? DISPUTED : "") }));
}

/** Gives the items of notes that have several texts: all of them are kept until somebody deletes the others. */
function disputedIn(values: readonly Value[]): Set<string> {
	const notes = Map.groupBy(values, ({ item }) => item);
	return new Set([...notes].flatMap(([item, all]) => (all.some(({ text }) => text !== all[0]!.text) ? item : [])));
}

const HEAD_SHARED = `${OWN_HEADING}shared: written on other machines; made anew by each 'ccg sync now', so changes here are lost\n\n`;

export const MAX_SESSIONS = 20; // of a project, those with the newest checkpoints
const MAX_BYTES = 1020 * 1024; // of `shared.md`: enough for any start, and `recall` reads no file of 1 MiB

/**
 * Of another machine's document, for each shared project: its newest 20 sessions, and the newest notes that fit that machine's share of
 * `shared.md`; oldest first.
 */
export function sharedFrom({ space }: Opened, { values, ...document }: Document, machines: number): Said[] {
	const by = nameIn(document);
	const now = new Date().toISOString();
	const rooms = new Map(space.projects.map(({ mark }) => [mark, { bytes: MAX_BYTES / machines, count: MAX_SESSIONS }]));
	const fitting = values.toReversed().flatMap((value) => {
		const room = rooms.get(value.project);
		if (!room || value.text === null) return [];
		// its clock may be ahead
		const said = { by, value: value.at > now ? { ...value, at: now } : value };
		if (value.kind === "session") room.count--;
		else if (room.bytes >= 0) room.bytes -= Buffer.byteLength(sharedLine(said, DISPUTED));
		return (value.kind === "session" ? room.count : room.bytes) >= 0 ? said : [];
	});
	return fitting.reverse();
}

/** Writes the notes of others on a project into its `shared.md`, which starts and searches read. */
export function writeShared(place: ScopedStore, notes: readonly { line: string }[]): void {
	const path = join(notesFolder(place.root, place.scope), SHARED);
	const before = readText(path);
	const text = [HEAD_SHARED, ...notes.map(({ line }) => line)];
	if ((notes.length > 0 || before !== null) && before !== text.join("")) writeText(path, text);
}
