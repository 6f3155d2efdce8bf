import { type Glob, globMatches, inOrder, parseGlob } from "./glob.ts";

/** A pattern of `.gitignore` and `.gitattributes`, taken apart. */
export interface PathPattern {
	/** Of folders only. */
	folder: boolean;
	/** Without a slash it is asked of the last name alone; with one of the whole path below the file's folder. */
	parts: readonly (PathPart | typeof ANY_DEPTH)[];
	anywhere: boolean;
}

const ANY_DEPTH = "**";
type PathPart = { whole: string } | { end: string } | { glob: Glob };

/** `null` when it can match nothing. */
export function parsePattern(text: string, ignoreCase = false): PathPattern | null {
	let pattern = ignoreCase ? text.toLowerCase() : text;
	const folder = pattern.endsWith("/");
	if (folder) pattern = pattern.slice(0, -1);
	const anywhere = !pattern.includes("/");
	if (pattern.startsWith("/")) pattern = pattern.slice(1);
	if (pattern === "") return null;
	const parts: (PathPart | typeof ANY_DEPTH)[] = [];
	for (const name of anywhere ? [pattern] : pattern.split("/")) {
		if (name === ANY_DEPTH && !anywhere) {
			if (parts.at(-1) !== ANY_DEPTH) parts.push(ANY_DEPTH);
			continue;
		}
		const part = parsePart(name);
		if (!part) return null;
		parts.push(part);
	}
	return { folder, parts, anywhere };
}

function parsePart(name: string): PathPart | null {
	if (!/[*?[\\]/.test(name)) return { whole: name };
	if (/^\*[^*?[\\]+$/.test(name)) return { end: name.slice(1) };
	const glob = parseGlob(name);
	return glob && { glob };
}

/** A path in its names, each also in its characters. */
export interface PathNames {
	names: readonly string[];
	chars: readonly (readonly string[])[];
}

export function namesOf(path: string, ignoreCase = false): PathNames {
	const names = (ignoreCase ? path.toLowerCase() : path).split("/");
	return { names, chars: names.map((name) => [...name]) };
}

/** Whether the path, from its name `from` on, fits. Work is bounded by the product of the lengths. */
export function patternMatches(pattern: PathPattern, path: PathNames, from: number, isFolder: boolean): boolean {
	if (pattern.folder && !isFolder) return false;
	const { parts, anywhere } = pattern;
	const end = path.names.length;
	if (anywhere) return partMatches(parts[0] as PathPart, path, end - 1);
	// at the end of a pattern it stands for what lies in a folder, never for the folder
	const kindAt = (at: number) => (parts[at] !== ANY_DEPTH ? "one" : at === parts.length - 1 ? "rest" : "many");
	const fits = (at: number, i: number) => partMatches(parts[at] as PathPart, path, i);
	return inOrder({ parts: parts.length, kindAt, fits }, from, end);
}

function partMatches(part: PathPart, { names, chars }: PathNames, i: number): boolean {
	if ("whole" in part) return names[i] === part.whole;
	if ("end" in part) return names[i]!.endsWith(part.end);
	return globMatches(part.glob, chars[i]!);
}
