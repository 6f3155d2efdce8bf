import { lstatSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { foldersUp } from "../files/folders-up.ts";
import { quietStat } from "../files/quiet-stat.ts";
import { realPath } from "../files/real-path.ts";
import { type GitDir, gitDirBehind, isGitDir } from "./git-dir.ts";
import { isTrusted } from "./owner.ts";
import { thisUser, type User } from "./user.ts";

/** A repository ccg may read: git's two-way links hold, and it belongs to the user. */
export interface Repository extends GitDir {
	/** The folder that holds the working tree, by its real path. */
	top: string;
}

export interface FoundRepository {
	/** The folder that is one project: the repository's, or the one whose `.git` leads somewhere that does not know it. */
	top: string;
	/** `null` where what stands at `.git` is not to be read. */
	repository: Repository | null;
}

/**
 * What a folder lies in, found from files alone: at or above it the first `.git` that is something. `null` outside of any. The
 * home folder and what is above it count for themselves only, as do folders in which everybody may put things: a `.git` there
 * would make one project of all that lies below. A folder of another user is never looked into. Never throws.
 */
export function findRepository(folder: string, user: User = thisUser()): FoundRepository | null {
	try {
		return walk(realPath(resolve(folder)), user);
	} catch {
		return null;
	}
}

/** The repository a folder lies in, or `null`. */
export const repositoryOf = (folder: string, user?: User): Repository | null =>
	findRepository(folder, user)?.repository ?? null;

function walk(start: string, user: User): FoundRepository | null {
	const home = user.home && realPath(user.home);
	let device: number | null = null;
	for (const at of foldersUp(start)) {
		const stat = quietStat(at);
		// git does not pass from one file system to another either
		if (stat && device !== null && stat.dev !== device) return null;
		device ??= stat?.dev ?? null;
		if (at !== start && stat && (isAtOrAbove(at, home) || isSharedPlace(stat, user))) return null;
		if (stat?.isDirectory()) {
			const found = repositoryAt(at, user);
			if (found !== undefined) return found;
		}
	}
	return null;
}

/** `undefined`: nothing here, look further up. `null`: something that ends the search. */
function repositoryAt(top: string, user: User): FoundRepository | null | undefined {
	const entry = join(top, ".git");
	const stat = lstatSync(entry, { throwIfNoEntry: false });
	if (!stat) return undefined;
	if (stat.isDirectory()) {
		// an empty folder of that name is no repository, for git as well
		if (!isGitDir(entry, entry)) return undefined;
		if (!isTrusted(top, [entry], user)) return null;
		// a main git dir with a `commondir` is led elsewhere by a file nothing answers to
		const isLed = lstatSync(join(entry, "commondir"), { throwIfNoEntry: false }) !== undefined;
		return { top, repository: isLed ? null : { top, gitDir: entry, commonDir: entry, kind: "main" } };
	}
	if (!isTrusted(top, [entry], user)) return null;
	const behind = stat.isFile() ? gitDirBehind(top, entry) : null;
	if (!behind) return { top, repository: null };
	if (!isTrusted(top, [entry, behind.gitDir, behind.commonDir], user)) return null;
	return { top, repository: { top, ...behind } };
}

const isAtOrAbove = (folder: string, home: string | null): boolean =>
	home !== null && (folder === home || folder === "/" || home.startsWith(`${folder}/`));

/** As /tmp is; or open to everybody and of another user. */
const isSharedPlace = ({ mode, uid }: Stats, { uids }: User): boolean =>
	(mode & 0o002) !== 0 && ((mode & 0o1000) !== 0 || !uids.includes(uid));

/** The folder that stands for the repository in the store: the main one of all its worktrees. */
export function mainFolder({ top, commonDir, kind }: Repository, user: User = thisUser()): string {
	if (kind === "submodule") return commonDir;
	const main = basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
	return main !== top && isAtOrAbove(main, user.home && realPath(user.home)) ? top : main;
}
