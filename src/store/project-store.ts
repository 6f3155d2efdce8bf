import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { realPath } from "../files/real-path.ts";
import { findRepository, mainFolder } from "../git/repository.ts";
import { thisUser, type User } from "../git/user.ts";
import { type Env, storeRoot } from "./paths.ts";

/** The store a run may use: none where a repository may have named one in itself. */
export const storeOutside = (env: Env, folders: readonly (string | undefined)[]): string | null =>
	projectAround(env, folders) === null ? storeRoot(env) : null;

/**
 * The project folder in which a store lies that CCG_HOME names: one of the folders, or what is the repository's around it;
 * `null` where it lies outside of all. A repository's settings may set CCG_HOME into the repository: its files would then count as
 * the user's configuration and notes. The home folder and what is above it hold no one project. Nothing is looked at where
 * CCG_HOME is not set.
 */
export function projectAround(env: Env, folders: readonly (string | undefined)[]): string | null {
	const root = env.CCG_HOME ? storeRoot(env) : null;
	if (!root) return null;
	const home = env.HOME ?? "";
	const holds = (folder: string): boolean =>
		isWithin(root, folder) && !isWithin(home, folder) && (realPath(folder) !== realPath(root) || isRepository(folder));
	const named = folders.filter((folder) => folder !== undefined && isAbsolute(folder)) as string[];
	const user = thisUser(env);
	return named.find(holds) ?? named.flatMap((folder) => repositoryFolders(folder, user)).find(holds) ?? null;
}

/** What belongs to the repository around a folder: its top, the main folder of its worktrees, and what a submodule lies in. */
function repositoryFolders(folder: string, user: User): string[] {
	const found = findRepository(folder, user);
	if (!found?.repository) return found ? [found.top] : [];
	const { top, repository } = found;
	if (repository.kind === "submodule") return [top, ...repositoryFolders(dirname(top), user)];
	return [top, mainFolder(repository, user)];
}

/** A person may have gone into the store's own folder: nothing of a project lies there. */
const isRepository = (folder: string): boolean =>
	[".git", ".claude"].some((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined);

/** By their names or by their real paths. */
const isWithin = (path: string, folder: string): boolean =>
	[path, realPath(path)].some((one) => [folder, realPath(folder)].some((top) => lies(one, top)));

const lies = (path: string, top: string): boolean =>
	path === top || path.startsWith(top.endsWith("/") ? top : `${top}/`);
