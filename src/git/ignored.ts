import { namesOf, type PathPattern, parsePattern, patternMatches } from "./path-rules.ts";

/** A pattern more than this is not asked: nobody writes so many by hand. */
const MAX_RULES = 10_000;
const MAX_LENGTH = 1_000;

interface IgnoreRule {
	pattern: PathPattern;
	/** `!`: what an earlier one left out is in again. */
	again: boolean;
}

/** The rules of one file, and how many folders below the working tree's it lies. */
export interface IgnoreRules {
	rules: readonly IgnoreRule[];
	depth: number;
	ignoreCase: boolean;
}

/** Reads a `.gitignore`. */
export function parseIgnore(text: string, depth: number, ignoreCase = false): IgnoreRules {
	const rules: IgnoreRule[] = [];
	for (let line of text.replace(/^\uFEFF/, "").split("\n")) {
		if (line.endsWith("\r")) line = line.slice(0, -1);
		line = withoutSpaces(line);
		if (line === "" || line.startsWith("#") || line.length > MAX_LENGTH) continue;
		const again = line.startsWith("!");
		const pattern = parsePattern(again ? line.slice(1) : line, ignoreCase);
		if (pattern) rules.push({ pattern, again });
		if (rules.length === MAX_RULES) break;
	}
	return { rules, depth, ignoreCase };
}

/** Spaces at the end count only behind a backslash. */
function withoutSpaces(line: string): string {
	let end = line.length;
	while (end > 0 && line[end - 1] === " ") end--;
	let slashes = 0;
	while (line[end - 1 - slashes] === "\\") slashes++;
	return slashes % 2 && end < line.length ? line.slice(0, end + 1) : line.slice(0, end);
}

/** Whether a path is left out. Of the files the first that says something counts, and in it the last line that does. */
export function isIgnored(path: string, isFolder: boolean, files: readonly IgnoreRules[]): boolean {
	let plain: ReturnType<typeof namesOf> | undefined;
	for (const { rules, depth, ignoreCase } of files) {
		if (rules.length === 0) continue;
		plain ??= namesOf(path);
		const names = ignoreCase ? namesOf(path, true) : plain;
		for (let i = rules.length - 1; i >= 0; i--)
			if (patternMatches(rules[i]!.pattern, names, depth, isFolder)) return !rules[i]!.again;
	}
	return false;
}
