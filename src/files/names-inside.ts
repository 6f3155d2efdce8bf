import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders of what is fetched, not written. */
const FETCHED = new Set(".git .hg .svn node_modules .venv venv __pycache__ .tox .cache".split(" "));
/** Names that folders of what is built have. */
const BUILT = new Set("target dist build out vendor coverage .next .nuxt".split(" "));
const MAX_DEPTH = 40;

/** Whether a folder of this name holds what nobody wrote. */
export const isMade = (name: string): boolean => FETCHED.has(name) || BUILT.has(name);

/**
 * The regular files below a folder, relative to it, without links and what is fetched. `look` is asked before each name; when it says no, `complete` is false. Never throws.
 */
export function namesInside(folder: string, look: () => boolean): { names: string[]; complete: boolean } {
	const names: string[] = [];
	let complete = true;
	const walk = (below: string, depth: number): void => {
		if (depth > MAX_DEPTH) complete = false;
		for (const entry of complete ? entriesOf(join(folder, below)) : []) {
			if (!look()) complete = false;
			if (!complete) return;
			if (entry.isFile()) names.push(below + entry.name);
			else if (entry.isDirectory() && !FETCHED.has(entry.name)) walk(`${below}${entry.name}/`, depth + 1);
		}
	};
	walk("", 0);
	return { names, complete };
}

/** What a folder holds; nothing where it can't be read. */
export function entriesOf(folder: string): Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}
