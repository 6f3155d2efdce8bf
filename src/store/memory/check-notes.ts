import { relative, sep } from "node:path";
import { contradictions } from "../../core/memory/contradictions.ts";
import { type NamedPath, namedThings } from "../../core/memory/named-things.ts";
import { budgetOf, type Limits } from "../../files/budget.ts";
import { statInside } from "../../files/read-inside.ts";
import { LOOKED_THROUGH, notesOf, textOf } from "./delete-note.ts";
import { cleanText } from "./notes.ts";
import { hasPath, missingSymbols, type ProjectNames, projectNames } from "./project-names.ts";

/** A few seconds at the most, for a person or an agent that waits. */
const LIMITS: Limits = { looks: 200_000, bytes: 96 * 1024 * 1024, workMs: 4_000, clockMs: 8_000 };
/** Notes of each file that are looked at, the newest. */
const MOST = 2_000;

/** A note by its place: `number` from 1. */
export interface CheckedNote {
	scope: "project" | "global";
	number: number;
	text: string;
}

export interface MemoryCheck {
	files: string[];
	notes: number;
	/** Notes of the project that name what is not there. */
	gone: (CheckedNote & { paths: string[]; symbols: string[] })[];
	contradictions: { key: string; said: (CheckedNote & { value: string })[] }[];
	/** Files that were searched for symbols. */
	searched: number;
	/** What was not looked at, in a few words each. */
	unseen: string[];
}

/**
 * Looks through the notes of a project and those for all: paths and symbols that the project's notes name and its folder does not
 * have, and notes that say different things of one key. Reads inside of the folder only, within bounds; throws where a MEMORY.md is too long.
 */
export function checkNotes(root: string, cwd: string, limits = LIMITS): MemoryCheck {
	const project = notesOf({ root, scope: { cwd } }, { maxBytes: LOOKED_THROUGH });
	const global = notesOf({ root, scope: { global: true } }, { maxBytes: LOOKED_THROUGH });
	const all = [
		...project.notes.map((note, i) => ({ scope: "project" as const, number: i + 1, note })).slice(-MOST),
		...global.notes.map((note, i) => ({ scope: "global" as const, number: i + 1, note })).slice(-MOST),
	].map(({ note, ...place }) => ({ ...place, text: cleanText(textOf(note)), heading: note.heading }));
	const left = project.notes.length + global.notes.length - all.length;
	const looked = goneOf(
		all.filter(({ scope }) => scope === "project"),
		cwd,
		limits,
	);
	const placeOf = (i: number): CheckedNote => {
		const { scope, number, text } = all[i]!;
		return { scope, number, text };
	};
	return {
		files: [project, global].filter(({ notes }) => notes.length > 0).map(({ path }) => path),
		notes: all.length,
		...looked,
		contradictions: contradictions(all).map(({ key, said }) => ({
			key,
			said: said.map(({ note, value }) => ({ ...placeOf(note), value })),
		})),
		unseen: [...(left > 0 ? [`the oldest ${left} notes were not looked at`] : []), ...looked.unseen],
	};
}

function goneOf(notes: CheckedNote[], cwd: string, limits: Limits): Pick<MemoryCheck, "gone" | "searched" | "unseen"> {
	const named = notes.map(({ scope, number, text }) => ({ note: { scope, number, text }, ...namedThings(text) }));
	if (named.every(({ paths, symbols }) => paths.length + symbols.length === 0))
		return { gone: [], searched: 0, unseen: [] };
	const budget = budgetOf(limits);
	const project = projectNames(cwd, budget);
	const symbols = [...new Set(named.flatMap((one) => one.symbols.flatMap(partsOf)))];
	const { missing, searched, unseen } = missingSymbols(project, symbols, budget);
	const isAllSearched = unseen === 0 && project.complete;
	const gone = named.map(({ note, paths, symbols: own }) => ({
		...note,
		paths: paths.filter((path) => isGone(project, path)).map(({ text }) => text),
		// what was not found in a part of the files may stand in the others
		symbols: isAllSearched ? own.filter((symbol) => partsOf(symbol).some((part) => missing.has(part))) : [],
	}));
	return {
		gone: gone.filter((one) => one.paths.length + one.symbols.length > 0),
		searched,
		unseen: [
			...(project.complete ? [] : ["not all folders of the project were walked through"]),
			...(unseen > 0 ? [`${unseen} files were too large or too many to search them for symbols`] : []),
			...(!isAllSearched && missing.size > 0 ? [`so nothing is said of: ${[...missing].slice(0, 20).join(", ")}`] : []),
		],
	};
}

const partsOf = (symbol: string): string[] => symbol.split(/\.|::|#/);

/** A path that could be something else counts only where its first folder is one of the project's. */
function isGone(project: ProjectNames, { path, isSure }: NamedPath): boolean {
	const own = path.startsWith("/") ? relative(project.top, path).split(sep).join("/") : path;
	// outside of the project nothing is looked at
	if (own === "" || own.startsWith("..")) return false;
	const first = own.split("/")[0]!;
	if (!isSure && !project.names.some((name) => name.startsWith(`${first}/`))) return false;
	if (hasPath(project, own)) return false;
	// it may lie where nobody looked
	return project.complete || (own.includes("/") && statInside(project.top, first) !== null);
}
