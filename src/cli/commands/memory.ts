import { statSync } from "node:fs";
import { resolve } from "node:path";
import { memoryInventory } from "../../claude/machine/memory-inventory.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { barred } from "../../core/text/quoted.ts";
import { counted, oneLine } from "../../core/text/text.ts";
import { errorCode } from "../../files/system-failure.ts";
import { deleteNote, editNote, moveNote, type SaveRequest, saveMemory } from "../../memory/change.ts";
import { checkNotes } from "../../memory/check.ts";
import { cleanText, type Note, notesNamed, noteText } from "../../memory/notes.ts";
import { type MemoryScope, memoryPath, notesOf, othersOf, type ScopedStore } from "../../memory/notes-file.ts";
import { sharedBy } from "../../memory/shared.ts";
import { readText } from "../../store/json-file.ts";
import { claudeRoot } from "../../store/paths.ts";
import { adoptProject, isGone, type KnownProject, keepProject, knownProjects, projectOf } from "../../store/project.ts";
import { projectFolderOf, storeOf } from "../../store/session/place.ts";
import { isConfirmed } from "../support/answer.ts";
import { type Answer, argument, type Given, GLOBAL, JSON_OUT, option, type Spec, YES } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { isHeld, refuseCrossing } from "../support/place.ts";
import { fitted, printTable } from "../support/text.ts";

const NOTE = "its number in the list, alone or with its first words, or a part of its text that no other note has";

const TARGET = option("--target <file>", "MEMORY.md or today's log", {
	choices: ["memory", "log"],
	otherwise: "memory",
});

/** `ccg memory save`. A permission rule allows all that begins so: it names no other place. */
export const save: Spec = {
	about: "save a note for this project, without secrets; a note that exists already is not saved again",
	args: [argument("<text...>", "the note; - reads it from stdin")],
	options: [TARGET, GLOBAL],
	help: `
Examples:
  ccg memory save "tests run with: npm test -- --project unit"
  ccg memory save --target log moved the parser to src/core
  ccg memory save --global "answers in English, please"
  git log -1 --format=%B | ccg memory save --target log -

The note belongs to this folder's project; in a session of Claude Code to the project in which the session began.
There --global needs: ccg --anyway memory save --global.
Exit codes: 0 saved or there already, 1 failed, 2 wrong use.`,
	act(io, options: Given & Pick<SaveRequest, "target">, words: string[]) {
		const text = textGiven(words, io);
		if (!text) throw new WrongUse("the note is empty; give its text, or - to read it from stdin");
		const { path, same } = saveMemory({ ...placeToChange(options, io), target: options.target, text, now: io.now() });
		const isHidden = redactSecrets(text) !== text;
		const saved = `saved in ${path}${isHidden ? "; what looked like a secret was left out" : ""}`;
		io.out(same ? `duplicate: the note is in ${path} already, as ${same}` : saved);
	},
};

export const list: Spec = {
	about: "list this project's notes, the global ones and those from other machines, with numbers; or print one file",
	args: [argument("[name]", "what to print: a note's number, or a file as --all names it")],
	options: [
		option("--all", "list all memories by who keeps them, and all projects with their folders"),
		GLOBAL,
		JSON_OUT,
	],
	help: `
Examples:
  ccg memory list                  the notes, with their numbers
  ccg memory list 3                the third note of this project
  ccg memory list memory           this project's MEMORY.md
  ccg memory list log/2026-01-31   its daily log of that day
  ccg memory list --global 1       the first of the global notes
  ccg memory list global/memory    the global MEMORY.md
  ccg memory list claude/memory    Claude Code's own file
  ccg memory list --all            every memory there is`,
	act(io, { all, global = false }: Given, name?: string) {
		if (all) return inventory(io);
		if (name === undefined) return listNotes(global, io);
		return /^\d+$/.test(name) ? showNote(name, global, io) : showFile(global ? `global/${name}` : name, io);
	},
};

