import { existsSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { quietly, quietStat } from "../files/quietly.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
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
	return { key: store ? keyIn(store, root) : keyOf(root), root };
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
/** `is`, alone: the key of the project that the folder of this path is. */
const factsIn = (store: string, key: string) => readJson<KnownProject & { is: string }>(factsPath(store, key)) ?? {};

/** The projects whose folder was seen. */
export const knownProjects = (store: string): KnownProject[] =>
	namesIn(join(store, "projects")).flatMap((key) => {
		const { root = "", made = "", remotes = [] } = factsIn(store, key);
		return root ? [{ key, root, made, remotes }] : [];
	});

/** Whether its folder leads to nothing, or to what is another project by now. */
export const isGone = ({ key, root }: KnownProject): boolean => !quietStat(root) || projectOf(root).key !== key;

const madeOf = ({ ino, birthtimeMs }: Stats): string => `${ino}:${birthtimeMs}`;

/** A folder is the project that it was taken for or that was moved here, else that of its path, unless that one went elsewhere. */
function keyIn(store: string, root: string): string {
	const own = keyOf(root);
	const { is, root: seen, made } = factsIn(store, own);
	const stat = is === undefined && quietStat(root);
	if (!stat || seen === root || made === madeOf(stat)) return is ?? own;
	if (seen !== undefined) return `${own}-2`;
	if (existsSync(dirname(factsPath(store, own)))) return own;
	const moved = knownProjects(store).find((one) => one.made === madeOf(stat) && !quietStat(one.root));
	return moved?.key ?? own;
}

/**
 * Keeps what the project of a folder is known by. Gives where it was before, and of a new one the projects that have a remote in common
 * and no folder any more: anybody can write a remote, so a person takes one over (`adoptProject`).
 */
export function keepProject(store: string, folder: string) {
	const { key, root } = projectOf(folder);
	const { root: before = root, remotes: known } = factsIn(store, key);
	const urls = remoteUrls(repositoryOf(folder)?.commonDir ?? "/");
	const remotes = urls.flatMap((url) => remoteName(url) ?? (/^(?:file:\/\/)?\//.test(url) ? url : []));
	const isLike = (one: KnownProject) => one.remotes.some((url) => remotes.includes(url)) && isGone(one);
	const like = known ? [] : knownProjects(store).filter(isLike);
	// (first: a kill in between leaves it the same project)
	if (before !== root) adoptProject(store, root, key);
	keepFacts(store, key, { root, made: madeOf(statSync(root)), remotes });
	return { before: before === root ? null : before, like: like.length };
}

/** From now on the folder is the project of that key, with all that is kept of it. Gives the file that says so. */
export const adoptProject = (store: string, root: string, key: string): string =>
	keepFacts(store, keyOf(root), { is: key });

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
