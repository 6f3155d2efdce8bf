import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { quietly } from "../atomic-write.ts";

/** What is wrong with the files of a store, for `ccg doctor`: sorted paths. */
export interface FaultyFiles {
	/** Quarantined by a reader. */
	damaged: string[];
	/** Where the store has folders and files of its own. */
	links: string[];
}

const MAX_FILES = 20_000;
const OWN_FOLDERS = ["sessions", "run", "log", "install", "observed-later"];
/** One that lies elsewhere is its owner's wish; the short command is a link. */
const OWNERS_FILES = ["config.json", "MEMORY.md", "ccg"];

/** Looks through the store, at 20,000 files at most; what lies in projects is its owner's. Never throws. */
export function faultyFiles(root: string): FaultyFiles {
	const found: FaultyFiles = { damaged: [], links: [] };
	let left = MAX_FILES;
	const walk = (folder: string, into: (name: string) => boolean): void => {
		for (const entry of entriesOf(folder)) {
			if (left-- <= 0) return;
			const path = join(folder, entry.name);
			if (entry.isSymbolicLink()) found.links.push(path);
			else if (entry.name.includes(".damaged-")) found.damaged.push(path);
			else if (entry.isDirectory() && into(entry.name)) walk(path, () => true);
		}
	};
	walk(root, (name) => OWN_FOLDERS.includes(name));
	const links = found.links.filter((path) => !OWNERS_FILES.some((name) => path === join(root, name)));
	return { damaged: found.damaged.sort(), links: links.sort() };
}

/** What a folder holds; nothing where it can't be read. */
export function entriesOf(folder: string): Dirent[] {
	let entries: Dirent[] = [];
	quietly(() => {
		entries = readdirSync(folder, { withFileTypes: true });
	});
	return entries;
}