export const edit: Spec = {
	about: "replace one note's text, or move the note with --to",
	args: [argument("<note>", NOTE), argument("[text...]", "the new text; - reads it from stdin")],
	options: [
		option("--to <place>", "move it: to global, project (this one's), or the folder of another project"),
		GLOBAL,
		JSON_OUT,
	],
	help: `
Examples:
  ccg memory edit 3 "tests run with: npm test -- --project unit"
  ccg memory edit "3 tests run" tests run with bun test
  ccg memory edit --global 1 -
  ccg memory edit 3 --to global
  ccg memory edit "tests run" --to ~/src/other

A number with the note's first words is safe even if the list has changed since.
The rest of the file stays as it is, and the old text is printed. A note of another machine is written here and goes there with the next
exchange; what was changed there meanwhile is a conflict (ccg sync conflicts), and both texts are kept. A note that moves is added there before it is deleted here. If the command is killed in between,
run it again.
Exit codes: 0 done, 1 failed, or another note says it; 2 wrong use.`,
	async act(io, options: Given & { to?: string }, named: string, words: string[]) {
		const { to } = options;
		const text = textGiven(words, io);
		if ((to === undefined) === !text)
			throw new WrongUse("give the note's new text, or --to to move it; to take it away: ccg memory delete");
		const place = placeToChange(options, io);
		const { note, number, path, text: before, isForeign } = theNote(named.trim(), place);
		if (to === undefined) {
			if (isForeign) await changeForeign(place, note, text, io);
			const json = { path, number, before, text: isForeign ? text : editNote(place, note, text) };
			const told = isForeign
				? `written in ${memoryPath(place)}, in the place of the other machine's`
				: `edited in ${path}`;
			return { json, text: () => io.out(`${told}; before:\n${cleanText(before)}`) };
		}
		if (isForeign)
			throw new Error("the note is another machine's: edit it first, which makes it this one's, or move it there");
		const scope = scopeOf(to, io);
		const notesLeft = moveNote(place, note, scope, io.now());
		const there = memoryPath({ ...place, scope });
		const told = `moved to ${there}; it is gone from ${path}, which has ${counted(notesLeft, "note")} now`;
		return { json: { moved: before, from: path, to: there, notesLeft }, text: () => io.out(told) };
	},
};

export const remove: Spec = {
	about: "delete one note in MEMORY.md, or one from another machine",
	args: [argument("<note...>", NOTE)],
	options: [GLOBAL, YES, JSON_OUT],
	help: `
Examples:
  ccg memory delete 3
  ccg memory delete "tests run with"
  ccg memory delete --global 1 --yes

The deleted note is printed, so that you can save it again. To change a daily log, edit its file.
Exit codes: 0 deleted or declined; 1 failed, or not exactly one note fits; 2 nobody to ask and no --yes.`,
	async act(io, options: Given, words: string[]) {
		const place = placeToChange(options, io);
		const { note, path, text, isForeign } = theNote(words.join(" ").trim(), place);
		const from = isForeign ? "all machines" : path;
		if (!(await isConfirmed(`${cleanText(text)}\nDelete this note from ${from}?`, options.yes, io))) return;
		const left = isForeign ? await changeForeign(place, note, null, io) : deleteNote(place, note);
		const told = `deleted from ${path}, which has ${counted(left, "note")} now:\n${cleanText(text)}`;
		return { json: { deleted: text, path, notes_left: left }, text: () => io.out(told) };
	},
};

/** `ccg memory check`: the process ends 1 when something is found. */
export const check: Spec = {
	about: "list notes that name missing files",
	options: [JSON_OUT],
	help: `
Example:
  ccg memory check --json

It reads this project's MEMORY.md and the global one, and looks only below the project's folder. A path needs a slash, and begins with
a folder there; in the project's own notes a slash and an ending do.
Exit codes: 0 nothing wrong, 1 something found or failed, 2 wrong use.`,
	act(io) {
		const found = checkNotes(storeOf(io).root, projectFolderOf(io));
		const ok = found.gone.length === 0;
		if (!ok) io.exit(1);
		const lines = found.gone.flatMap(({ scope, number, text, paths }) => [
			fitted(`${scope === "global" ? "global " : ""}note ${number}: ${flat(text)}`, io.columns ?? 200),
			...paths.map((path) => `  ${flat(path)} is not in the project`),
		]);
		const sum = ok ? "nothing wrong found" : counted(found.gone.length, "names what is gone", "name what is gone");
		const told = [...lines, `${counted(found.notes, "note")} checked: ${sum}`].join("\n");
		return { json: { ok, ...found }, text: () => io.out(told) };
	},
};

