import { memoryInventory } from "../../claude/machine/memory-inventory.ts";
import type { KnownProject } from "../../core/projects.ts";
import { quoteWithBars } from "../../core/text/quoted.ts";
import { oneLine } from "../../core/text/text.ts";
import { cleanText, noteText } from "../../memory/notes.ts";
import { readMemoryNotes, readSharedNotes, type ScopedStore } from "../../memory/notes-file.ts";
import { parseSharedNote } from "../../memory/shared.ts";
import { claudeRoot } from "../../store/paths.ts";
import { isProjectGone, knownProjects } from "../../store/project.ts";
import { findProjectFolder, requireStore } from "../../store/session/place.ts";
import { type Answer, argument, type Flags, GLOBAL, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { isProjectBound } from "../support/place.ts";
import { printTable, truncateToWidth } from "../support/text.ts";

export const list: Spec = {
	about: "the notes of this project, the global ones and those of other machines, with their numbers",
	args: [argument("[number]", "print this one whole")],
	options: [
		option("--all", "the keys of all memories by who keeps them, and all projects with their folders"),
		GLOBAL,
		JSON_OUT,
	],
	help: `
Examples:
  ccg memory list
  ccg memory list 3  # the third note
  ccg memory list --all  # which memories there are, and where`,
	run(io, { all, global = false }: Flags, number?: string) {
		if (all) return listAllMemories(io);
		if (number === undefined) return listNotes(global, io);
		return showNote(number, global, io);
	},
};

/** Gives the store with the scope of its notes: those of this project, or the global ones. */
export const scopedStore = (isGlobal: boolean, io: Io): ScopedStore => ({
	...requireStore(io),
	scope: isGlobal ? { global: true } : { cwd: findProjectFolder(io) },
});

/** Gives a text in one line, without characters that change how a terminal prints. */
export const printableLine = (text: string): string => oneLine(cleanText(text));

/** Gives this machine's notes, then those of other machines, numbered in this order. */
export function allNotes(store: ScopedStore) {
	const [own, others] = [readMemoryNotes(store), readSharedNotes(store)];
	const numberNotes = (file: typeof own, isForeign: boolean, first: number) =>
		file.notes.map((note, i) => ({ note, number: first + i, path: file.path, before: noteText(note), isForeign }));
	return [...numberNotes(own, false, 1), ...numberNotes(others, true, own.notes.length + 1)];
}

/** Gives the notes of a scope for the list; those of other machines with who wrote each (`by`) and on which day (`at`). */
function listedNotes(scope: "project" | "global", io: Io) {
	return allNotes(scopedStore(scope === "global", io)).map(({ note, number, path, before: text, isForeign }) => {
		const author = isForeign ? (parseSharedNote(note) ?? { by: null, at: null }) : {};
		return { scope, path, number, text, ...author };
	});
}

/** Lists notes under the path of their file: this machine's first, then those of other machines. */
function listNotes(global: boolean, io: Io): Answer {
	const scopes = global ? (["global"] as const) : (["project", "global"] as const);
	const foreignLast = (a: object, b: object): number => Number("by" in a) - Number("by" in b);
	const all = scopes.flatMap((scope) => listedNotes(scope, io)).sort(foreignLast);
	const none = "There is no note yet: `ccg memory save TEXT` saves one; `ccg memory list --all` shows other memories.";
	const lines = all.flatMap((note, i) => [
		...(note.path === all[i - 1]?.path ? [] : [`${note.path}${"by" in note ? ", from other machines:" : ""}`]),
		truncateToWidth(`  ${String(note.number).padStart(3)}  ${printableLine(note.text)}`, io.columns ?? Infinity),
	]);
	return { json: all, text: all.length === 0 ? none : () => io.out(lines.join("\n")) };
}

/** Shows the whole note that has this number in the list. */
function showNote(number: string, global: boolean, io: Io): Answer {
	const notes = listedNotes(global ? "global" : "project", io);
	const note = notes[Number(number) - 1];
	if (!note) throw new Error(`no note ${number}: there are ${notes.length}; 'ccg memory list' shows them`);
	return { json: note, text: () => io.out(quoteWithBars(cleanText(note.text))) };
}

/** Lists the keys of all memories by who keeps them (Claude Code, Serena, ccg, the CLAUDE.md files), and all known projects. */
function listAllMemories(io: Io): Answer {
	const keys = memoryInventory(requireStore(io).root, claudeRoot(io.env), findProjectFolder(io));
	const categories = ["claude", "serena", "ccg", "claude_md"].map((category) => ({
		category,
		keys: keys.filter((key) => key.category === category).map(({ category: _, ...key }) => key),
	}));
	const projects = isProjectBound(io) ? [] : knownProjects(requireStore(io).root);
	const text = (): void => {
		printTable(io, keys, [
			{ title: "kept by", cell: ({ category }) => category },
			{ title: "key", cell: ({ key }) => printableLine(key) },
			{ title: "bytes", align: "right", cell: ({ bytes }) => bytes },
			{ title: "changed", cell: ({ modifiedAt }) => modifiedAt.slice(0, 10) },
			{ title: "path", cell: ({ path }) => path },
		]);
		for (const project of projects) io.out(projectLine(project));
	};
	return { json: { categories, projects }, text };
}

/** Describes a project in one line: key, folder, and the remotes of its repository. */
export const projectLine = (project: KnownProject): string =>
	printableLine(`${project.key}  ${project.root}${goneText(project)}  ${project.remotes.join(" ")}`);

/** Says of a project whose folder is gone that it is; else `""`. */
const goneText = (project: KnownProject): string => (isProjectGone(project) ? " (not there now)" : "");
