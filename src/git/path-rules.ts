import { type Glob, globMatches, parseGlob } from "./glob.ts";

/** A pattern of `.gitignore` and `.gitattributes`, taken apart. */
export interface PathPattern {
	/** Of folders only. */
	folder: boolean;
	/** Without a slash it is asked of the last name alone; with one of the whole path below the file's folder. */
	parts: readonly (Part | typeof ANY_DEPTH)[];
	anywhere: boolean;
}

const ANY_DEPTH = "**";
type Part = { whole: string } | { end: string } | { glob: Glob };

/** `null` when it can match nothing. */
export function parsePattern(text: string, ignoreCase = false): PathPattern | null {
	let pattern = ignoreCase ? text.toLowerCase() : text;
	const folder = pattern.endsWith("/");
	if (folder) pattern = pattern.slice(0, -1);
	const anywhere = !pattern.includes("/");
	if (pattern.startsWith("/")) pattern = pattern.slice(1);
	if (pattern === "") return null;
	const parts: (Part | typeof ANY_DEPTH)[] = [];
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

function parsePart(name: string): Part | null {
	if (!/[*?[\\]/.test(name)) return { whole: name };
	if (/^\*[^*?[\\]+$/.test(name)) return { end: name.slice(1) };
	const glob = parseGlob(name);
	return glob && { glob };
}

/** A path in its names, each also in its characters. */
export interface Names {
	names: readonly string[];
	chars: readonly (readonly string[])[];
}

export function namesOf(path: string, ignoreCase = false): Names {
	const names = (ignoreCase ? path.toLowerCase() : path).split("/");
	return { names, chars: names.map((name) => [...name]) };
}

/** Whether the path, from its name `from` on, fits. Work is bounded by the product of the lengths. */
export function patternMatches(pattern: PathPattern, path: Names, from: number, isFolder: boolean): boolean {
	if (pattern.folder && !isFolder) return false;
	const { parts, anywhere } = pattern;
	const end = path.names.length;
	if (anywhere) return partMatches(parts[0] as Part, path, end - 1);
	let at = 0;
	let star = -1;
	let starAt = 0;
	let i = from;
	while (i < end) {
		const part = parts[at];
		if (part === ANY_DEPTH) {
			// at the end of a pattern it stands for what lies in a folder, never for the folder
			if (at === parts.length - 1) return i < end;
			star = at++;
			starAt = i;
		} else if (part !== undefined && partMatches(part, path, i)) {
			at++;
			i++;
		} else if (star >= 0) {
			at = star + 1;
			i = ++starAt;
		} else return false;
	}
	return at === parts.length;
}

function partMatches(part: Part, { names, chars }: Names, i: number): boolean {
	if ("whole" in part) return names[i] === part.whole;
	if ("end" in part) return names[i]!.endsWith(part.end);
	return globMatches(part.glob, chars[i]!);
}
