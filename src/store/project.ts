import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { freeKey, type KnownProject, projectAt, withProject, withRoot } from "../core/projects.ts";
import { redactSecrets } from "../core/redact/secrets.ts";
import { readJson } from "../files/json-file.ts";
import { tryOrUndefined, tryStat } from "../files/quietly.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
import { readRemoteUrls, remoteName } from "../git/config.ts";
import { findRepository, mainWorktree, repositoryOf } from "../git/repository.ts";
import { sha256, writeJson } from "./gate.ts";
import { claudeFolderName, storeRoot } from "./paths.ts";

/** What a folder belongs to: `root` is the repository's main folder (or the folder itself), `key` names it in the store. */
export interface Project {
	key: string;
	root: string;
}

/** The project of a folder: its git repository with all worktrees (`findRepository`), else the folder, also one that is gone. Never throws. */
export function findProject(cwd: string): Project {
	const store = storeRoot(process.env);
	const known = store ? knownProjects(store) : [];
	const root = findProjectRoot(cwd, known);
	return { key: projectAt(known, root, readFolderIdentity(root))?.key ?? freeKey(known, root, sha256(root)), root };
}

/** The file with the store's list of projects. */
const projectListPath = (store: string): string => join(store, "projects.json");

/** Reads the store's list of projects: those in whose folder ccg was used. */
export function knownProjects(store: string): KnownProject[] {
	const { projects } = readJson<{ projects: KnownProject[] }>(projectListPath(store)) ?? {};
	return Array.isArray(projects) ? projects : [];
}

/** Writes a project into the list, in the place of its old entry and of that with `replacedKey`. Other writers' entries stay. */
function writeProjectEntry(store: string, project: KnownProject, replacedKey?: string): void {
	const projects = withProject(knownProjects(store), project, replacedKey);
	writeJson(projectListPath(store), { projects }, { unredacted: { projects }, sync: false });
}

/** Inode and birth time of a folder, by which it is known when it was moved; `""` without birth times, `undefined` where it is missing. */
const readFolderIdentity = (root: string, stat = tryStat(root)): string | undefined =>
	stat && (stat.birthtimeMs > 0 ? `${stat.ino}:${stat.birthtimeMs}` : "");

/** Whether a project's folder was deleted, or belongs to another project now. `false` where that is not sure: its parent is missing too. */
export function isProjectGone({ key, root }: KnownProject): boolean {
	if (readFolderIdentity(root) !== undefined) return findProject(root).key !== key;
	return !!tryOrUndefined(() => !statSync(root, { throwIfNoEntry: false }) && statSync(dirname(root)).isDirectory());
}

/**
 * Writes a folder's project into the list. Gives the folder from which it was moved, and for a new project how many similar ones the list
 * has: with the same remote, their folder gone. Only a person may say that it is one of these (`adoptProject`): anybody can write a remote.
 */
export function registerProject(store: string, folder: string): { movedFrom: string | null; similar: number } {
	const known = knownProjects(store);
	const root = findProjectRoot(folder, known);
	const identity = readFolderIdentity(root);
	const listed = projectAt(known, root, identity);
	// a folder with two paths has not moved
	const isMoved = listed !== undefined && listed.root !== root && readFolderIdentity(listed.root) !== identity;
	if (identity === undefined || (listed && listed.root !== root && !isMoved)) return { movedFrom: null, similar: 0 };
	const urls = readRemoteUrls(repositoryOf(folder)?.commonDir ?? "/");
	const names = urls.flatMap((url) => remoteName(url) ?? (/^(?:file:\/\/)?\//.test(url) ? url : []));
	const remotes: string[] = names.map(redactSecrets);
	const isSimilar = (other: KnownProject) => other.remotes.some((url) => remotes.includes(url)) && isProjectGone(other);
	const similar = listed ? 0 : known.filter(isSimilar).length;
	const project = listed ?? { key: freeKey(known, root, sha256(root)), root, made: identity, was: [], remotes };
	// written also unchanged, to notice at each start a store that can't be written
	writeProjectEntry(store, { ...withRoot(project, root, identity), remotes });
	return { movedFrom: isMoved ? listed.root : null, similar };
}

/** Makes `root` the folder of the project with that key, so that all the store has of the project is this folder's. */
export function adoptProject(store: string, root: string, key: string): void {
	const known = knownProjects(store);
	const adopted = known.find((project) => project.key === key);
	const identity = readFolderIdentity(root);
	if (adopted) writeProjectEntry(store, withRoot(adopted, root, identity ?? ""), projectAt(known, root, identity)?.key);
}

/** The store's folder for the notes of the project of `cwd`. */
export function projectDataFolder(storeRoot: string, cwd: string): string {
	return join(storeRoot, "projects", findProject(cwd).key);
}

/** Claude Code's own memory folder for the project of `cwd`: linked worktrees alone share one (measured on 2.1.332). Read by ccg, never written. */
export function nativeMemoryFolder(claudeRoot: string, cwd: string): string {
	const repository = findRepository(cwd)?.repository;
	const root = repository && !repository.isLinked ? repository.top : findProjectRoot(cwd);
	return join(claudeRoot, "projects", claudeFolderName(root), "memory");
}

/** The main worktree of a folder's repository, else the folder; for a folder that is gone, that of the known project at or above it. */
function findProjectRoot(cwd: string, known: KnownProject[] = []): string {
	const found = findRepository(cwd);
	const real = tryOrUndefined(() => realPath(resolve(cwd))) ?? "/";
	/** Whether a missing folder was that of a known project. */
	const isLostRoot = (at: string): boolean =>
		!tryStat(at) && known.some(({ root, was }) => root === at || was.includes(at));
	if (!found) return [...foldersUp(real)].find(isLostRoot) ?? real;
	return found.repository ? mainWorktree(found.repository) : found.top;
}