export const adopt: Spec = {
	about: "take over the memory of a project whose folder is gone; without a key, list such projects",
	args: [argument("[key]", "the project's key")],
	options: [JSON_OUT],
	help: `
Example:
  ccg memory adopt app-1a2b3c4d

From then on its notes, sessions and checkpoints belong to this folder. Exit codes: 0 done, 1 failed, 2 wrong use.`,
	act(io, _: Given, key?: string) {
		refuseCrossing("memory adopt", io);
		const place = placeOf(false, io);
		const gone = knownProjects(place.root).filter(isGone);
		if (key === undefined)
			return { json: gone, text: gone.length > 0 ? gone.map(projectLine) : "No project is without its folder." };
		const { notes, path } = notesOf(place);
		if (!gone.some((one) => one.key === key))
			throw new Error(`'${key}' is no project without its folder; 'ccg memory adopt' lists them`);
		if (notes.length > 0) throw new Error(`this folder has notes of its own in ${path}; move them away first`);
		const undo = adoptProject(place.root, projectOf(projectFolderOf(io)).root, key);
		return { json: { adopted: key }, text: `this folder goes on with ${key}; to take it back, delete ${undo}` };
	},
};

const projectLine = (one: KnownProject): string =>
	flat(`${one.key}  ${one.root}${isGone(one) ? " (not there now)" : ""}  ${one.remotes.join(" ")}`);

/** The text of a note as it was typed, or from stdin where it is `-`; `""` where there is none. */
function textGiven(words: readonly string[], io: Io): string {
	const text = words.length === 1 && words[0] === "-" ? io.stdin() : words.join(" ");
	return text.trim() ? text : "";
}

const placeOf = (isGlobal: boolean, io: Io): ScopedStore => ({
	...storeOf(io),
	scope: isGlobal ? { global: true } : { cwd: projectFolderOf(io) },
});

/** The notes that a command changes; those for all projects a held one leaves alone. */
function placeToChange({ global = false }: Given, io: Io): ScopedStore {
	if (global) refuseCrossing("--global", io);
	// (it may have been moved and met no session since)
	else keepProject(storeOf(io).root, projectFolderOf(io));
	return placeOf(global, io);
}

/** A text in one line, safe to print. */
const flat = (text: string): string => oneLine(cleanText(text));

/** Its own, then those of other machines: so they are numbered. */
function allNotes(place: ScopedStore) {
	const [own, others] = [notesOf(place), othersOf(place)];
	return { own, others, notes: [...own.notes, ...others.notes] };
}

/** The one note, of a MEMORY.md or of another machine, that a number, its text or a part of it names. Throws when it is none or several. */
function theNote(named: string, place: ScopedStore) {
	const { own, others, notes } = allNotes(place);
	const { path } = own;
	const [note, ...more] = notesNamed(notes, named);
	if (!note) throw new Error(`no note '${named}' in ${path}; 'ccg memory list' shows the notes with their numbers`);
	const numberOf = (one: Note): number => notes.indexOf(one) + 1;
	const isForeign = numberOf(note) > own.notes.length;
	if (more.length === 0)
		return { note, number: numberOf(note), path: isForeign ? others.path : path, text: noteText(note), isForeign };
	const lines = [note, ...more].map((one) => `\n  ${numberOf(one)}  ${flat(noteText(one))}`);
	throw new Error(`'${named}' stands in ${lines.length} notes of ${path}; name one by its number:${lines.join("")}`);
}

