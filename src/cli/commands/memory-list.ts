import { memoryInventory } from "../../claude/machine/memory-inventory.ts";
import type { KnownProject } from "../../core/projects.ts";
import { barred } from "../../core/text/quoted.ts";
import { oneLine } from "../../core/text/text.ts";
import { cleanText, noteText } from "../../memory/notes.ts";
import { notesOf, othersOf, type ScopedStore } from "../../memory/notes-file.ts";
import { sharedBy } from "../../memory/shared.ts";
import { claudeRoot } from "../../store/paths.ts";
import { isGone, knownProjects } from "../../store/project.ts";
import { projectFolderOf, storeOf } from "../../store/session/place.ts";
import { type Answer, argument, type Given, GLOBAL, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { isHeld } from "../support/place.ts";
import { fitLine, printTable } from "../support/text.ts";

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
	act(io, { all, global = false }: Given, number?: string) {
		if (all) return inventory(io);
		if (number === undefined) return listNotes(global, io);
		return showNote(number, global, io);
	},
};

export const scopedStore = (isGlobal: boolean, io: Io): ScopedStore => ({
	...storeOf(io),
	scope: isGlobal ? { global: true } : { cwd: projectFolderOf(io) },
});

/** Gives a text in one line, safe to print. */
export const inOneLine = (text: string): string => oneLine(cleanText(text));

/** Gives this machine's notes, then those of other machines, numbered in this order. */
export function allNotes(place: ScopedStore) {
	const [own, others] = [notesOf(place), othersOf(place)];
	const numberNotes = (file: typeof own, isForeign: boolean, from: number) =>
		file.notes.map((note, i) => ({ note, number: from + i, path: file.path, before: noteText(note), isForeign }));
	return [...numberNotes(own, false, 1), ...numberNotes(others, true, own.notes.length + 1)];
}

/** Gives the notes of a scope as the list shows them; those of other machines with who wrote each, and on which day. */
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
		fitLine(`  ${String(one.number).padStart(3)}  ${inOneLine(one.text)}`, io.columns ?? Infinity),
	]);
	return { json: all, text: all.length === 0 ? none : () => io.out(lines.join("\n")) };
}

function showNote(named: string, global: boolean, io: Io): Answer {
	const notes = numberedNotes(global ? "global" : "project", io);
	const one = notes[Number(named) - 1];
	if (!one) throw new Error(`no note ${named}: there are ${notes.length}; 'ccg memory list' shows them`);
	return { json: one, text: () => io.out(barred(cleanText(one.text))) };
}

/** Lists the keys of all memories by who keeps them (Claude Code, Serena, ccg, the CLAUDE.md files), and all known projects. */
function inventory(io: Io): Answer {
	const keys = memoryInventory(storeOf(io).root, claudeRoot(io.env), projectFolderOf(io));
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
