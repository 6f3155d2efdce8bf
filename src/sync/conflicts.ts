import { redactSecrets } from "../core/redact/secrets.ts";
import { coded } from "../files/system-failure.ts";
import { editNote, noteOf, saveMemory } from "../memory/change.ts";
import { type Note, noteKey, plainText, textOf } from "../memory/notes.ts";
import { notesOf } from "../memory/notes-file.ts";
import { clockMs } from "./clock.ts";
import { write } from "./log.ts";
import { foreignLine, foreignNotes, writerOf } from "./shared.ts";
import { FOR_ALL, type Opened, sharedHere } from "./space.ts";
import { keepOwn, type Log, ownIn, roleOf, type Value, valuesAt, valuesOf } from "./state.ts";
import { inStep } from "./tables.ts";

/** An item that several changed at the same time. All that they wrote is kept until somebody decides. */
interface Conflict {
	/** Names it in a command. */
	id: string;
	project: string;
	values: { id: string; by: string; isMine: boolean; at: string; text: string | null }[];
}

const FIELDS = ["text", "state"];

/** What is in conflict. */
export function conflicts(opened: Opened): Conflict[] {
	const places = new Map(sharedHere(opened).map(({ id, folder }) => [id, folder || FOR_ALL]));
	return inConflict(opened).map((values) => ({
		id: shortOf(values[0]!.item),
		project: places.get(values[0]!.project ?? "") ?? String(values[0]!.project),
		values: values.map(({ id, machine, clock, value }) => ({
			...{ id, by: writerOf(opened, machine), isMine: machine === opened.machine },
			at: new Date(clockMs(clock)).toISOString(),
			text: value === null ? null : typeof value === "string" ? value : JSON.stringify(value),
		})),
	}));
}

/** The values of each such item, the newest first. */
function inConflict(log: Log): Value[][] {
	const all = [...valuesOf(log, "note:"), ...valuesOf(log, "task:")].filter(({ field }) => FIELDS.includes(field));
	const found = [...Map.groupBy(all, ({ item }) => item).values()];
	return found.filter(differ).map((values) => values.toReversed());
}

/** What several said alike, or deleted, is no conflict. */
const differ = (values: readonly Value[]): boolean =>
	new Set(values.map(({ value }) => JSON.stringify(value))).size > 1;

const shortOf = (item: string): string => item.slice(item.indexOf(":") + 1).slice(0, 12);

/** The values of the one item in conflict that is named. */
function valuesNamed(opened: Opened, named: string): Value[] {
	const known = inConflict(opened).filter(([first]) => shortOf(first!.item).startsWith(named) && named !== "");
	if (known.length !== 1)
		throw new Error(
			`${known.length === 0 ? "no conflict" : "several conflicts"} '${named}'; 'ccg sync conflicts' shows them`,
		);
	return known[0]!;
}

/**
 * Decides a conflict: `mine`, `theirs`, `both` (one note with all texts), or the number of a value as it is listed. What is not kept is
 * taken away everywhere; the next exchange takes it out of this machine's notes too.
 */
export function resolve(opened: Opened, named: string, keep: string): void {
	if (!/^(?:mine|theirs|both|[1-9]\d?)$/.test(keep))
		throw new Error(`keep mine, theirs, both, or a number, not '${keep}'`);
	const values = valuesNamed(opened, named);
	const [first] = values as [Value, ...Value[]];
	const isMine = ({ machine }: Value): boolean => machine === opened.machine;
	const chosen = /^[1-9]\d?$/.test(keep)
		? values.slice(Number(keep) - 1, Number(keep))
		: values.filter((one) => isMine(one) === (keep === "mine"));
	if (keep === "both") return joinTexts(opened, values);
	if (chosen.length === 0)
		throw new Error(`there is no value '${keep}' among them; 'ccg sync conflicts' shows their numbers`);
	const replaces = idsOf(values.filter((one) => !chosen.includes(one)));
	refuseReader(opened);
	// several of theirs: they stay in conflict, with mine taken back
	if (replaces.length > 0) write(opened, first.project, [{ item: first.item, field: first.field, replaces }]);
}

/** One note with all the texts, written here. */
function joinTexts(opened: Opened, values: readonly Value[]): void {
	const texts = [...new Set(values.flatMap(({ value }) => (typeof value === "string" ? [value] : [])))];
	if (!values[0]!.item.startsWith("note:")) throw new Error("a task can't be two; keep mine, theirs, or a number");
	const mine = values.find(({ machine }) => machine === opened.machine);
	const between = texts.some((text) => text.includes("\n")) ? "\n" : " / ";
	put(opened, values, mine ?? null, texts.toReversed().join(between));
}

/**
 * Writes a text into this machine's MEMORY.md as the one that stands for an item, in the place of all its values. Throws where this machine
 * may not, and where the file says it already.
 */
export function put(opened: Opened, values: readonly Value[], mine: Value | null, given: string): void {
	const { item, project } = values[0]!;
	const shared = sharedHere(opened).find(({ id }) => id === project);
	if (!shared) throw new Error("that project is not shared from here; run ccg sync init in its folder");
	refuseReader(opened);
	const place = { ...opened.store, scope: shared.key === "" ? { global: true as const } : { cwd: shared.folder } };
	const own = ownIn(opened).get(item);
	const note = own && notesOf(place).notes.find((one) => redactSecrets(plainText(one)) === own.text);
	const text = redactSecrets(noteOf(given));
	inStep(opened.rows, () => {
		// first, since it may be refused; cut short behind the file, the text there is a new note, and nothing is lost
		const [id = ""] = write(opened, project, [{ item, field: "text", value: text, replaces: idsOf(values) }]);
		if (mine && note) editNote(place, note, text);
		else {
			const { same } = saveMemory({ ...place, target: "memory", text, now: new Date(opened.now()) });
			if (same) throw new Error(`the file has it as ${same}`);
		}
		const saved = notesOf(place).notes.map((one) => redactSecrets(plainText(one)));
		const at = saved.indexOf(text);
		keepOwn(opened, [{ item, place: shared.key, at: at < 0 ? saved.length : at, text, base: id }]);
	});
}

const idsOf = (values: readonly Value[]): string[] => values.map(({ id }) => id);

/** Nobody applies what a reader writes. */
export function refuseReader(opened: Opened): void {
	if (roleOf(opened) === "reader")
		throw coded("EREADER", "this machine may only read what is shared; an owner may change that (ccg sync join)");
}

/**
 * Puts a text of this machine in the place of a note that another one wrote, or with `null` deletes it; `shown`: as it stands in `shared.md`.
 * What is changed elsewhere meanwhile is a conflict. Throws where no such note stands, or this machine may not.
 */
export function changeForeign(opened: Opened, key: string, shown: Note, text: string | null): void {
	const { id: project } = sharedHere(opened).find((one) => one.key === key) ?? {};
	if (!project) throw new Error("this project is not shared from here; run ccg sync init in its folder");
	const wanted = noteKey(textOf(shown));
	const note = foreignNotes(opened, project).find((one) => noteKey(foreignLine(one)) === wanted);
	if (!note)
		throw new Error("it is no note that stands there now (a task is changed by its own machine); see ccg memory list");
	const values = valuesAt(opened, note.item, "text", project);
	if (differ(values))
		throw new Error(
			`several changed it at the same time; decide with: ccg sync conflicts ${shortOf(note.item)} --keep WHICH`,
		);
	if (text !== null) return put(opened, values, null, text);
	refuseReader(opened);
	write(opened, project, [{ item: note.item, field: "text", value: null, replaces: idsOf(values) }]);
}
