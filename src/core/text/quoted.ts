import { withoutHostMarks } from "./host-marks.ts";
import { visible } from "./invisible.ts";
import { oneLine } from "./text.ts";

/**
 * What others wrote or named, as one line between backticks: in other marks than the user's words, and as it is. As Markdown has it, there
 * are more backticks around it than stand in it side by side.
 */
export function foreign(text: string): string {
	const line = oneLine(text);
	const longest = (line.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
	const mark = "`".repeat(longest + 1);
	const space = longest > 0 ? " " : "";
	return `${mark}${space}${line}${space}${mark}`;
}

/**
 * A text of others of several lines, each behind a bar: nothing in it stands where a line of ours or another speaker begins,
 * whatever it looks like.
 */
export const barred = (text: string): string => eachLine(visible(text), BAR);
export const BAR = "| ";

const MAX_NAME = 400;

/** The name of a path, a folder, a branch, a tool, …: chosen by whoever made it, and nothing but a name. */
export function quotedName(name: string): string {
	const line = oneLine(withoutHostMarks(visible(name)));
	return foreign(line.length > MAX_NAME ? `${line.slice(0, MAX_NAME)}…` : line);
}

/** A text with something before each of its lines. */
export const eachLine = (text: string, before: string): string => text.replace(/^/gm, before);

/** A path of the store, bare where it can be nothing else: people and agents copy it. */
export const storePath = (path: string): string => (/^[\w@%+=:,./~-]+$/.test(path) ? path : quotedName(path));

/** A path as a shell word: quoted only when it holds anything but letters, digits and `_ . / -`. */
export const shellWord = (path: string): string => (/^[A-Za-z0-9_./-]+$/.test(path) ? path : quoted(path));

/** Any text as one shell word in single quotes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
