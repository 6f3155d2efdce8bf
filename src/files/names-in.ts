import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { quietly } from "./quietly.ts";

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
 * The regular files below a folder by their absolute paths, those near the top first. Folders with a dot, of what is fetched and of what
 * is built are passed over, links not followed, and bounds end it. Never throws.
 */
export function writtenFilesBelow(top: string): string[] {
	const end = performance.now() + MAX_MS;
	const found: string[] = [];
	const isWritten = (name: string): boolean => !name.startsWith(".") && !FETCHED.has(name) && !BUILT.has(name);
	let looks = 0;
	for (let level = [top]; level.length > 0; ) {
		const below: string[] = [];
		for (const folder of level)
			for (const entry of entriesOf(folder)) {
				if (++looks > MAX_LOOKS || (looks % 32 === 0 && performance.now() >= end)) return found;
				const path = join(folder, entry.name);
				if (entry.isDirectory() && isWritten(entry.name)) below.push(path);
				if (entry.isFile()) found.push(path);
			}
		level = below;
	}
	return found;
}
