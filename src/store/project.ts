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
 * The project of a folder. Identified by git's common dir, so all worktrees of a repository share one project; read from
 * files, without a git process, and only where git's own two-way links hold (`findRepository`). Outside git: the folder
 * itself. Never throws, also for a folder that is gone.
 */
export function projectOf(cwd: string): Project {
	const store = storeRoot(process.env);
	const known = store ? knownProjects(store) : [];
	const root = projectRoot(cwd, known);
	return { key: projectAt(known, root, madeAt(root))?.key ?? freeKey(known, root, sha256(root)), root };
}

const listPath = (store: string): string => join(store, "projects.json");

/** The projects whose folder was seen. */
export function knownProjects(store: string): KnownProject[] {
	const { projects } = readJson<{ projects: KnownProject[] }>(listPath(store)) ?? {};
	return Array.isArray(projects) ? projects : [];
}

/** Puts a project in the place of the one of its key, and of `instead`. Read anew: what was written meanwhile stays. */
function writeProject(store: string, one: KnownProject, instead?: string): void {
	const projects = withProject(knownProjects(store), one, instead);
	writeJson(listPath(store), { projects }, { exact: { projects }, sync: false });
}

/** Inode and birth of a folder; `""` where the file system keeps no birth, `undefined` where the folder is not there. */
const madeAt = (root: string, stat = quietStat(root)): string | undefined =>
	stat && (stat.birthtimeMs > 0 ? `${stat.ino}:${stat.birthtimeMs}` : "");

/** Whether its folder is not there now, or is another project by now. One that may not be looked at, or that has no folder above it, is not gone. */
export function isGone({ key, root }: KnownProject): boolean {
	if (madeAt(root) !== undefined) return projectOf(root).key !== key;
	return !!quietly(() => !statSync(root, { throwIfNoEntry: false }) && statSync(dirname(root)).isDirectory());
}

/**
 * Keeps what the project of a folder is known by. Gives where it was before, and of a new one how many have a remote in common and no
 * folder any more: anybody can write a remote, so a person takes one over (`adoptProject`).
 */
export function keepProject(store: string, folder: string): { before: string | null; like: number } {
	const known = knownProjects(store);
	const root = projectRoot(folder, known);
	const made = madeAt(root);
	const last = projectAt(known, root, made);
	// (one folder may have two paths)
	const isMoved = last !== undefined && last.root !== root && madeAt(last.root) !== made;
	if (made === undefined || (last && last.root !== root && !isMoved)) return { before: null, like: 0 };
	const urls = remoteUrls(repositoryOf(folder)?.commonDir ?? "/");
	const names = urls.flatMap((url) => remoteName(url) ?? (/^(?:file:\/\/)?\//.test(url) ? url : []));
	const remotes: string[] = names.map(redactSecrets);
	const isLike = (one: KnownProject) => one.remotes.some((url) => remotes.includes(url)) && isGone(one);
	const like = last ? 0 : known.filter(isLike).length;
	const now = {
		...placeAt(last ?? { key: freeKey(known, root, sha256(root)), root, made, was: [], remotes }, root, made),
		remotes,
	};
	// also where nothing changed: a store that can't be written is told so at each start
	writeProject(store, now);
	return { before: isMoved ? last.root : null, like };
}

/** From now on the folder is the project of that key, with all that is kept of it. */
export function adoptProject(store: string, root: string, key: string): void {
	const known = knownProjects(store);
	const adopted = known.find((one) => one.key === key);
	if (adopted)
		writeProject(store, placeAt(adopted, root, madeAt(root) ?? ""), projectAt(known, root, madeAt(root))?.key);
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

function projectRoot(cwd: string, known: KnownProject[] = []): string {
	const found = findRepository(cwd);
	const real = quietly(() => realPath(resolve(cwd))) ?? "/";
	// of what is gone the project in which it lay
	const isKnown = (at: string): boolean =>
		!quietStat(at) && known.some(({ root, was }) => root === at || was.includes(at));
	if (!found) return [...foldersUp(real)].find(isKnown) ?? real;
	return found.repository ? mainFolder(found.repository) : found.top;
}
