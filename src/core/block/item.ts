import { prefixLines } from "../text/quoted.ts";
import { firstWords, oneLine, truncate } from "../text/text.ts";

/** One entry of a section. */
export interface Item {
	text: string;
	/** Order for reading within its section. */
	order: number;
	/** The text is shortened. */
	isShortened?: boolean;
}

/** Where a section stands in a view, and under which heading (`""`: none); sections of one heading are printed as one. */
export interface Place {
	position: number;
	heading: string;
	/** Stands before each item in place of its list mark. */
	itemPrefix?: string;
	/** How many items are shown, the best. */
	maxItems?: number;
	/** The text in place of items where there are none; without it an empty section is left out. */
	emptyText?: string;
	/** The text between two items; a line break when absent. */
	separator?: string;
}

/** Traits of a section that are the same in every view. */
export interface Traits {
	/** Characters that it may take in a block. */
	maxChars?: number;
	/** Characters of a block that no section before it may take. */
	reservedChars?: number;
	/** Its items are made anew for the room that is left (`remakeItems`). */
	isRemadeToFit?: true;
	/** Its items are the user's words: the report counts them as given back. */
	isUsersWords?: true;
}

/** A part of a view, ready to be packed. Items stand best first. */
export interface Section extends Place, Traits {
	kind: string;
	items: Item[];
	/** Makes the items anew for so many characters. */
	remakeItems?: (maxChars: number) => Item[];
}

/** Makes an item of one line; `order` is its place for reading. */
export const lineItem = (text: string, order: number): Item => ({ text: `- ${text}`, order });

/** Makes items of texts, in their order; `false`, `null`, `undefined` and empty texts are left out. */
export const itemsInOrder = (...texts: readonly (string | false | null | undefined)[]): Item[] =>
	texts.flatMap((text, order) => (text ? [{ text, order }] : []));
/** A text on one line, in quotation marks. */
export const quoteOnOneLine = (text: string): string => `"${oneLine(text)}"`;

/** An item's text without the dash of a list. */
export const withoutListDash = (text: string): string => (text.startsWith("- ") ? text.slice(2) : text);

/** A text of the user with `> ` before each line. */
export const quoteLines = (text: string): string => prefixLines(text, "> ");

/** A colon, then the user's words: one line in quotation marks; several lines, or a paste that may hold such marks, indented below. */
export const quoteAfterColon = (text: string): string =>
	/\n|\[pasted: /.test(text) ? `:\n${text.replace(/^(?=.)/gm, "  ")}` : `: "${text.trim()}"`;

/** A shell command of at most `max` characters, cut between its parts; how much is missing stands behind it. */
export function shortCommand(command: string, max: number): string {
	if (command.length <= max) return command;
	const separators = ["\n", " && ", " || ", " | ", "; "];
	const lastEnd = Math.max(...separators.map((separator) => command.lastIndexOf(separator, max)));
	return truncate(command, lastEnd > max / 3 ? lastEnd : firstWords(command, max).length - 1);
}

/** A path relative to `folder` where it lies below it; any other path as it is. */
export const relativePath = (path: string, folder: string): string =>
	folder && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** A text in which paths below `folder` are relative to it. `/srv/app/a` is not below `/app`; a very short folder is left as it is. */
export function withRelativePaths(text: string, folder: string): string {
	if (folder.length <= 3) return text;
	const isInsidePath = (index: number): boolean => PATH_CHARACTER.test(text[index - 1] ?? "");
	return text.replaceAll(`${folder}/`, (found, index: number) => (isInsidePath(index) ? found : ""));
}
const PATH_CHARACTER = /[\p{L}\p{N}_./~@+-]/u;
