import { relative, sep } from "node:path";
import { counted } from "../core/text/text.ts";
import { budgetOf, type Limits, type WorkBudget } from "../files/budget.ts";
import { namesInside } from "../files/names-in.ts";
import { openInside, statInside } from "../files/read-inside.ts";
import { repositoryOf } from "../git/repository.ts";
import { type Contradiction, contradictions } from "./compare.ts";
import { type NamedPath, namedThings } from "./named-things.ts";
import { cleanText, type Note, textOf } from "./notes.ts";
import { notesOf } from "./notes-file.ts";

/** A few seconds at the most, for a person or an agent that waits. */
const LIMITS: Limits = { looks: 200_000, bytes: 96 * 1024 * 1024, workMs: 4_000, clockMs: 8_000 };
/** Notes of each file that are looked at, the newest. */
const MOST = 2_000;

/** A note by its place: `number` from 1. */
export interface CheckedNote extends Pick<Note, "heading"> {
	scope: "project" | "global";
	number: number;
	text: string;
}

export interface MemoryCheck {
	files: string[];
	notes: number;
	/** Notes of the project that name what is not there. */
	gone: (CheckedNote & { paths: string[]; symbols: string[] })[];
	contradictions: Contradiction<CheckedNote>[];
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
	const files = (["project", "global"] as const).map((scope) => {
		const { path, notes } = notesOf({ root, scope: scope === "global" ? { global: true } : { cwd } });
		const all = notes.map(
			(note, i): CheckedNote => ({ scope, number: i + 1, text: cleanText(textOf(note)), heading: note.heading }),
		);
		return { path, notes: all.slice(-MOST), left: Math.max(0, all.length - MOST) };
	});
	const notes = files.flatMap((file) => file.notes);
	const left = files.reduce((sum, file) => sum + file.left, 0);
	const { unseen, ...looked } = goneOf(files[0]!.notes, cwd, limits);
	return {
		files: files.filter((file) => file.notes.length > 0).map(({ path }) => path),
		notes: notes.length,
		...looked,
		contradictions: contradictions(notes),
		unseen: [...(left > 0 ? [`the oldest ${left} notes were not looked at`] : []), ...unseen],
	};
}

/** What a project's folder holds, as far as it was looked at. */
interface Project {
	top: string;
	/** Files, relative to the folder. */
	names: string[];
	/** All of them are known. */
	complete: boolean;
}

function goneOf(notes: CheckedNote[], cwd: string, limits: Limits): Pick<MemoryCheck, "gone" | "searched" | "unseen"> {
	const named = notes.map((note) => ({ note, ...namedThings(note.text) }));
	if (named.every(({ paths, symbols }) => paths.length + symbols.length === 0))
		return { gone: [], searched: 0, unseen: [] };
	const budget = budgetOf(limits);
	const top = repositoryOf(cwd)?.top ?? cwd;
	const { names, complete } = namesInside(top, budget.look);
	const project: Project = { top, names: names.sort(), complete };
	const missing = new Set(named.flatMap(({ symbols }) => symbols.flatMap(partsOf)));
	const { searched, unseen } = takeFound(missing, project, budget);
	// what was not found in a part of the files may stand in the others
	const isAllSearched = unseen === 0 && complete;
	const isMissing = (symbol: string): boolean => isAllSearched && partsOf(symbol).some((part) => missing.has(part));
	const gone = named.map(({ note, paths, symbols }) => ({
		...note,
		paths: paths.filter((path) => isGone(project, path)).map(({ text }) => text),
		symbols: symbols.filter(isMissing),
	}));
	const told: [boolean, string][] = [
		[!complete, "not all folders of the project were walked through"],
		[unseen > 0, `${counted(unseen, "file was", "files were")} too large or too many to search for symbols`],
		[!isAllSearched && missing.size > 0, `so nothing is said of: ${[...missing].slice(0, 20).join(", ")}`],
	];
	return {
		gone: gone.filter(({ paths, symbols }) => paths.length + symbols.length > 0),
		searched,
		unseen: told.filter(([isSo]) => isSo).map(([, text]) => text),
	};
}

const partsOf = (symbol: string): string[] => symbol.split(/\.|::|#/);

/** A path that could be something else counts only where its first folder is one of the project's. */
function isGone({ top, names, complete }: Project, { path, isSure }: NamedPath): boolean {
	const own = path.startsWith("/") ? relative(top, path).split(sep).join("/") : path;
	// outside of the project nothing is looked at
	if (own === "" || own.startsWith("..")) return false;
	const first = own.split("/")[0]!;
	if (!isSure && !names.some((name) => name.startsWith(`${first}/`))) return false;
	// below the folder, or as the end of a file's or a folder's path
	if (statInside(top, own) !== null || names.some((name) => `/${name}/`.includes(`/${own}/`))) return false;
	// it may lie where nobody looked
	return complete || (own.includes("/") && statInside(top, first) !== null);
}

const MAX_FILE = 1024 * 1024;
/** Prose tells what was; it is no place where a symbol lives. */
const PROSE =
	/\.(?:md|mdx|txt|rst|adoc|org|log|lock|map|svg|snap)$|(?:^|\/)(?:CHANGELOG|HISTORY|NEWS|package-lock\.json)[^/]*$/i;

/** Takes the symbols out that stand in a file of the project as whole words. Gives how many files were searched, and how many were not. */
function takeFound(
	symbols: Set<string>,
	{ top, names }: Project,
	budget: WorkBudget,
): { searched: number; unseen: number } {
	let [searched, unseen] = [0, 0];
	for (const name of names.filter((one) => !PROSE.test(one))) {
		if (symbols.size === 0) break;
		const size = statInside(top, name)?.size ?? 0;
		const isIn = budget.look() && !budget.late() && size <= MAX_FILE && budget.bytes(size);
		const bytes = isIn && openInside(top, name, { maxBytes: MAX_FILE })?.bytes;
		if (bytes) searched++;
		else unseen++;
		if (!bytes || bytes.subarray(0, 8_000).includes(0)) continue;
		const text = bytes.toString("latin1");
		const held = [...symbols].filter((symbol) => text.includes(symbol));
		const words = new Set(held.length > 0 ? text.match(/[\w$]+/g) : []);
		for (const symbol of held) if (words.has(symbol)) symbols.delete(symbol);
	}
	return { searched, unseen };
}
