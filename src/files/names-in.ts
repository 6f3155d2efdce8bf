import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { quietLstat, quietly } from "./quietly.ts";

/** The names in a folder, in order; none where it can't be read. */
export const namesIn = (folder: string): string[] => quietly(() => readdirSync(folder).sort()) ?? [];

/** What a folder holds; nothing where it can't be read. */
export const entriesOf = (folder: string): Dirent[] =>
	quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];

/** Folders of what is fetched, not written. */
const FETCHED = new Set(".git .hg .svn node_modules .venv venv __pycache__ .tox .cache".split(" "));
/** Names that folders of what is built have. */
const BUILT = new Set("target dist build out vendor coverage .next .nuxt".split(" "));
const MAX_LOOKS = 20_000;
/** By the clock: a slow disk does no work. */
const MAX_MS = 300;

/**
 * The regular files below a folder that were changed at or after a time, the newest first, by their absolute paths. Folders
 * with a dot, of what is fetched and of what is built are passed over, links not followed. `complete` is false where the
 * bounds ended it. Never throws.
 */
export function modifiedSince(top: string, since: Date, maxLooks = MAX_LOOKS): { paths: string[]; complete: boolean } {
	const end = performance.now() + MAX_MS;
	let looks = 0;
	const found: { path: string; at: number }[] = [];
	let complete = true;
	const isWritten = (name: string): boolean => !name.startsWith(".") && !FETCHED.has(name) && !BUILT.has(name);
	// those near the top first: they are what a bound should not cost
	for (let level = [top]; complete && level.length > 0; ) {
		const below: string[] = [];
		for (const folder of level)
			for (const entry of complete ? entriesOf(folder) : []) {
				complete = ++looks <= maxLooks && (looks % 32 !== 0 || performance.now() < end);
				if (!complete) break;
				const path = join(folder, entry.name);
				if (entry.isDirectory() && isWritten(entry.name)) below.push(path);
				const at = (entry.isFile() && quietLstat(path)?.mtimeMs) || 0;
				if (at >= since.getTime()) found.push({ path, at });
			}
		level = below;
	}
	found.sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1));
	return { paths: found.map(({ path }) => path), complete };
}
