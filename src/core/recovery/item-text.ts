import { oneLine } from "../text.ts";

/** What tools and files said: in other marks than the user's words, and never two of one kind. */
export const foreign = (text: string): string => `\`${oneLine(text).replace(/["“”„`]/g, "'")}\``;
/** A name that others chose, among names: without the marks that make words the user's. */
export const bareName = (text: string): string => oneLine(text).replace(/["“”„]/g, "'");
export const oneQuote = (text: string): string => `"${oneLine(text)}"`;

/** A path below the session's folder, shortened; others as they are. */
export function relative(path: string, cwd: string): string {
	return cwd && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
