import { partOfClean } from "../redact/secrets.ts";
import { sentenceSpans } from "../state/sentences.ts";
import { cut, firstWords, oneLine } from "../text/text.ts";

export interface Item {
	text: string;
	/** Order for reading within its section. */
	order: number;
	/** The bare words by which a summary is searched for it; `text` without its dress when absent. */
	words?: string;
	/** Says more than its words: not left out because they stand elsewhere. */
	keep?: true;
	/** Stands for `text` where that does not fit. */
	short?: string;
	/** Its sentences that stand for the work to come: it has room before all else, in its short form if need be. */
	stands?: readonly string[];
	/** It may decide something: what is left of a block goes to it. */
	states?: true;
	/** The call that it tells of, by its order: a block tells each once. */
	call?: number;
	/** What it is worth beside others of its section; 1 when absent. */
	worth?: number;
}

/** Where a section stands in a view, and under which heading; those of one heading are printed as one. `""`: without. */
export interface Place {
	at: number;
	heading: string;
	/** Stands before each item in place of its list mark. */
	lead?: string;
	/** Said where there is nothing; else an empty section is left out. */
	none?: string;
	/** Items that are shown, the best. */
	most?: number;
	/** What stands between items; a line break when absent. */
	between?: string;
}

/** What a section is, whatever view it stands in. */
export interface Traits {
	/** Characters that it may take in a block. */
	room?: number;
	/** Words of the user's: certain and verbatim, and under one heading in order of time. */
	said?: true;
	/** Stands in the recovery block; the others only where no summary is beside the text. */
	certain?: true;
	/** A selection: how much is left out is not told. */
	picked?: true;
	/** Only the very words count: in other words it is lost. */
	verbatim?: true;
	/** ccg says so of the moment: no word of a file that was imported. */
	own?: true;
}

/** A part of a view, ready to be packed. Items stand best first. */
export interface Section extends Place, Traits {
	kind: string;
	items: Item[];
}

/** An item of one line. */
export const line = (text: string, order: number, words?: string): Item => ({
	text: `- ${text}`,
	order,
	...(words !== undefined && { words }),
});

/** Texts as items in their order; what is none is left out. */
export const inOrder = (...texts: readonly (string | false | null | undefined)[]): Item[] =>
	texts.flatMap((text, order) => (text ? [{ text, order }] : []));

export const oneQuote = (text: string): string => `"${oneLine(text)}"`;

/** The beginning of a line, with a mark where it was cut. */
export const brief = (whole: string, max: number): string =>
	whole.length <= max ? whole : partOfClean(whole, `${whole.slice(0, max - 1).trimEnd()}…`.toWellFormed());

/** The first sentences, list items or lines of a text that fit `max` characters; inside of one only where the first is longer. */
export function firstSentences(text: string, max: number): string {
	if (text.length <= max) return text;
	const last = sentenceSpans(text).findLast(({ end }) => end <= max - 2);
	return partOfClean(text, last ? `${text.slice(0, last.end)} …` : firstWords(text, max).toWellFormed());
}

/** The same from the end. */
export function lastSentences(text: string, max: number): string {
	if (text.length <= max) return text;
	const first = sentenceSpans(text).find(({ start }) => start >= text.length - max + 2);
	return partOfClean(text, first ? `… ${text.slice(first.start)}` : `…${text.slice(1 - max)}`.toWellFormed());
}

/** A shell command of at most `max` characters, cut between its parts; what is missing is counted. */
export function shortCommand(command: string, max: number): string {
	if (command.length <= max) return command;
	const ends = ["\n", " && ", " || ", " | ", "; "].map((end) => command.lastIndexOf(end, max));
	const end = Math.max(...ends);
	return cut(command, end > max / 3 ? end : firstWords(command, max).length - 1);
}

/** A result of which no outcome was seen is named so. */
export const seen = (result: string): string => (result === "unknown" ? "outcome not seen" : result);

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
