/** A path as a shell word: quoted only when it holds anything but letters, digits and `_ . / -`. */
export function shellWord(path: string): string {
	return /^[A-Za-z0-9_./-]+$/.test(path) ? path : quoted(path);
}

/** Any text as one shell word in single quotes. */
export function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The text of a word in single quotes, in plain double quotes, or bare. */
export function unquoted(word: string): string {
	if (word.startsWith("'")) return word.slice(1, -1).replaceAll("'\\''", "'");
	return word.startsWith('"') ? word.slice(1, -1) : word;
}

/** A word in single quotes, as a pattern. */
export const QUOTED = "'(?:[^']|'\\\\'')*'";
