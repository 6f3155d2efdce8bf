import type { IndexEntry } from "./index-file.ts";

/** The two letters of a conflict, by the sides there are: 1 base, 2 ours, 4 theirs. */
const CONFLICTS: Record<number, string> = { 1: "DD", 2: "AU", 3: "UD", 4: "UA", 5: "DU", 6: "AA", 7: "UU" };

/** One line for each path: what is staged, what the working tree has, or the sides of a conflict. */
export function trackedLines(
	entries: readonly IndexEntry[],
	staged: ReadonlyMap<string, string>,
	changes: ReadonlyMap<string, string>,
): string[] {
	const letters = new Map<string, string>();
	for (const [path, change] of staged) letters.set(path, `${change} `);
	for (const [path, change] of changes) letters.set(path, `${letters.get(path)?.[0] ?? " "}${change}`);
	const sides = new Map<string, number>();
	for (const { path, stage } of entries) if (stage > 0) sides.set(path, (sides.get(path) ?? 0) | (1 << (stage - 1)));
	for (const [path, mask] of sides) letters.set(path, CONFLICTS[mask]!);
	return [...letters].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, both]) => `${both} ${quotedPath(path)}`);
}

const ESCAPES: Record<string, string> = {
	"\u0007": "\\a",
	"\b": "\\b",
	"\t": "\\t",
	"\n": "\\n",
	"\v": "\\v",
	"\f": "\\f",
	"\r": "\\r",
	'"': '\\"',
	"\\": "\\\\",
};

/** As git writes a name that holds more than printable characters, but for letters of other languages, which stay. */
export function quotedPath(path: string): string {
	if (!/[\s"\\\p{C}]/u.test(path)) return path;
	const inner = path.replace(/["\\\p{C}]/gu, (char) => ESCAPES[char] ?? escaped(char));
	return `"${inner}"`;
}

const escaped = (char: string): string =>
	[...Buffer.from(char)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
