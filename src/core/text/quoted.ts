import { breakHostMarks } from "./host-marks.ts";
import { stripInvisible } from "./invisible.ts";
import { oneLine } from "./text.ts";

/** What others wrote or named, as one line in more backticks than stand side by side in it, so that it differs from the user's words. */
export function inBackticks(text: string): string {
	const line = oneLine(text);
	const longest = (line.match(/`+/g) ?? []).reduce((max, { length }) => Math.max(max, length), 0);
	const fence = "`".repeat(longest + 1);
	const space = longest > 0 ? " " : "";
	return `${fence}${space}${line}${space}${fence}`;
}

/** A text that others wrote, each of its lines after a bar, so that none can pass for a line of ccg or of another speaker. */
export const quoteWithBars = (text: string): string => prefixLines(stripInvisible(text), BAR);
export const BAR = "| ";

const MAX_NAME = 400;

/** The name of a path, a folder, a branch or a tool in backticks, safe whatever it holds, as others chose it. */
export function nameInBackticks(name: string): string {
	const line = oneLine(breakHostMarks(stripInvisible(name)));
	return inBackticks(line.length > MAX_NAME ? `${line.slice(0, MAX_NAME)}…` : line);
}

/** Puts a prefix before each line of a text. */
export const prefixLines = (text: string, prefix: string): string => text.replace(/^/gm, prefix);

/** A path of the store for a message: in backticks only where it holds unusual characters, since people and agents copy it. */
export const storePath = (path: string): string => (/^[\w@%+=:,./~-]+$/.test(path) ? path : nameInBackticks(path));

/** A path as a shell word: quoted only when it holds anything but letters, digits and `_ . / -`. */
export const shellWord = (path: string): string => (/^[A-Za-z0-9_./-]+$/.test(path) ? path : shellQuote(path));

/** Any text as one shell word in single quotes. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
