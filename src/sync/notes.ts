import { exact, redactSecrets } from "../core/redact/secrets.ts";
import { whyOf } from "../files/system-failure.ts";
import { deleteNote } from "../memory/change.ts";
import { type Note, noteKey, plainText } from "../memory/notes.ts";
import { memoryPath, notesFile, notesOf, type ScopedStore } from "../memory/notes-file.ts";
import type { Operation } from "./batch.ts";
import { compared } from "./compare.ts";
import { newId } from "./keys.ts";
import { write } from "./log.ts";
import { keepOwn, type Log, lostFrom, type Own, ownIn, valuesOf } from "./state.ts";
import { inStep } from "./tables.ts";

/** A MEMORY.md that is shared: where it lies, and as which project. */
export interface SharedNotes {
	/** `Project.key`; `""`: the notes for all projects. */
	place: string;
	id: string;
	store: ScopedStore;
}

interface Plan {
	/** What is to be said, with the own note it makes, where it makes one. */
	ops: { op: Operation; own?: Own }[];
	/** The own notes in the order of the file. */
	kept: Own[];
	/** Somebody else replaced them: they go from the file. */
	replaced: { note: Note; item: string }[];
}

/** What became of a MEMORY.md since it was last looked at. Nothing is written. */
export function planNotes(log: Log, { place, id, store }: SharedNotes): Plan {
	const known = ownIn(log);
	const before = [...known.values()].filter((own) => own.place === place);
	// a file that is lost as a whole is no deletion of its notes: they are told as what others wrote, and are its own again where it is back
	const lost = [...ownIn(log, true).values()].filter((own) => own.place === lostFrom(place));
	if (notesFile(memoryPath(store)) === null)
		return { ops: [], kept: [...before, ...lost].map((own) => ({ ...own, place: lostFrom(place) })), replaced: [] };
	const back = new Map(lost.map((own) => [own.text, own]));
	const { notes } = notesOf(store);
	const texts = notes.map((note) => redactSecrets(plainText(note)));
	const values = valuesOf(log, "note:", id).filter(({ field }) => field === "text");
	const live = new Map(values.map((value) => [value.id, value]));
	const standing = new Set(values.map(({ item }) => item));
	/** What a value says, and each other one that says the same of that item. */
	const alike = (base: string): string[] => {
		const said = live.get(base);
		return values.flatMap(({ id, item, value }) => (item === said?.item && value === said.value ? id : []));
	};
	const others = new Map(
		values.filter(({ item }) => !known.has(item)).map((value) => [noteKey(`- ${value.value}`), value]),
	);
	const plan: Plan = { ops: [], kept: [], replaced: [] };
	const places = compared(
		before.map(({ text }) => text),
		texts,
	);
	for (const [i, { before: at, isChanged }] of places.entries()) {
		const text: string = texts[i]!;
		const own = at === null ? back.get(text) : before[at]!;
		if (at === null) back.delete(text);
		const isGone = own && !isChanged && !live.has(own.base);
		if (isGone && standing.has(own.item)) {
			plan.replaced.push({ note: notes[i]!, item: own.item });
			// until it is gone from the file, so that it is not taken for a new one
			plan.kept.push({ ...own, place, at: i });
			continue;
		}
		const same = own ? undefined : others.get(noteKey(`- ${text}`));
		const [item, base] = [own?.item ?? same?.item ?? `note:${newId()}`, own?.base ?? same?.id ?? ""];
		const now = { item, place, at: i, text, base };
		plan.kept.push(now);
		if (at === null) others.delete(noteKey(`- ${text}`));
		// (or nothing stands of it: it did not count, or nobody can read it)
		if (!same && (!own || isChanged || isGone))
			plan.ops.push({ op: { item, field: "text", value: text, replaces: alike(base) }, own: now });
	}
	const named = new Set(places.map(({ before: at }) => at));
	for (const [i, { item, base }] of before.entries())
		if (!named.has(i) && live.has(base))
			plan.ops.push({ op: { item, field: "text", value: null, replaces: alike(base) } });
	return plan;
}

/**
 * Says what became of a MEMORY.md, and takes out of it what others replaced: it holds what was written here. Gives how many operations
 * that were. A kill in between leaves it to the next time.
 */
export function offerNotes(log: Log, shared: SharedNotes, tell: (problem: string) => void): number {
	const { ops, kept, replaced } = planNotes(log, shared);
	inStep(log.rows, () => {
		const ids = write(
			log,
			shared.id,
			ops.map(({ op }) => op),
		);
		for (const [n, { own }] of ops.entries()) if (own) own.base = ids[n]!;
		log.rows.query("DELETE FROM own WHERE place IN (?, ?)").run(exact(shared.place), exact(lostFrom(shared.place)));
		keepOwn(log, kept);
	});
	for (const { note, item } of replaced.toReversed())
		try {
			deleteNote(shared.store, note);
			log.rows.query("DELETE FROM own WHERE item = ?").run(exact(item));
		} catch (error) {
			tell(whyOf(error));
		}
	return ops.length;
}
