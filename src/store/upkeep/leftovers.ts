import { lstatSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { entriesOf } from "../../files/names-in.ts";
import { appFolder, currentLink } from "../app-folder.ts";
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

/** A session that runs may have started an MCP server from it. */
const KEPT_MS = 7 * 24 * 3_600_000;
/** What an install that was killed has left. */
const UNFINISHED_MS = 3_600_000;

/** Copies of ccg that are not at work any more, and what is left of unfinished ones. Without a copy at work there are none. */
export function oldCopies(root: string, now: Date): { path: string; reason: string }[] {
	const app = appFolder(root);
	let current = "";
	quietly(() => {
		current = basename(readlinkSync(currentLink(app)));
	});
	if (!current) return [];
	return entriesOf(app).flatMap(({ name }) => {
		const path = join(app, name);
		const ageMs = now.getTime() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime());
		if (/^\.(?:new-|current\.)/.test(name))
			return ageMs > UNFINISHED_MS ? [{ path, reason: "left by an install that did not end" }] : [];
		const isCopy =
			name !== current &&
			/^\d{1,6}\.\d{1,6}\.\d{1,6}[\w.+-]{13,60}$/.test(name) &&
			/-[0-9a-f]{12}(?:-bun[\w.+]{1,30})?$/.test(name);
		return isCopy && ageMs > KEPT_MS ? [{ path, reason: "replaced more than 7 days ago" }] : [];
	});
}

/** Of a folder's files, each path once; Bun is shared between copies, so it is not counted. */
export function bytesBelow(path: string): number {
	let bytes = 0;
	for (const entry of entriesOf(path)) {
		if (entry.isDirectory()) bytes += bytesBelow(join(path, entry.name));
		else {
			const stat = lstatSync(join(path, entry.name), { throwIfNoEntry: false });
			if (stat?.nlink === 1) bytes += stat.size;
		}
	}
	return bytes;
}
