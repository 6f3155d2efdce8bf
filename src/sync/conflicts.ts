import { redactSecrets } from "../core/redact/secrets.ts";
import { deleteNote, noteOf, saveMemory } from "../memory/change.ts";
import { type Note, noteKey, plainText, textOf } from "../memory/notes.ts";
import { notesOf } from "../memory/notes-file.ts";
import { isSameProject, newValue, type Value } from "./document.ts";
import { inConflict, planOwn, standingOf, tellOthers } from "./exchange.ts";
import { foreignLine, foreignNotes, nameOf, placeOf } from "./notes.ts";
import { type Others, readKnown, saidBy } from "./read.ts";
import { keepOwn, type Opened, type SharedHere } from "./space.ts";

/** A note that several say otherwise, or that another one replaced and that waits here for a yes. All that they say is kept until somebody decides. */
interface Conflict {
	/** Names it in a command. */
	id: string;
	project: string;
	shared: SharedHere | undefined;
	/** The newest first; `by` is `null` of this machine's. */
	values: { value: Value; by: string | null }[];
}

/** What is to be decided. */
export function conflictsIn(opened: Opened, all: Others): Conflict[] {
	const found = inConflict(all.own, all.seen, standingOf(all.own, all));
	const waiting = planOwn(opened, all.own, all.seen).taken.map(({ value, by }) => [
		{ value, by: null },
		{ value: by, by: saidBy(all, by) },
	]);
	return [...found, ...waiting].map((values) => {
		const { item, project } = values[0]!.value;
		const shared = opened.space.projects.find(({ marks }) => isSameProject(marks, project));
		const order = values.toSorted((a, b) => (a.value.at < b.value.at ? 1 : -1));
		const id = item.slice("note:".length, 17);
		return { id, project: shared ? nameOf(shared) : "another project", shared, values: order };
	});
}

/** Decides a conflict by the number of the text that is kept. The others are replaced; the next exchange tells that. */
export async function resolve(opened: Opened, named: string, kept: number): Promise<void> {
	const all = await readKnown(opened);
	const [one, ...more] = conflictsIn(opened, all).filter(({ id }) => named !== "" && id.startsWith(named));
	if (!one || more.length > 0)
		throw new Error(`${one ? "several conflicts" : "no conflict"} '${named}'; 'ccg sync conflicts' shows them`);
	if (!one.shared) throw new Error("that project is not shared from here; run ccg sync init in its folder");
	const chosen = one.values[kept - 1];
	if (!chosen) throw new Error(`keep one of the ${one.values.length} texts, by its number`);
	const mine = one.values.find(({ by }) => by === null)?.value ?? null;
	const theirs = one.values.filter((each) => each.by !== null && each !== chosen).map(({ value }) => value);
	// a text of another machine stands there; here is what must go
	await say(opened, all, one.shared, { mine, theirs, text: chosen.by === null ? chosen.value.text : null });
}

/** Says a text of this machine, or with `null` none, in the place of its own value, which has the same text, and of others'; in MEMORY.md too. */
async function say(
	opened: Opened,
	{ own, seen, said }: Others,
	shared: SharedHere,
	{ mine, theirs, text }: { mine: Value | null; theirs: readonly Value[]; text: string | null },
): Promise<void> {
	const place = placeOf(opened, shared);
	const safe = text === null ? null : redactSecrets(noteOf(text));
	const before = [...(mine ? [mine] : []), ...theirs];
	const like = { kind: "note", project: shared.marks, at: opened.now().toISOString() } as const;
	const value = newValue(own, { ...like, item: before[0]!.item, text: safe }, before);
	// (cut short behind the file, the text there is a new note, and nothing is lost)
	if (!mine && safe !== null) {
		const { same } = saveMemory({ ...place, target: "memory", text: safe, now: opened.now() });
		if (same) throw new Error(`the file has it as ${same}`);
	}
	const note = mine && notesOf(place).notes.find((one) => redactSecrets(plainText(one)) === mine.text);
	if (note && safe === null) deleteNote(place, note);
	const rest = own.values.filter((one) => one !== mine && !theirs.some(({ replaces }) => replaces.includes(one.id)));
	const next = { ...own, values: safe !== null || value.replaces.length > 0 ? [...rest, value] : rest };
	await keepOwn(opened, next);
	tellOthers(opened, next, standingOf(next, { seen, said }), { tell: opened.store.tell });
}

/**
 * Puts a text of this machine in the place of a note that another one wrote, or with `null` deletes it; `shown`: as it stands in `shared.md`.
 * What is changed elsewhere meanwhile is a conflict. Throws where no such note stands.
 */
export async function changeForeign(opened: Opened, key: string, shown: Note, text: string | null): Promise<void> {
	const shared = opened.space.projects.find((one) => one.key === key);
	if (!shared) throw new Error("this project is not shared from here; run ccg sync init in its folder");
	const all = await readKnown(opened);
	const standing = standingOf(all.own, all);
	const wanted = noteKey(textOf(shown));
	const note = foreignNotes(all.own, shared, standing).find((one) => noteKey(foreignLine(one)) === wanted);
	if (!note) throw new Error("it is no note that stands there now; see ccg memory list");
	const { item } = note.value;
	const [conflict] = conflictsIn(opened, all).filter(({ values }) => values[0]!.value.item === item);
	if (conflict)
		throw new Error(
			`several changed it at the same time; decide with: ccg sync conflicts ${conflict.id} --keep NUMBER`,
		);
	const theirs = standing.flatMap(({ value }) => (value.item === item && value.kind === "note" ? value : []));
	await say(opened, all, shared, { mine: null, theirs, text });
}