/** Puts a text in the place of a note of another machine, or with `null` deletes it. Gives how many of others are left. */
async function changeForeign(place: ScopedStore, note: Note, text: string | null, io: Io): Promise<number> {
	const { changeForeignNote } = await import("../support/sync.ts");
	await changeForeignNote(io, place, note, text).catch((error) => {
		if (errorCode(error) !== "EUNSHARED") throw error;
		throw new Error(`nothing is shared from here any more: change it in ${othersOf(place).path} itself`);
	});
	return othersOf(place).notes.length;
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

/** Of other machines with who wrote each, and on which day. */
function numberedNotes(scope: "project" | "global", io: Io) {
	const { own, others, notes } = allNotes(placeOf(scope === "global", io));
	return notes.map((note, i) => {
		const isForeign = i >= own.notes.length;
		const by = isForeign ? (sharedBy(note) ?? { by: null, at: null }) : {};
		return { scope, path: isForeign ? others.path : own.path, number: i + 1, text: noteText(note), ...by };
	});
}

function listNotes(global: boolean, io: Io): Answer {
	const scopes = global ? (["global"] as const) : (["project", "global"] as const);
	const foreignLast = (a: object, b: object): number => Number("by" in a) - Number("by" in b);
	const all = scopes.flatMap((scope) => numberedNotes(scope, io)).sort(foreignLast);
	const none = "There is no note yet: `ccg memory save TEXT` saves one; `ccg memory list --all` shows other memories.";
	const lines = all.flatMap((one, i) => [
		...(one.path === all[i - 1]?.path ? [] : [`${one.path}${"by" in one ? ", from other machines:" : ""}`]),
		fitted(`  ${String(one.number).padStart(3)}  ${flat(one.text)}`, io.columns ?? Infinity),
	]);
	return { json: all, text: all.length === 0 ? none : () => io.out(lines.join("\n")) };
}

function showNote(named: string, global: boolean, io: Io): Answer {
	const notes = numberedNotes(global ? "global" : "project", io);
	const one = notes[Number(named) - 1];
	if (!one) throw new Error(`no note ${named}: there are ${notes.length}; 'ccg memory list' shows them`);
	return { json: one, text: () => io.out(barred(cleanText(one.text))) };
}

const memoriesOf = (io: Io) => memoryInventory(storeOf(io).root, claudeRoot(io.env), projectFolderOf(io));

/** Only what is listed can be shown, so a name never leads out of the memory folders. */
function showFile(given: string, io: Io): Answer {
	const plain = (name: string): string => name.toLowerCase().replace(/\.md$/, "");
	const isNamed = (name: string): boolean => plain(name) === plain(given);
	const memories = memoriesOf(io);
	// ccg's own first
	const file =
		memories.find(({ category, key }) => category === "ccg" && isNamed(key)) ??
		memories.find(({ category, key }) => isNamed(key) || isNamed(`${category}/${key}`));
	if (!file)
		throw new Error(
			`no memory file '${given}' for ${projectFolderOf(io)}; 'ccg memory list --all' shows what there is`,
		);
	const text = readText(file.path);
	if (text === null) throw new Error(`${file.path} could not be read; check its permissions and size`);
	return { json: { ...file, text }, text: () => io.out(cleanText(text).replace(/\n$/, "")) };
}

/** The keys of all memories, by who keeps them: Claude Code (`claude`), Serena, ccg, the CLAUDE.md files. */
function inventory(io: Io): Answer {
	const keys = memoriesOf(io);
	const categories = ["claude", "serena", "ccg", "claude_md"].map((category) => ({
		category,
		keys: keys.filter((key) => key.category === category).map(({ category: _, ...key }) => key),
	}));
	const projects = isHeld(io) ? [] : knownProjects(storeOf(io).root);
	const text = (): void => {
		printTable(io, keys, [
			{ title: "kept by", cell: ({ category }) => category },
			{ title: "key", cell: ({ key }) => flat(key) },
			{ title: "bytes", align: "right", cell: ({ bytes }) => bytes },
			{ title: "changed", cell: ({ modifiedAt }) => modifiedAt.slice(0, 10) },
			{ title: "path", cell: ({ path }) => path },
		]);
		for (const one of projects) io.out(projectLine(one));
	};
	return { json: { categories, projects }, text };
}
