import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders of what is fetched, not written. */
const FETCHED = new Set(".git .hg .svn node_modules .venv venv __pycache__ .tox .cache".split(" "));
/** Names that folders of what is built have; where git does not say what is written, they may hold anything. */
const BUILT = new Set("target dist build out vendor coverage .next .nuxt".split(" "));
const MAX_DEPTH = 40;

/**
 * The regular files below a folder, relative to it, without links, without what is fetched, and without what is `built` unless it is
 * asked for. `look` is asked before each name; when it says no, `complete` is false. Never throws.
 */
export function namesInside(
	folder: string,
	look: () => boolean,
	{ built = false } = {},
): { names: string[]; complete: boolean } {
	const names: string[] = [];
	let complete = true;
	const isPassedOver = (name: string): boolean => FETCHED.has(name) || (!built && BUILT.has(name));
	const walk = (below: string, depth: number): void => {
		if (depth > MAX_DEPTH) complete = false;
		for (const entry of complete ? entriesOf(join(folder, below)) : []) {
			if (!look()) complete = false;
			if (!complete) return;
			if (entry.isFile()) names.push(below + entry.name);
			else if (entry.isDirectory() && !isPassedOver(entry.name)) walk(`${below}${entry.name}/`, depth + 1);
		}
	};
	walk("", 0);
	return { names, complete };
}

function entriesOf(folder: string): Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}
