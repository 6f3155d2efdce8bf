import { memoryInventory } from "../../claude/machine/memory-inventory.ts";
import { barred } from "../../core/text/quoted.ts";
import { oneLine } from "../../core/text/text.ts";
import { cleanText, noteText } from "../../memory/notes.ts";
import { notesOf, othersOf, type ScopedStore } from "../../memory/notes-file.ts";
import { sharedBy } from "../../memory/shared.ts";
import { readText } from "../../store/json-file.ts";
import { claudeRoot } from "../../store/paths.ts";
import { isGone, type KnownProject, knownProjects } from "../../store/project.ts";
import { projectFolderOf, storeOf } from "../../store/session/place.ts";
import { type Answer, argument, type Given, GLOBAL, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { isHeld } from "../support/place.ts";
import { fitted, printTable } from "../support/text.ts";

export const list: Spec = {
	about: "the notes of this project, the global ones and those of other machines, with their numbers; or one file",
	args: [argument("[name]", "print this: a note's number, or a file as --all names it")],
	options: [
		option("--all", "the keys of all memories by who keeps them, and all projects with their folders"),
		GLOBAL,
		JSON_OUT,
	],
	help: `
Examples:
  ccg memory list
  ccg memory list 3  # the third note
  ccg memory list memory  # this project's MEMORY.md
  ccg memory list log/2026-01-31  # its log of that day
  ccg memory list claude/memory  # Claude Code's own file
  ccg memory list --all  # which memories there are`,
	act(io, { all, global = false }: Given, name?: string) {
		if (all) return inventory(io);
		if (name === undefined) return listNotes(global, io);
		return /^\d+$/.test(name) ? showNote(name, global, io) : showFile(global ? `global/${name}` : name, io);
	},
};

export const scopedStore = (isGlobal: boolean, io: Io): ScopedStore => ({
	...storeOf(io),
	scope: isGlobal ? { global: true } : { cwd: projectFolderOf(io) },
});

/** A text in one line, safe to print. */
export const inOneLine = (text: string): string => oneLine(cleanText(text));

/** Its own, then those of other machines: so they are numbered. */
export function allNotes(place: ScopedStore) {
	const [own, others] = [notesOf(place), othersOf(place)];
	const numbered = (known: typeof own, isForeign: boolean, from: number) =>
		known.notes.map((note, i) => ({ note, number: from + i, path: known.path, before: noteText(note), isForeign }));
	return [...numbered(own, false, 1), ...numbered(others, true, own.notes.length + 1)];
}

/** Of other machines with who wrote each, and on which day. */
function numberedNotes(scope: "project" | "global", io: Io) {
	return allNotes(scopedStore(scope === "global", io)).map(({ note, number, path, before: text, isForeign }) => {
		const by = isForeign ? (sharedBy(note) ?? { by: null, at: null }) : {};
		return { scope, path, number, text, ...by };
	});
}

function listNotes(global: boolean, io: Io): Answer {
	const scopes = global ? (["global"] as const) : (["project", "global"] as const);
	const foreignLast = (a: object, b: object): number => Number("by" in a) - Number("by" in b);
	const all = scopes.flatMap((scope) => numberedNotes(scope, io)).sort(foreignLast);
	const none = "There is no note yet: `ccg memory save TEXT` saves one; `ccg memory list --all` shows other memories.";
	const lines = all.flatMap((one, i) => [
		...(one.path === all[i - 1]?.path ? [] : [`${one.path}${"by" in one ? ", from other machines:" : ""}`]),
		fitted(`  ${String(one.number).padStart(3)}  ${inOneLine(one.text)}`, io.columns ?? Infinity),
	]);
	return { json: all, text: all.length === 0 ? none : () => io.out(lines.join("\n")) };
}

function showNote(named: string, global: boolean, io: Io): Answer {
	const notes = numberedNotes(global ? "global" : "project", io);
	const one = notes[Number(named) - 1];
	if (!one) throw new Error(`no note ${named}: there are ${notes.length}; 'ccg memory list' shows them`);
	return { json: one, text: () => io.out(barred(cleanText(one.text))) };
}

/** Only what is listed can be shown, so a name never leads out of the memory folders. */
function showFile(given: string, io: Io): Answer {
	const isNamed = (name: string): boolean => withoutEnding(name) === withoutEnding(given);
	const memories = listMemories(io);
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

const withoutEnding = (name: string): string => name.toLowerCase().replace(/\.md$/, "");

const listMemories = (io: Io) => memoryInventory(storeOf(io).root, claudeRoot(io.env), projectFolderOf(io));

/** The keys of all memories, by who keeps them: Claude Code (`claude`), Serena, ccg, the CLAUDE.md files. */
function inventory(io: Io): Answer {
	const keys = listMemories(io);
	const categories = ["claude", "serena", "ccg", "claude_md"].map((category) => ({
		category,
		keys: keys.filter((key) => key.category === category).map(({ category: _, ...key }) => key),
	}));
	const projects = isHeld(io) ? [] : knownProjects(storeOf(io).root);
	const text = (): void => {
		printTable(io, keys, [
			{ title: "kept by", cell: ({ category }) => category },
			{ title: "key", cell: ({ key }) => inOneLine(key) },
			{ title: "bytes", align: "right", cell: ({ bytes }) => bytes },
			{ title: "changed", cell: ({ modifiedAt }) => modifiedAt.slice(0, 10) },
			{ title: "path", cell: ({ path }) => path },
		]);
		for (const one of projects) io.out(projectLine(one));
	};
	return { json: { categories, projects }, text };
}

export const projectLine = (one: KnownProject): string =>
	inOneLine(`${one.key}  ${one.root}${isGone(one) ? " (not there now)" : ""}  ${one.remotes.join(" ")}`);
