import { memoryInventory } from "../../claude/machine/memory-inventory.ts";
import { barred } from "../../core/text/quoted.ts";
import { counted, oneLine } from "../../core/text/text.ts";
import { checkNotes } from "../../memory/check.ts";
import { cleanText, textOf } from "../../memory/notes.ts";
import { type MemoryScope, notesOf } from "../../memory/notes-file.ts";
import { readText } from "../../store/json-file.ts";
import { claudeRoot } from "../../store/paths.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/place.ts";
import { type Answer, argument, type Given, GLOBAL, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { fitted, printTable } from "../support/text.ts";

// The commands that only read notes.

/** `ccg memory list`: the notes with their numbers, one file, or all memories there are. */
export const list: Spec = {
	about: "the notes of this project and the global ones with their numbers; or one file",
	args: [argument("[name]", "print this: a note's number, or a file as --all names it")],
	options: [
		option("--all", "the keys of all memories by who keeps them: Claude Code, Serena, ccg, CLAUDE.md"),
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

/** `ccg memory check`: the process ends 1 when something is found. */
export const check: Spec = {
	about: "name the notes whose paths are gone",
	options: [JSON_OUT],
	help: `
Example:
  ccg memory check --json

Looks at this project's MEMORY.md and the global one. A path counts when it has a slash in it and begins with a folder of the project,
or, in a note of the project, has an ending; it is looked for in the project's folder and nowhere else.
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

/** A text in one line, safe to print. */
const flat = (text: string): string => oneLine(cleanText(text));

/** The notes of one MEMORY.md. */
function numberedNotes(scope: "project" | "global", io: Io) {
	const place: MemoryScope = scope === "global" ? { global: true } : { cwd: projectFolderOf(io) };
	const { path, notes } = notesOf({ ...storeOf(io), scope: place });
	return notes.map((note, i) => ({ scope, path, number: i + 1, text: textOf(note) }));
}

function listNotes(global: boolean, io: Io): Answer {
	const all = [...(global ? [] : numberedNotes("project", io)), ...numberedNotes("global", io)];
	const none = "There is no note yet: `ccg memory save TEXT` saves one; `ccg memory list --all` shows other memories.";
	const lines = all.flatMap((one, i) => [
		...(one.path === all[i - 1]?.path ? [] : [one.path]),
		fitted(`  ${String(one.number).padStart(3)}  ${flat(one.text)}`, io.columns ?? Infinity),
	]);
	return { json: all, text: all.length === 0 ? none : () => io.out(lines.join("\n")) };
}

/** One note whole. */
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
	const text = (): void =>
		printTable(
			keys,
			[
				{ title: "kept by", cell: ({ category }) => category },
				{ title: "key", cell: ({ key }) => flat(key) },
				{ title: "bytes", align: "right", cell: ({ bytes }) => bytes },
				{ title: "changed", cell: ({ modifiedAt }) => modifiedAt.slice(0, 10) },
				{ title: "path", cell: ({ path }) => path },
			],
			io,
		);
	return { json: { categories }, text };
}
