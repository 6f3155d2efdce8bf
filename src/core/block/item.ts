import { eachLine } from "../text/quoted.ts";
import { cut, firstWords, oneLine } from "../text/text.ts";

/** One entry of a section. */
export interface Item {
	text: string;
	/** Order for reading within its section. */
	order: number;
	/** The text is shortened. */
	isPart?: boolean;
}

/** Where a section stands in a view, and under which heading (`""`: none); sections of one heading are printed as one. */
export interface Place {
	at: number;
	heading: string;
	/** Stands before each item in place of its list mark. */
	lead?: string;
	/** How many items are shown, the best. */
	most?: number;
	/** The text in place of items where there are none; without it an empty section is left out. */
	none?: string;
	/** The text between two items; a line break when absent. */
	between?: string;
}

/** Traits of a section that are the same in every view. */
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
	/** Makes the items anew for so many characters. */
	fit?: (room: number) => Item[];
}

/** An item of one line. */
export const lineItem = (text: string, order: number): Item => ({ text: `- ${text}`, order });

/** Texts as items in their order; `false`, `null`, `undefined` and empty texts are left out. */
export const inOrder = (...texts: readonly (string | false | null | undefined)[]): Item[] =>
	texts.flatMap((text, order) => (text ? [{ text, order }] : []));
export const oneQuote = (text: string): string => `"${oneLine(text)}"`;

/** An item's text without the dash of a list. */
export const withoutDash = (text: string): string => (text.startsWith("- ") ? text.slice(2) : text);

/** A text of the user with `> ` before each line. */
export const quoteLines = (text: string): string => eachLine(text, "> ");

/** A colon and the user's words: one line in quotation marks; several lines, or a paste that may hold such marks, indented below. */
export const quote = (text: string): string =>
	/\n|\[pasted: /.test(text) ? `:\n${text.replace(/^(?=.)/gm, "  ")}` : `: "${text.trim()}"`;

/** A shell command of at most `max` characters, cut between its parts; how much is missing stands behind it. */
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

/** A text in which paths below the folder `base` are relative to it. `/srv/app/a` is not below `/app`. */
export const withoutBase = (text: string, base: string): string =>
	base.length <= 3
		? text
		: text.replaceAll(`${base}/`, (found, at: number) => (IN_PATH.test(text[at - 1] ?? "") ? found : ""));
const IN_PATH = /[\p{L}\p{N}_./~@+-]/u;
