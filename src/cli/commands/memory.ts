import { statSync } from "node:fs";
import { resolve } from "node:path";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { counted, oneLine } from "../../core/text/text.ts";
import { deleteNote, editNote, moveNote, type SaveRequest, saveMemory } from "../../memory/change.ts";
import { cleanText, type Note, notesNamed, textOf } from "../../memory/notes.ts";
import { type MemoryScope, memoryPath, notesOf, type ScopedStore } from "../../memory/notes-file.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/place.ts";
import { isConfirmed } from "../support/answer.ts";
import { type Answer, argument, type Given, GLOBAL, JSON_OUT, option, type Spec, YES } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { refuseCrossing } from "../support/place.ts";

// The commands that change notes.

const NOTE = "its number, its text, or a part of its text that no other note has";

/** `ccg memory save`. A permission rule allows all that begins so: it names no other place. */
export const save: Spec = {
	about: "save one note for this project; secrets are redacted, a note that is there already is not saved again",
	args: [argument("<text...>", "the note; - reads it from stdin")],
	options: [option("--target <file>", "MEMORY.md or today's log").choices(["memory", "log"]).default("memory"), GLOBAL],
	help: `
Examples:
  ccg memory save "tests run with: npm test -- --project unit"
  ccg memory save --target log moved the parser to src/core
  ccg memory save --global "answers in English, please"
  git log -1 --format=%B | ccg memory save --target log -

The note goes into the store (CCG_HOME, else ~/.claude-memory) of the project of this folder, in a session of Claude Code
of the project that the session began in; one for all projects is saved there with: ccg --anyway memory save --global.
Exit code 0 when saved or there already, 1 when not, 2 for wrong use.`,
	act(io, { target, global }: Given & Pick<SaveRequest, "target">, words: string[]) {
		const text = textGiven(words, io);
		if (!text) throw new WrongUse("the note is empty; give its text, or - to read it from stdin");
		const { path, same } = saveMemory({ ...placeOfNotes(global, io), target, text, now: io.now() });
		const isHidden = redactSecrets(text) !== text;
		const saved = `saved in ${path}${isHidden ? "; what looked like a secret was left out" : ""}`;
		io.out(same ? `duplicate: the note is in ${path} already, as ${same}` : saved);
	},
};

/** `ccg memory edit`: puts a text in the place of one note of MEMORY.md, or moves the note to another. */
export const edit: Spec = {
	about: "put a new text in the place of one note, or move the note with --to",
	args: [argument("<note>", NOTE), argument("[text...]", "the new text; - reads it from stdin")],
	options: [
		option("--to <place>", "move it: to global, project (this one's), or the folder of another project"),
		GLOBAL,
		JSON_OUT,
	],
	help: `
Examples:
  ccg memory edit 3 "tests run with: npm test -- --project unit"
  ccg memory edit "tests run" tests run with bun test
  ccg memory edit --global 1 -
  ccg memory edit 3 --to global
  ccg memory edit "tests run" --to ~/src/other

The rest of the file keeps its bytes, and what the note was is printed. A note that moves is added there before it is deleted here: a process that is killed in between leaves it in both, and the same command
ends it.
Exit codes: 0 done, 1 failed, or another note says it; 2 wrong use.`,
	act(io, options: Given & { to?: string }, named: string, words: string[]) {
		const { to } = options;
		const text = textGiven(words, io);
		if ((to === undefined) === !text)
			throw new WrongUse("give the note's new text, or --to to move it; to take it away: ccg memory delete");
		const place = placeOfNotes(options.global, io);
		const found = theNote(named.trim(), place);
		return to === undefined ? edited(place, found, text, io) : moved(place, found, to, io);
	},
};

/** `ccg memory delete`: takes one note out of MEMORY.md. */
export const remove: Spec = {
	about: "delete one note of MEMORY.md",
	args: [argument("<note...>", NOTE)],
	options: [GLOBAL, YES, JSON_OUT],
	help: `
Examples:
  ccg memory delete 3
  ccg memory delete "tests run with"
  ccg memory delete --global 1 --yes

The note is printed when it is gone, so that it can be saved again. Daily logs are files to edit.
Exit codes: 0 deleted or declined; 1 failed, or no single note is meant; 2 nobody to ask and no --yes.`,
	async act(io, { global, yes }: Given, words: string[]) {
		const place = placeOfNotes(global, io);
		const { note, path } = theNote(words.join(" ").trim(), place);
		const text = textOf(note);
		if (!(await isConfirmed(`${cleanText(text)}\nDelete this note from ${path}?`, yes, io))) return;
		const left = deleteNote(place, note);
		const told = `deleted from ${path}, which has ${counted(left, "note")} now:\n${cleanText(text)}`;
		return { json: { deleted: text, path, notes_left: left }, text: () => io.out(told) };
	},
};

/** The text of a note as it was typed, or from stdin where it is `-`; `""` where there is none. */
function textGiven(words: readonly string[], io: Io): string {
	const text = words.length === 1 && words[0] === "-" ? io.stdin() : words.join(" ");
	return text.trim() ? text : "";
}

/** The notes that a command changes: this project's, or with `--global` those of all, which a held command leaves alone. */
function placeOfNotes(global: boolean | undefined, io: Io): ScopedStore {
	if (global) refuseCrossing("--global", io);
	return { ...storeOf(io), scope: global ? { global: true } : { cwd: projectFolderOf(io) } };
}

interface NamedNote {
	note: Note;
	number: number;
	path: string;
}

/** The one note of a MEMORY.md that a number, its text or a part of it names. Throws when it is none or several. */
function theNote(named: string, place: ScopedStore): NamedNote {
	const { path, notes } = notesOf(place);
	const [note, ...more] = notesNamed(notes, named);
	if (!note) throw new Error(`no note '${named}' in ${path}; 'ccg memory list' shows the notes with their numbers`);
	const numberOf = (one: Note): number => notes.indexOf(one) + 1;
	if (more.length === 0) return { note, number: numberOf(note), path };
	const lines = [note, ...more].map((one) => `\n  ${numberOf(one)}  ${oneLine(cleanText(textOf(one)))}`);
	throw new Error(`'${named}' stands in ${lines.length} notes of ${path}; name one by its number:${lines.join("")}`);
}

function edited(place: ScopedStore, { note, number, path }: NamedNote, text: string, io: Io): Answer {
	const before = textOf(note);
	const json = { path, number, before, text: editNote(place, note, text) };
	return { json, text: () => io.out(`edited in ${path}; before:\n${cleanText(before)}`) };
}

function moved(place: ScopedStore, { note, path: from }: NamedNote, to: string, io: Io): Answer {
	const scope = scopeOf(to, io);
	const notesLeft = moveNote(place, note, scope, io.now());
	const there = memoryPath({ ...place, scope });
	const told = `moved to ${there}; it is gone from ${from}, which has ${counted(notesLeft, "note")} now`;
	return { json: { moved: textOf(note), from, to: there, notesLeft }, text: () => io.out(told) };
}

/** `global`, `project` (of this folder), or a folder of another project. */
function scopeOf(to: string, io: Io): MemoryScope {
	if (to === "project") return { cwd: projectFolderOf(io) };
	refuseCrossing(`--to ${to}`, io);
	if (to === "global") return { global: true };
	const folder = resolve(io.cwd, to);
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
		throw new Error(`'${to}' is no folder; --to takes global, project, or the folder of a project`);
	return { cwd: folder };
}
