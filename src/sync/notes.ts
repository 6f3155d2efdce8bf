import { join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { countWithNoun, oneLine, truncate } from "../core/text/text.ts";
import { readText } from "../files/json-file.ts";
import { deleteNote } from "../memory/change.ts";
import { CCG_HEADING, cleanText, type Note, noteBody, noteKey } from "../memory/notes.ts";
import { lstatNotesFile, memoryPath, notesFolder, readMemoryNotes, type ScopedStore } from "../memory/notes-file.ts";
import { formatSharedNote, REPLACED_FILE, SHARED_FILE } from "../memory/shared.ts";
import { appendText, writeText } from "../store/gate.ts";
import { findProject } from "../store/project.ts";
import { type Document, MAX_TEXT, newValue, type Replacements, replacementOf, type Value } from "./document.ts";
import { machineName } from "./machine.ts";
import type { OpenSpace, SharedProject } from "./space.ts";

/** A value of another machine, and that machine's name. */
export interface ForeignValue {
	value: Value;
	by: string;
}

/** A note of this machine that another one replaced or deleted, with the value `by` which it did; it stands in MEMORY.md still. */
export interface ReplacedNote {
	place: ScopedStore;
	note: Note;
	value: Value;
	by: Value;
}

/** Gives where a project's notes lie. Throws where its folder is another project's now, whose notes are not shared. */
export function notesPlace({ store }: Pick<OpenSpace, "store">, { key, folder }: SharedProject): ScopedStore {
	if (key === "") return { ...store, scope: { global: true } };
	if (findProject(folder).key === key) return { ...store, scope: { cwd: folder } };
	throw new Error(`${folder} is another project now; where the shared one is: ccg sync init`);
}

/** What messages call the notes of a shared project: its folder. */
export const notesLabel = ({ folder }: SharedProject): string => folder || "the notes for all projects";

/** The notes of a project in this machine's document, in the order of their file. */
const ownNoteValues = (own: Document, { mark }: Pick<SharedProject, "mark">): Value[] =>
	own.values.filter(({ kind, project, text }) => kind === "note" && text !== null && project === mark);

/** Compares MEMORY.md with this machine's document: gives the values of its notes now, and the notes that others replaced. Writes nothing. */
export function planNotes(opened: OpenSpace, own: Document, shared: SharedProject, replacements: Replacements) {
	const before = ownNoteValues(own, shared);
	const place = notesPlace(opened, shared);
	const plan = { values: [] as Value[], replaced: [] as ReplacedNote[] };
	// (the loss of the whole file deletes no notes)
	if (lstatNotesFile(memoryPath(place)) === null) return { ...plan, values: before };
	const notes = readMemoryNotes(place).notes.map((note) => ({ note, text: redactSecrets(noteBody(note)) }));
	const fitting = notes.filter(({ text }) => text.length <= MAX_TEXT);
	const tooLong = countWithNoun(notes.length - fitting.length, "note");
	if (fitting.length < notes.length)
		opened.onProblem(`${tooLong} of ${notesLabel(shared)} not shared: longer than ${MAX_TEXT} characters`);
	// the same text is the same note, wherever it stands
	const unmatched = Map.groupBy(before, ({ text }) => text);
	const matched = fitting.map((one) => ({ ...one, oldValue: unmatched.get(one.text)?.shift() }));
	const missing = before.filter((value) => unmatched.get(value.text)!.includes(value));
	// as many new notes as old ones are missing: these are the old ones, edited
	const isEdit = matched.filter(({ oldValue }) => !oldValue).length === missing.length;
	const common = { kind: "note", project: shared.mark, at: new Date().toISOString() } as const;
	for (const { note, text, oldValue } of matched) {
		const by = oldValue && replacementOf(replacements, oldValue);
		// (where redaction changed the text, only the file has the note's words: it stays, as a note of its own)
		if (by && text === noteBody(note)) plan.replaced.push({ place, note, value: oldValue, by });
		const edited = oldValue || !isEdit ? [] : missing.splice(0, 1);
		const item = edited[0]?.item ?? `note:${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
		plan.values.push(oldValue ?? newValue(own, { ...common, item, text }, edited));
	}
	// a deletion takes the place of a missing note, so that what the note had replaced does not come back
	for (const value of missing.filter((one) => !replacementOf(replacements, one) && one.replaces.length > 0))
		plan.values.push(newValue(own, { ...common, item: value.item, text: null }, [value]));
	return plan;
}

/** What the machine that wrote the value `by` did to a note. */
const replacementVerb = (by: Value): string => (by.text === null ? "deleted it" : "replaced it");

/** Says in a line that the machine `who` replaced or deleted a note, and which. */
export const replacedLine = ({ value, by }: ReplacedNote, who: string): string =>
	`${who} ${replacementVerb(by)}: ${truncate(oneLine(value.text!), 80)}`;

/** Moves a note that another machine replaced or deleted from MEMORY.md to `replaced.md` beside it, with who did that. */
export function moveToReplaced({ place, note, value, by }: ReplacedNote, who: string, now: Date): void {
	const path = join(notesFolder(place.root, place.scope), REPLACED_FILE);
	const line = formatSharedNote(who, now.getTime(), `, ${replacementVerb(by)}: ${cleanText(value.text!)}`);
	const before = readText(path);
	const heading = before === null ? [REPLACED_HEADING] : [];
	// (where it was killed before the note was deleted, the line is there already)
	if (!before?.endsWith(line)) appendText(path, [...heading, line], { durable: true });
	deleteNote(place, note);
}

const REPLACED_HEADING = `${CCG_HEADING}replaced: notes of yours that another machine replaced or deleted; to bring one back, write it into MEMORY.md again\n\n`;

/** A note of another machine as a line of `shared.md`: with the machine, the time and `addition`. */
const sharedNoteLine = ({ value: { at, text }, by }: ForeignValue, addition = ""): string =>
	formatSharedNote(by, Date.parse(at) || 0, `${addition}: ${cleanText(text!)}`);
const DISPUTED_MARK = ", said otherwise too";
/** A key that is the same for two notes with the same text. */
const valueKey = ({ text }: Value): string => noteKey(`- ${text}`);

/** Gives others' notes on a project, oldest first, each with its line in `shared.md`; without texts that this machine's own file has too. */
export function foreignNotes(own: Document, { mark }: Pick<SharedProject, "mark">, others: readonly ForeignValue[]) {
	const mine = ownNoteValues(own, { mark });
	const keys = new Set(mine.map(valueKey));
	const notes = others.filter(({ value }) => value.kind === "note" && value.project === mark);
	const disputed = disputedItems([...mine, ...notes.map(({ value }) => value)]);
	const isNew = ({ value }: ForeignValue): boolean => keys.size < keys.add(valueKey(value)).size;
	return notes
		.sort((a, b) => (a.value.at < b.value.at ? -1 : Number(a.value.at > b.value.at)))
		.filter(isNew)
		.map((one) => ({ ...one, line: sharedNoteLine(one, disputed.has(one.value.item) ? DISPUTED_MARK : "") }));
}

/** Gives the items of notes that have several texts: all of them are kept until somebody deletes the others. */
function disputedItems(values: readonly Value[]): Set<string> {
	const notes = Map.groupBy(values, ({ item }) => item);
	return new Set([...notes].flatMap(([item, all]) => (all.some(({ text }) => text !== all[0]!.text) ? item : [])));
}

const SHARED_HEADING = `${CCG_HEADING}shared: written on other machines; made anew by each 'ccg sync now', so changes here are lost\n\n`;

export const MAX_SESSIONS = 20; // of a project, those with the newest checkpoints
const MAX_SHARED_BYTES = 1020 * 1024; // of `shared.md`: enough for any start, and `recall` reads no file of 1 MiB

/**
 * Of another machine's document, for each shared project: its newest 20 sessions, and the newest notes that fit into that machine's part of
 * `shared.md`; oldest first. `machines`: how many share the file.
 */
export function acceptedValues({ space }: OpenSpace, document: Document, machines: number): ForeignValue[] {
	const by = machineName(document);
	const now = new Date().toISOString();
	const fullRoom = { bytes: MAX_SHARED_BYTES / machines, sessions: MAX_SESSIONS };
	const roomLeft = new Map(space.projects.map(({ mark }) => [mark, { ...fullRoom }]));
	const fitting = document.values.toReversed().flatMap((value) => {
		const left = roomLeft.get(value.project);
		if (!left || value.text === null) return [];
		// its clock may be ahead
		const foreign = { by, value: value.at > now ? { ...value, at: now } : value };
		if (value.kind === "session") left.sessions--;
		else if (left.bytes >= 0) left.bytes -= Buffer.byteLength(sharedNoteLine(foreign, DISPUTED_MARK));
		return (value.kind === "session" ? left.sessions : left.bytes) >= 0 ? foreign : [];
	});
	return fitting.reverse();
}

/** Writes the notes of other machines into a project's `shared.md`, where anything changed; session starts and searches read it. */
export function writeSharedNotes(place: ScopedStore, notes: readonly { line: string }[]): void {
	const path = join(notesFolder(place.root, place.scope), SHARED_FILE);
	const before = readText(path);
	const text = [SHARED_HEADING, ...notes.map(({ line }) => line)];
	if ((notes.length > 0 || before !== null) && before !== text.join("")) writeText(path, text);
}
