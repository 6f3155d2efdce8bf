import { redactSecrets } from "../../core/redact/secrets.ts";
import { countWithNoun } from "../../core/text/text.ts";
import { errorCode } from "../../files/system-failure.ts";
import { deleteNote, editNote, saveMemory } from "../../memory/change.ts";
import { cleanText, findNotes, type Note } from "../../memory/notes.ts";
import { memoryPath, readMemoryNotes, readSharedNotes, type ScopedStore } from "../../memory/notes-file.ts";
import { adoptProject, findProject, isProjectGone, knownProjects, registerProject } from "../../store/project.ts";
import { moveProjectRows } from "../../store/session/cycles.ts";
import { findProjectFolder, requireStore } from "../../store/session/place.ts";
import { confirmChange } from "../support/answer.ts";
import { argument, type Flags, GLOBAL, JSON_OUT, option, type Spec, YES } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { refuseIfBound } from "../support/place.ts";
import { allNotes, list, printableLine, projectLine, scopedStore } from "./memory-list.ts";

const NOTE = "its number and first words as the list shows them, or a part of its text that no other note has";

const TARGET = option("--target <file>", "MEMORY.md or today's log").choices(["memory", "log"]).default("memory");

/** `ccg memory save`. A permission rule allows all that begins so: it names no other place. */
const save: Spec = {
	about: "save a note for this project, without secrets; a note that exists already is not saved again",
	args: [argument("<text...>", "the note; - reads it from stdin")],
	options: [TARGET, GLOBAL],
	help: `
Examples:
  ccg memory save "tests run with: npm test -- --project unit"
  ccg memory save --target log moved the parser to src/core
  ccg memory save --global "answers in English, please"
  git log -1 --format=%B | ccg memory save --target log -

The note is for this folder's project; in a session of Claude Code, for the project that the session began in. There a note for all \
projects needs: ccg --anyway memory save --global. It ends 0 also where the note is there already.`,
	run(io, options: Flags & { target: "memory" | "log" }, words: string[]) {
		const text = noteToWrite(words, io);
		const { path, same } = saveMemory({ ...notesToChange(options, io), target: options.target, text, now: io.now() });
		const isHidden = redactSecrets(text) !== text;
		const saved = `saved in ${path}${isHidden ? "; what looked like a secret was left out" : ""}`;
		io.out(same ? `duplicate: the note is in ${path} already, as ${same}` : saved);
	},
};

const edit: Spec = {
	about: "put a new text in the place of one note",
	args: [argument("<note>", NOTE), argument("<text...>", "the new text; - reads it from stdin")],
	options: [GLOBAL, JSON_OUT],
	help: `
Examples:
  ccg memory edit "3 tests run" "tests run with: npm test -- --project unit"
  ccg memory edit --global "answers in" -

A number alone is refused: the list may have changed since it was shown. The rest of the file keeps its bytes, and the old note is \
printed. A note of another machine is changed here, and there with the next exchange; what was changed there meanwhile is kept beside it.`,
	async run(io, options: Flags, nameOfNote: string, words: string[]) {
		const text = noteToWrite(words, io);
		const notes = notesToChange(options, io);
		const { note, number, path, before, isForeign } = findNote(nameOfNote, notes);
		if (isForeign) await changeRemoteNote(notes, note, text, io);
		const json = { path, number, before, text: isForeign ? text : editNote(notes, note, text) };
		const replacement = `written in ${memoryPath(notes)}, in the place of the other machine's`;
		const done = isForeign ? replacement : `edited in ${path}`;
		return { json, text: () => io.out(`${done}; before:\n${cleanText(before)}`) };
	},
};

