import { existsSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { quietly, quietStat } from "../files/quietly.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
import { errorCode } from "../files/system-failure.ts";
import { remoteName, remoteUrls } from "../git/remotes.ts";
import { findRepository, mainFolder, repositoryOf } from "../git/repository.ts";
import { sha256, writeJson } from "./gate.ts";
import { readJson } from "./json-file.ts";
import { claudeName, storeRoot } from "./paths.ts";
import { refusePathLinks } from "./refuse-links.ts";

/** What a folder belongs to: `root` is the repository's main folder (or the folder itself), `key` names it in the store. */
export interface Project {
	key: string;
	root: string;
}

/**
 * The project of a folder. Identified by git's common dir, so all worktrees of a repository share one project; read from
 * files, without a git process, and only where git's own two-way links hold (`findRepository`). Outside git: the folder
 * itself. Never throws, also for a folder that is gone.
 */
export function projectOf(cwd: string): Project {
	const root = rootOf(cwd);
	const store = storeRoot(process.env);
	return { key: store ? placeIn(store, root).key : keyOf(root), root };
}

function keyOf(root: string): string {
	const name = basename(root)
		.replace(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^-+/, "")
		.slice(0, 40);
	return `${name || "project"}-${sha256(root).slice(0, 8)}`;
}

/** What the store keeps to know a project again: where it is; inode and birth of that folder, which go with it where it is moved; remotes. */
export type KnownProject = Record<"key" | "root" | "made", string> & { remotes: string[] };

const factsPath = (store: string, key: string): string => join(store, "projects", key, "project.json");
/** `is`: the key of the project that a folder of this path is, the one that `made` tells. */
const factsIn = (store: string, key: string) => readJson<KnownProject & { is: string }>(factsPath(store, key)) ?? {};

/** The projects whose folder was seen. */
export const knownProjects = (store: string): KnownProject[] =>
	namesIn(join(store, "projects")).flatMap((key) => {
		const { root = "", made = "", remotes = [] } = factsIn(store, key);
		return root ? [{ key, root, made, remotes }] : [];
	});

/** Whether its folder is surely gone, or is another project by now. */
export function isGone({ key, root }: KnownProject): boolean {
	try {
		statSync(root);
		return projectOf(root).key !== key;
	} catch (error) {
		return errorCode(error) === "ENOENT" && existsSync(dirname(root));
	}
}

/** Of a folder; `""` where the file system keeps no birth. */
const madeOf = (stat: Stats | undefined): string => (stat?.birthtimeMs ? `${stat.ino}:${stat.birthtimeMs}` : "");

/** Where it is kept which project a folder is, and the key of that. A folder that comes where another project was gets a place of its own. */
function placeIn(store: string, root: string): { place: string; key: string } {
	const made = madeOf(quietStat(root));
	for (let n = 1; ; n++) {
		const place = keyOf(root) + (n > 1 ? `-${n}` : "");
		const { is, root: seen = root, made: known } = factsIn(store, place);
		const isOther = is !== undefined ? known !== made : seen !== root && !(made && known === made);
		if (!isOther || !quietStat(root)) return { place, key: is ?? place };
	}
}

/**
 * Keeps what the project of a folder is known by. Gives where it was before: a folder that was moved keeps inode and birth. And of a new one
 * the projects that have a remote in common and whose folder is gone: anybody can write a remote, so a person takes one over
 * (`adoptProject`).
 */
export function keepProject(store: string, folder: string) {
	const root = rootOf(folder);
	const made = madeOf(statSync(root));
	const { place, key: own } = placeIn(store, root);
	const known = existsSync(dirname(factsPath(store, place))) ? [] : knownProjects(store);
	const moved = known.find((one) => made && one.made === made && !quietStat(one.root));
	const key = moved?.key ?? own;
	const { root: before = root } = factsIn(store, key);
	const urls = remoteUrls(repositoryOf(folder)?.commonDir ?? "/");
	const remotes = urls.flatMap((url) => remoteName(url) ?? (/^(?:file:\/\/)?\//.test(url) ? url : []));
	const like = known.filter((one) => one.remotes.some((url) => remotes.includes(url)) && isGone(one));
	// (first: a kill in between leaves it the same project)
	if (key !== own) adoptProject(store, root, key);
	keepFacts(store, key, { root, made, remotes });
	return { before: before === root ? null : before, like: moved ? 0 : like.length };
}

/** From now on the folder is the project of that key, with all that is kept of it. Gives the file that says so. */
export const adoptProject = (store: string, root: string, key: string): string =>
	keepFacts(store, placeIn(store, root).place, { is: key, made: madeOf(quietStat(root)) });

function keepFacts(
	store: string,
	key: string,
	{ remotes, ...exact }: Omit<Partial<KnownProject & { is: string }>, "key">,
): string {
	const path = factsPath(store, key);
	refusePathLinks(store, dirname(path));
	writeJson(path, { ...exact, remotes }, { exact, sync: false });
	return path;
}

/** Where the store keeps what belongs to the project of `cwd`. */
export function projectFolder(storeRoot: string, cwd: string): string {
	return join(storeRoot, "projects", projectOf(cwd).key);
}

/** Claude Code's own memory folder for the project of `cwd`: linked worktrees alone share one (measured on 2.1.332). Read by ccg, never written. */
export function nativeMemoryFolder(claudeRoot: string, cwd: string): string {
	const repository = findRepository(cwd)?.repository;
	const root = repository && repository.kind !== "worktree" ? repository.top : rootOf(cwd);
	return join(claudeRoot, "projects", claudeName(root), "memory");
}

function rootOf(cwd: string): string {
	const found = findRepository(cwd);
	const real = quietly(() => realPath(resolve(cwd))) ?? "/";
	// of what is gone the project in which it lay
	const store = storeRoot(process.env);
	const isKnown = (at: string): boolean => !quietStat(at) && !!store && factsIn(store, keyOf(at)).root !== undefined;
	if (!found) return [...foldersUp(real)].find(isKnown) ?? real;
	return found.repository ? mainFolder(found.repository) : found.top;
}
