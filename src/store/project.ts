import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { freeKey, type KnownProject, placeAt, projectAt, withProject } from "../core/projects.ts";
import { redactSecrets } from "../core/redact/secrets.ts";
import { readJson } from "../files/json-file.ts";
import { quietly, quietStat } from "../files/quietly.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
import { remoteName, remoteUrls } from "../git/config.ts";
import { findRepository, mainFolder, repositoryOf } from "../git/repository.ts";
import { sha256, writeJson } from "./gate.ts";
import { claudeName, storeRoot } from "./paths.ts";

/** What a folder belongs to: `root` is the repository's main folder (or the folder itself), `key` names it in the store. */
export interface Project {
	key: string;
	root: string;
}

/**
 * The project of a folder: its git repository, with all worktrees, else the folder itself. Read from files, without a git process, and
 * only where git's own two-way links hold (`findRepository`). Never throws, also for a folder that is gone.
 */
export function projectOf(cwd: string): Project {
	const store = storeRoot(process.env);
	const known = store ? knownProjects(store) : [];
	const root = projectRoot(cwd, known);
	return { key: projectAt(known, root, birthOf(root))?.key ?? freeKey(known, root, sha256(root)), root };
}

const listPath = (store: string): string => join(store, "projects.json");

/** The projects in the store's list: those in whose folder ccg was used. */
export function knownProjects(store: string): KnownProject[] {
	const { projects } = readJson<{ projects: KnownProject[] }>(listPath(store)) ?? {};
	return Array.isArray(projects) ? projects : [];
}

/** Writes a project into the list, over the entries with its key and the key `instead`. Reads the list anew: other writers' entries stay. */
function writeProject(store: string, one: KnownProject, instead?: string): void {
	const projects = withProject(knownProjects(store), one, instead);
	writeJson(listPath(store), { projects }, { exact: { projects }, sync: false });
}

/** Inode and birth of a folder; `""` where the file system keeps no birth, `undefined` where the folder is not there. */
const birthOf = (root: string, stat = quietStat(root)): string | undefined =>
	stat && (stat.birthtimeMs > 0 ? `${stat.ino}:${stat.birthtimeMs}` : "");

/** Whether a project's folder is missing, or another project's by now. `false` where it may not be looked at, or its parent is missing too. */
export function isGone({ key, root }: KnownProject): boolean {
	if (birthOf(root) !== undefined) return projectOf(root).key !== key;
	return !!quietly(() => !statSync(root, { throwIfNoEntry: false }) && statSync(dirname(root)).isDirectory());
}

/**
 * Keeps in the list by what a folder's project is recognised. Gives the folder in which it was `before`, and for a new project how many are
 * `like` it: they share a remote and have no folder any more. Anybody can write a remote, so a person takes one over (`adoptProject`).
 */
export function keepProject(store: string, folder: string): { before: string | null; like: number } {
	const known = knownProjects(store);
	const root = projectRoot(folder, known);
	const birth = birthOf(root);
	const last = projectAt(known, root, birth);
	// (one folder may have two paths)
	const isMoved = last !== undefined && last.root !== root && birthOf(last.root) !== birth;
	if (birth === undefined || (last && last.root !== root && !isMoved)) return { before: null, like: 0 };
	const urls = remoteUrls(repositoryOf(folder)?.commonDir ?? "/");
	const names = urls.flatMap((url) => remoteName(url) ?? (/^(?:file:\/\/)?\//.test(url) ? url : []));
	const remotes: string[] = names.map(redactSecrets);
	const isLike = (one: KnownProject) => one.remotes.some((url) => remotes.includes(url)) && isGone(one);
	const like = last ? 0 : known.filter(isLike).length;
	const now = {
		...placeAt(last ?? { key: freeKey(known, root, sha256(root)), root, made: birth, was: [], remotes }, root, birth),
		remotes,
	};
	// also where nothing changed: a store that can't be written is told so at each start
	writeProject(store, now);
	return { before: isMoved ? last.root : null, like };
}

/** Makes the folder `root` the folder of the project with that key, and so the owner of all that the store has of it. */
export function adoptProject(store: string, root: string, key: string): void {
	const known = knownProjects(store);
	const adopted = known.find((one) => one.key === key);
	if (adopted)
		writeProject(store, placeAt(adopted, root, birthOf(root) ?? ""), projectAt(known, root, birthOf(root))?.key);
}

/** Where the store keeps what belongs to the project of `cwd`. */
export function projectFolder(storeRoot: string, cwd: string): string {
	return join(storeRoot, "projects", projectOf(cwd).key);
}

/** Claude Code's own memory folder for the project of `cwd`: linked worktrees alone share one (measured on 2.1.332). Read by ccg, never written. */
export function nativeMemoryFolder(claudeRoot: string, cwd: string): string {
	const repository = findRepository(cwd)?.repository;
	const root = repository && !repository.isLinked ? repository.top : projectRoot(cwd);
	return join(claudeRoot, "projects", claudeName(root), "memory");
}

/** The main folder of a folder's repository, else the folder; for a folder that is gone the known project at or above it. */
function projectRoot(cwd: string, known: KnownProject[] = []): string {
	const found = findRepository(cwd);
	const real = quietly(() => realPath(resolve(cwd))) ?? "/";
	// whether a missing folder was a project's
	const isKnown = (at: string): boolean =>
		!quietStat(at) && known.some(({ root, was }) => root === at || was.includes(at));
	if (!found) return [...foldersUp(real)].find(isKnown) ?? real;
	return found.repository ? mainFolder(found.repository) : found.top;
}
