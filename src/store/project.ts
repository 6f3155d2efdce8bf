import { existsSync, statSync } from "node:fs";
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
	const root = projectRoot(cwd);
	const store = storeRoot(process.env);
	return { key: store ? projectPlace(store, root).key : projectKey(root), root };
}

function projectKey(root: string): string {
	const name = basename(root)
		.replace(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^-+/, "")
		.slice(0, 40);
	return `${name || "project"}-${sha256(root).slice(0, 8)}`;
}

/** What the store keeps to know a project again: where it is; inode and birth of that folder, which go with it where it is moved; remotes. */
export type KnownProject = Record<"key" | "root" | "made", string> & { remotes: string[] };

const factsPath = (store: string, key: string): string => join(store, "projects", key, "project.json");
/** `is`: the key of the project that the folder of this path is, as long as it is the one of `made`. */
const factsIn = (store: string, key: string) => readJson<KnownProject & { is: string }>(factsPath(store, key)) ?? {};

/** The projects whose folder was seen. */
export const knownProjects = (store: string): KnownProject[] =>
	namesIn(join(store, "projects")).flatMap((key) => {
		const { root = "", made = "", remotes = [] } = factsIn(store, key);
		return root ? [{ key, root, made, remotes }] : [];
	});

/** Whether its folder is not there now, or is another project by now. One that may not be looked at, or that has no folder above it, is not gone. */
export function isGone({ key, root }: KnownProject): boolean {
	if (madeAt(root) !== undefined) return projectOf(root).key !== key;
	return !!quietly(() => !statSync(root, { throwIfNoEntry: false }) && statSync(dirname(root)).isDirectory());
}

/** Inode and birth of a folder; `""` where the file system keeps no birth, `undefined` where the folder is not there. */
const madeAt = (root: string, stat = quietStat(root)): string | undefined =>
	stat && (stat.birthtimeMs > 0 ? `${stat.ino}:${stat.birthtimeMs}` : "");

/** The project that the folder of a path is by inode and birth, else the one last seen there, else a new one. `free`: the path's next key. */
function projectPlace(store: string, root: string) {
	const made = madeAt(root);
	const kept: ({ at: string } & ReturnType<typeof factsIn>)[] = [];
	let free = projectKey(root);
	for (let n = 2; existsSync(dirname(factsPath(store, free))); free = `${projectKey(root)}-${n++}`)
		kept.push({ at: free, ...factsIn(store, free) });
	const same = kept.findLast((one) => one.made === made && (made || one.is));
	const isGoneNow = made === undefined;
	const seen = kept.findLast(({ is, root: at = root }) => (is ? isGoneNow && factsIn(store, is).root : at) === root);
	const found = same ?? seen ?? (isGoneNow ? kept.at(-1) : undefined);
	// (notes saved before the first session are not hidden)
	return { key: found?.is ?? found?.at ?? free, free, made, mayBeMoved: made && !same && (!found || found.root) };
}

/**
 * Keeps what the project of a folder is known by, and finds the one that was moved here. Gives where it was before, and of a new one how many have
 * a remote in common and no folder any more: anybody can write a remote, so a person takes one over (`adoptProject`).
 */
export function keepProject(store: string, folder: string) {
	const root = projectRoot(folder);
	const { made, mayBeMoved, ...place } = projectPlace(store, root);
	const stays = (one: Partial<KnownProject>) => !!one.made && madeAt(one.root ?? root) === one.made;
	const moved = mayBeMoved && knownProjects(store).find((one) => one.made === made && !stays(one));
	const { key } = moved || place;
	const { root: before = root, made: was = "", remotes: known } = factsIn(store, key);
	if (made === undefined || (before !== root && stays({ root: before, made: was }))) return { before: null, like: 0 };
	const urls = remoteUrls(repositoryOf(folder)?.commonDir ?? "/");
	const remotes = urls.flatMap((url) => remoteName(url) ?? (/^(?:file:\/\/)?\//.test(url) ? url : []));
	const isLike = (one: KnownProject) => one.remotes.some((url) => remotes.includes(url)) && isGone(one);
	const like = known ? 0 : knownProjects(store).filter(isLike).length;
	// (first: a kill in between leaves it the same project)
	if (moved) adoptProject(store, root, key);
	keepFacts(store, key, { root, made, remotes });
	return { before: before === root ? null : before, like };
}

/** From now on the folder is the project of that key, with all that is kept of it. Gives the file that says so. */
export const adoptProject = (
	store: string,
	root: string,
	is: string,
	{ free, made = "" } = projectPlace(store, root),
) => keepFacts(store, free, { is, made });

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
	const root = repository && repository.kind !== "worktree" ? repository.top : projectRoot(cwd);
	return join(claudeRoot, "projects", claudeName(root), "memory");
}

function projectRoot(cwd: string): string {
	const found = findRepository(cwd);
	const real = quietly(() => realPath(resolve(cwd))) ?? "/";
	// of what is gone the project in which it lay
	const store = storeRoot(process.env);
	const isKnown = (at: string): boolean =>
		!quietStat(at) && !!store && factsIn(store, projectKey(at)).root !== undefined;
	if (!found) return [...foldersUp(real)].find(isKnown) ?? real;
	return found.repository ? mainFolder(found.repository) : found.top;
}