const remove: Spec = {
	about: "delete one note in MEMORY.md, or one from another machine",
	args: [argument("<note...>", NOTE)],
	options: [GLOBAL, YES, JSON_OUT],
	help: `
Examples:
  ccg memory delete "3 tests run"
  ccg memory delete --global "answers in" --yes

The note is printed when it is gone, so that it can be saved again. Daily logs are files to edit.`,
	async run(io, options: Flags, words: string[]) {
		const notes = notesToChange(options, io);
		const { note, path, before, isForeign } = findNote(words.join(" "), notes);
		const from = isForeign ? "all machines" : path;
		if (!(await confirmChange(`${cleanText(before)}\nDelete this note from ${from}?`, options.yes, io))) return;
		const notesLeft = isForeign ? await changeRemoteNote(notes, note, null, io) : deleteNote(notes, note);
		const done = `deleted from ${path}, which has ${countWithNoun(notesLeft, "note")} now:\n${cleanText(before)}`;
		return { json: { deleted: before, path, notes_left: notesLeft }, text: () => io.out(done) };
	},
};

const adopt: Spec = {
	about: "take over the memory of a project whose folder is gone; without a key, list such projects",
	args: [argument("[key]", "the project's key")],
	options: [JSON_OUT],
	help: `
Example:
  ccg memory adopt app-1a2b3c4d

Notes, sessions and checkpoints of that project are this folder's from then on.`,
	run(io, _: Flags, key?: string) {
		refuseIfBound("memory adopt", io);
		const place = scopedStore(false, io);
		const gone = knownProjects(place.root).filter(isProjectGone);
		if (key === undefined)
			return { json: gone, text: gone.length > 0 ? gone.map(projectLine) : "No project is without its folder." };
		const { notes, path } = readMemoryNotes(place);
		if (!gone.some((one) => one.key === key))
			throw new Error(`'${key}' is no project without its folder; 'ccg memory adopt' lists them`);
		if (notes.length > 0) throw new Error(`this folder has notes of its own in ${path}; move them away first`);
		const { root, key: before } = findProject(findProjectFolder(io));
		adoptProject(place.root, root, key);
		moveProjectRows(requireStore(io), before, key);
		return { json: { adopted: key }, text: `this folder goes on with ${key}` };
	},
};

/** Gives the text of a note as it was typed, or from stdin where it is `-`. Throws where it is empty. */
function noteToWrite(words: readonly string[], io: Io): string {
	const text = words.length === 1 && words[0] === "-" ? io.stdin() : words.join(" ");
	if (text.trim()) return text;
	throw new WrongUse("the note is empty; give its text, or - to read it from stdin");
}

/** Gives the store of the notes to change: this project's or the global ones, which a command bound to its project may not change. */
function notesToChange({ global = false }: Flags, io: Io): ScopedStore {
	if (global) refuseIfBound("--global", io);
	// (the project's folder may have been moved, and no session ran in it since)
	else registerProject(requireStore(io).root, findProjectFolder(io));
	return scopedStore(global, io);
}

/** Finds the one note that `name` fits: its number with its first words, or a part of its text. Throws for none, several, a number alone. */
function findNote(name: string, store: ScopedStore) {
	if (Number.isInteger(Number(name)))
		throw new WrongUse(
			`a number alone may name another note by now; add its first words, as in "${name.trim()} tests run", or give those alone`,
		);
	const numbered = allNotes(store);
	const notes = numbered.map(({ note }) => note);
	const fitting = findNotes(notes, name.trim());
	const [found, ...others] = numbered.filter(({ note }) => fitting.includes(note));
	const path = memoryPath(store);
	if (!found) throw new Error(`no note '${name}' in ${path}; 'ccg memory list' shows the notes with their numbers`);
	if (others.length === 0) return found;
	const lines = [found, ...others].map(({ number, before }) => `\n  ${number}  ${printableLine(before)}`);
	throw new Error(
		`'${name}' stands in ${lines.length} notes of ${path}; name one by its number and first words:${lines.join("")}`,
	);
}

/** Replaces the text of another machine's note, or with `null` deletes the note. Gives how many notes of other machines are left. */
async function changeRemoteNote(notes: ScopedStore, note: Note, text: string | null, io: Io): Promise<number> {
	const { changeForeignNote } = await import("../support/sync.ts");
	await changeForeignNote(io, notes, note, text).catch((error) => {
		if (errorCode(error) !== "EUNSHARED") throw error;
		throw new Error(`nothing is shared from here any more: change it in ${readSharedNotes(notes).path} itself`);
	});
	return readSharedNotes(notes).notes.length;
}

export const commands = { save, list, edit, delete: remove, adopt };
