import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { statInside, textInside } from "../files/read-inside.ts";
import type { WorkBudget } from "./budget.ts";
import { isGitDir } from "./git-dir.ts";
import { type IgnoreRules, isIgnored, parseIgnore } from "./ignored.ts";
import { FOLDER, GITLINK, type IndexEntry, kindOf } from "./index-file.ts";

const MAX_IGNORE = 128 * 1024;
const MAX_FOUND = 1_000;
const MAX_DEPTH = 100;

export interface UntrackedOptions {
	/** `all` names each file; else a folder with nothing tracked in it is named as one. */
	all: boolean;
	ignoreCase: boolean;
	/** Names as git keeps them (`core.precomposeUnicode`). */
	composed: boolean;
	/** Rules of the repository and the user, in falling precedence. */
	rules: readonly IgnoreRules[];
	budget: WorkBudget;
}

/** Files and folders git does not know and is not told to ignore, below `top`, sorted; a folder ends with a slash. Links are not followed. */
export function untrackedFiles(
	top: string,
	entries: readonly IndexEntry[],
	{ all, ignoreCase, composed, rules, budget }: UntrackedOptions,
): { found: string[]; complete: boolean } {
	const { files, folders, closed } = trackedNames(entries, ignoreCase);
	const key = (path: string): string => (ignoreCase ? path.toLowerCase() : path);
	const found: string[] = [];
	let complete = true;

	const namesIn = (folder: string): Dirent[] => {
		if (!budget.look()) return stop();
		try {
			const names = readdirSync(join(top, folder), { withFileTypes: true });
			// order is made once at the end; a bound on names bounds what one folder costs
			return names.length > 100_000 ? stop() : names;
		} catch {
			return [];
		}
	};
	const stop = (): [] => {
		complete = false;
		return [];
	};
	const rulesFor = (
		folder: string,
		names: readonly Dirent[],
		above: readonly IgnoreRules[],
	): readonly IgnoreRules[] => {
		if (!names.some(({ name }) => name === ".gitignore")) return above;
		const text = textInside(top, `${folder}.gitignore`, { maxBytes: MAX_IGNORE });
		return text ? [parseIgnore(text, folder.split("/").length - 1, ignoreCase), ...above] : above;
	};
	/** Whether there is a file in it that counts: the first one ends the search. With `all` each is named. */
	const holdsSome = (folder: string, above: readonly IgnoreRules[], depth: number): boolean => {
		if (depth > MAX_DEPTH) return stop().length > 0;
		const names = namesIn(folder);
		const own = rulesFor(folder, names, above);
		let some = false;
		for (const entry of names) {
			if (!complete || !budget.look()) return stop().length > 0 || some;
			const path = folder + nameOf(entry, composed);
			const kind = kindAt(entry, top, folder);
			if (kind === "other" || isGitName(entry.name) || isIgnored(path, kind === "folder", own)) continue;
			if (kind === "folder" && !isRepository(top, path)) {
				if (!holdsSome(`${path}/`, own, depth + 1)) continue;
			} else if (all) add(kind === "folder" ? `${path}/` : path);
			some = true;
			if (!all) return true;
		}
		return some;
	};
	const add = (path: string): void => {
		if (found.length < MAX_FOUND) found.push(path);
		else complete = false;
	};
	/** A folder with tracked files in it. */
	const walk = (folder: string, above: readonly IgnoreRules[], depth: number): void => {
		if (depth > MAX_DEPTH) return void stop();
		const names = namesIn(folder);
		const own = rulesFor(folder, names, above);
		for (const entry of names) {
			if (!complete) return;
			const path = folder + nameOf(entry, composed);
			if (files.has(key(path)) || isGitName(entry.name)) continue;
			if (!budget.look()) return void stop();
			const kind = kindAt(entry, top, folder);
			const isFolder = kind === "folder";
			if (kind === "other" || (isFolder && closed.has(key(path))) || isIgnored(path, isFolder, own)) continue;
			if (!isFolder) add(path);
			else if (folders.has(key(path))) walk(`${path}/`, own, depth + 1);
			else if (isRepository(top, path)) add(`${path}/`);
			else if (holdsSome(`${path}/`, own, depth + 1) && !all) add(`${path}/`);
		}
	};
	walk("", rules, 0);
	return { found: found.sort(), complete };
}

const isGitName = (name: string): boolean => name.toLowerCase() === ".git";
const nameOf = ({ name }: Dirent, composed: boolean): string => (composed ? name.normalize("NFC") : name);

function kindAt(entry: Dirent, top: string, folder: string): "folder" | "file" | "other" {
	// some file systems do not tell the kind with the name
	const told = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
	const one = told || entry.isFIFO() || entry.isSocket() ? entry : lstatSync(join(top, folder, entry.name));
	return one.isDirectory() ? "folder" : one.isFile() || one.isSymbolicLink() ? "file" : "other";
}

/** A repository inside another is named and not looked into. */
function isRepository(top: string, folder: string): boolean {
	const stat = statInside(top, `${folder}/.git`);
	const gitDir = join(top, folder, ".git");
	return stat !== null && (stat.isFile() || (stat.isDirectory() && isGitDir(gitDir, gitDir)));
}

function trackedNames(entries: readonly IndexEntry[], ignoreCase: boolean) {
	const files = new Set<string>();
	const folders = new Set<string>();
	/** Submodules, and folders a sparse checkout leaves out: nothing in them is asked for. */
	const closed = new Set<string>();
	let last = "";
	for (const { path: given, mode } of entries) {
		const path = ignoreCase ? given.toLowerCase() : given;
		const kind = kindOf(mode);
		if (kind === FOLDER) closed.add(path.replace(/\/$/, ""));
		else if (kind === GITLINK) closed.add(path);
		else files.add(path);
		const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
		if (folder === last) continue;
		last = folder;
		for (let at = folder; at && !folders.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) folders.add(at);
	}
	return { files, folders, closed };
}
