import { redactSecrets } from "../core/redact/secrets.ts";
import { deleteNote, editNote, noteOf, saveMemory } from "../memory/change.ts";
import { type Note, noteKey, plainText, textOf } from "../memory/notes.ts";
import { notesOf } from "../memory/notes-file.ts";
import { type Document, newValue, type Value } from "./document.ts";
import { inConflict, planOwn, standingOf, tellOthers } from "./exchange.ts";
import { lastSync } from "./last.ts";
import { isSameProject } from "./marks.ts";
import { foreignLine, foreignNotes, nameOf, placeOf } from "./notes.ts";
import { type Others, readKept, saidBy } from "./read.ts";
import { keepOwn, membersIn, type Opened, ownDocument, recipientsOf, type SharedHere } from "./space.ts";

/** A note that several say otherwise, or that another one replaced and that waits here for a yes. All that they say is kept until somebody decides. */
interface Conflict {
	/** Names it in a command. */
	id: string;
	project: string;
	shared: SharedHere | undefined;
	values: { value: Value; by: string | null }[];
}

type Read = Others & { own: Document };

const shortId = ({ item }: Value): string => item.slice("note:".length, 17);

/** What this machine and the others say, as the last exchange left it. No carrier is asked. */
export async function readAll(opened: Opened): Promise<Read> {
	const own = await ownDocument(opened, () => {});
	const { versions, members } = lastSync(opened);
	const found = { own, members: new Set(members.map(({ machine }) => machine)) };
	const work = { opened, listed: new Map(Object.entries(versions)), tell: () => {}, how: {} };
	return { ...(await readKept(work, found)), own };
}

/** What is in conflict, its values the newest first. */
export async function conflicts(opened: Opened): Promise<Conflict[]> {
	return conflictsIn(opened, await readAll(opened));
}

function conflictsIn(opened: Opened, all: Read): Conflict[] {
	const found = inConflict(all.own, all.seen, standingOf(all.own, all));
	const waits = planOwn(opened, all.own, all.seen).taken.map(({ value, by }) => [
		{ value, by: null },
		{ value: by, by: saidBy(all, by) },
	]);
	return [...found, ...waits].map((values) => {
		const [first] = values as [Conflict["values"][number]];
		const shared = opened.space.projects.find(({ marks }) => isSameProject(marks, first.value.project));
		const order = values.toSorted((a, b) => (a.value.at < b.value.at ? 1 : -1));
		return {
			id: shortId(first.value),
			project: shared ? nameOf(shared) : "another project",
			shared,
			values: order,
		};
	});
}

/**
 * Decides a conflict: `mine`, `theirs`, `both` (one note with all texts), or the number of a value as it is listed. What is not kept is
 * replaced; the next exchange tells the others.
 */
export async function resolve(opened: Opened, named: string, keep: string): Promise<void> {
	const all = await readAll(opened);
	const [one, ...more] = conflictsIn(opened, all).filter(({ id }) => named !== "" && id.startsWith(named));
	if (!one || more.length > 0)
		throw new Error(`${one ? "several conflicts" : "no conflict"} '${named}'; 'ccg sync conflicts' shows them`);
	if (!one.shared) throw new Error("that project is not shared from here; run ccg sync init in its folder");
	const [mine] = one.values.filter(({ by }) => by === null);
	const theirs = one.values.filter(({ by }) => by !== null);
	const chosen =
		{ mine: mine ? [mine] : [], theirs, both: one.values }[keep] ?? one.values.slice(Number(keep) - 1, Number(keep));
	if (chosen.length === 0) throw new Error(`keep mine, theirs, both, or the number of a text, not '${keep}'`);
	// a text of one's own takes the place of all; one of theirs is left to them
	const isMine = keep === "both" || chosen.some(({ by }) => by === null);
	const texts = [...new Set(chosen.flatMap(({ value }) => value.text ?? []))].reverse();
	const between = texts.some((text) => text.includes("\n")) ? "\n" : " / ";
	const gone = theirs.filter((value) => isMine || !chosen.includes(value)).map(({ value }) => value);
	await say(opened, all, one.shared, {
		mine: mine?.value ?? null,
		theirs: gone,
		text: isMine ? texts.join(between) : null,
	});
}

/** Says a text of this machine in the place of its own value and others', or with `null` none: in MEMORY.md too. */
async function say(
	opened: Opened,
	{ own, seen, said }: Read,
	shared: SharedHere,
	{ mine, theirs, text }: { mine: Value | null; theirs: readonly Value[]; text: string | null },
): Promise<void> {
	const place = placeOf(opened, shared);
	const note = mine && notesOf(place).notes.find((one) => redactSecrets(plainText(one)) === mine.text);
	const safe = text === null ? null : redactSecrets(noteOf(text));
	const at = opened.now().toISOString();
	const before = [...(mine ? [mine] : []), ...theirs];
	const { item = "" } = before[0] ?? {};
	const value = newValue(own, { item, kind: "note", project: shared.marks, text: safe, at }, before);
	// (cut short behind the file, the text there is a new note, and nothing is lost)
	if (safe === null && note) deleteNote(place, note);
	else if (safe !== null && note && safe !== mine.text) editNote(place, note, safe);
	else if (safe !== null && !note) {
		const { same } = saveMemory({ ...place, target: "memory", text: safe, now: opened.now() });
		if (same) throw new Error(`the file has it as ${same}`);
	}
	const index = mine ? own.values.indexOf(mine) : -1;
	const rest = own.values.filter((one) => one !== mine && !theirs.some(({ replaces }) => replaces.includes(one.id)));
	const isSaid = safe !== null || value.replaces.length > 0;
	const next = { ...own, values: isSaid ? rest.toSpliced(index < 0 ? rest.length : index, 0, value) : rest };
	await keepOwn(opened, next, recipientsOf(opened, membersIn(own)));
	tellOthers(opened, next, standingOf(next, { seen, said }), { tell: opened.store.tell });
}

/**
 * Puts a text of this machine in the place of a note that another one wrote, or with `null` deletes it; `shown`: as it stands in `shared.md`.
 * What is changed elsewhere meanwhile is a conflict. Throws where no such note stands.
 */
export async function changeForeign(opened: Opened, key: string, shown: Note, text: string | null): Promise<void> {
	const shared = opened.space.projects.find((one) => one.key === key);
	if (!shared) throw new Error("this project is not shared from here; run ccg sync init in its folder");
	const all = await readAll(opened);
	const standing = standingOf(all.own, all);
	const wanted = noteKey(textOf(shown));
	const note = foreignNotes(all.own, shared, standing).find((one) => noteKey(foreignLine(one)) === wanted);
	if (!note) throw new Error("it is no note that stands there now; see ccg memory list");
	const theirs = standing.flatMap(({ value }) =>
		value.item === note.value.item && value.kind === "note" ? value : [],
	);
	if (note.besides !== null || new Set(theirs.map((one) => one.text)).size > 1)
		throw new Error(
			`several changed it at the same time; decide with: ccg sync conflicts ${shortId(note.value)} --keep WHICH`,
		);
	await say(opened, all, shared, { mine: null, theirs, text });
}
