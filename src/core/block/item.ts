import { eachLine } from "../text/quoted.ts";
import { cut, firstWords, oneLine } from "../text/text.ts";

export interface Item {
	text: string;
	/** Order for reading within its section. */
	order: number;
	/** Not all of what it stands for is in it. */
	isPart?: boolean;
}

/** Where a section stands in a view, and under which heading; those of one heading are printed as one. `""`: without. */
export interface Place {
	at: number;
	heading: string;
	/** Stands before each item in place of its list mark. */
	lead?: string;
	/** Items that are shown, the best. */
	most?: number;
	/** Said where there is nothing; else an empty section is left out. */
	none?: string;
	/** What stands between items; a line break when absent. */
	between?: string;
}

/** What a section is, whatever view it stands in. */
export interface Traits {
	/** Characters that it may take in a block. */
	room?: number;
	/** Characters of a block that no section before it may take. */
	kept?: number;
	/** Its items are made for the room that there is. */
	fitted?: true;
	/** Its items are the user's words: the report counts them as given back. */
	isSaid?: true;
}

/** A part of a view, ready to be packed. Items stand best first. */
export interface Section extends Place, Traits {
	kind: string;
	items: Item[];
	/** The items for so much room. */
	fit?: (room: number) => Item[];
}

/** An item of one line. */
export const lineItem = (text: string, order: number): Item => ({ text: `- ${text}`, order });

/** Texts as items in their order; what is none is left out. */
export const inOrder = (...texts: readonly (string | false | null | undefined)[]): Item[] =>
	texts.flatMap((text, order) => (text ? [{ text, order }] : []));

export const oneQuote = (text: string): string => `"${oneLine(text)}"`;

/** An item's text without the dash of a list. */
export const withoutDash = (text: string): string => (text.startsWith("- ") ? text.slice(2) : text);

/** Lines of the user's, each behind the mark of a quotation. */
export const quoteLines = (text: string): string => eachLine(text, "> ");

/** What the user said, word for word: behind a colon: on one line between quotation marks, or its lines set in, also where a paste in it may hold such marks. */
export const quote = (text: string): string =>
	/\n|\[pasted: /.test(text) ? `:\n${text.replace(/^(?=.)/gm, "  ")}` : `: "${text.trim()}"`;

/** A shell command of at most `max` characters, cut between its parts; what is missing is counted. */
export function shortCommand(command: string, max: number): string {
	if (command.length <= max) return command;
	const ends = ["\n", " && ", " || ", " | ", "; "].map((end) => command.lastIndexOf(end, max));
	const end = Math.max(...ends);
	return cut(command, end > max / 3 ? end : firstWords(command, max).length - 1);
}

/** A path below the session's folder, shortened; others as they are. */
export function relative(path: string, cwd: string): string {
	return cwd && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** A text that names a folder's paths, with the paths told from there on. `/srv/app/a` is not in `/app`. */
export const withoutBase = (text: string, base: string): string =>
	base.length <= 3
		? text
		: text.replaceAll(`${base}/`, (found, at: number) => (IN_PATH.test(text[at - 1] ?? "") ? found : ""));
const IN_PATH = /[\p{L}\p{N}_./~@+-]/u;
