import { lstatSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { tryLstat, tryOrUndefined, tryStat } from "../files/quietly.ts";
import { readTextInside } from "../files/read-inside.ts";
import { foldersUp, isWithin, realPath } from "../files/real-path.ts";
import { parseGitConfig } from "./config.ts";

/** The ids of the users whose files are trusted: the user, and under sudo also the caller (git does the same). */
export function trustedUserIds(env: Record<string, string | undefined> = process.env): number[] {
	const uid = process.geteuid?.() ?? 0;
	return uid === 0 && /^\d{1,10}$/.test(env.SUDO_UID ?? "") ? [uid, Number(env.SUDO_UID)] : [uid];
}

/** The home folder without links; `null` where HOME is no absolute path. */
function homeFolder(): string | null {
	const { HOME } = process.env;
	return HOME?.startsWith("/") ? realPath(HOME) : null;
}

/** A repository ccg may read: git's two-way links hold, and it belongs to the user. All paths are real ones. */
export interface Repository {
	/** The folder that holds the working tree. */
	top: string;
	/** `.git`, or the folder a linked worktree or a submodule has for itself. */
	gitDir: string;
	/** What all worktrees share; the same as `gitDir` in the main one. */
	commonDir: string;
	/** A linked worktree. */
	isLinked: boolean;
}

/**
 * Finds, from files alone, the first valid `.git` at or above a folder, and the folder `top` that has it; `null` without one. Of the home
 * folder, those above it and those open to everybody, `.git` does not count for folders below: all these would be one project.
 * `repository` is `null` where `.git` may not be read, or leads to a folder that does not confirm it. Never throws.
 */
export const findRepository = (folder: string) =>
	tryOrUndefined(() => searchUpwards(realPath(resolve(folder)))) ?? null;

/** The repository that a folder lies in (`findRepository`), or `null`. */
export const repositoryOf = (folder: string): Repository | null => findRepository(folder)?.repository ?? null;

/** The folder by which the store knows a repository with all its worktrees: the main worktree, except where that is the home folder or above. */
export function mainWorktree({ top, commonDir }: Repository): string {
	const home = homeFolder();
	const mainFolder = basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
	return mainFolder !== top && home && isWithin(home, mainFolder) ? top : mainFolder;
}

/** The nearest folder, this one or above, that has a `.git` of any kind, also an invalid one; `null` without one. */
export function gitTop(folder: string): string | null {
	for (const candidate of foldersUp(folder)) if (tryLstat(join(candidate, ".git"))) return candidate;
	return null;
}

/** The repository's folder in which Claude Code looks for settings; `null` without one, or where it belongs to somebody else. */
export function ownGitTop(folder: string): string | null {
	const top = gitTop(folder);
	return top !== null && haveTrustedOwners([top, join(top, ".git")]) ? top : null;
}

/** Does the search of `findRepository`, from `start` up to the end of its file system, as git does. */
function searchUpwards(start: string): NonNullable<ReturnType<typeof readRepositoryAt>> | null {
	const home = homeFolder();
	let device: number | null = null;
	for (const folder of foldersUp(start)) {
		const stat = tryStat(folder);
		if (stat && device !== null && stat.dev !== device) return null;
		device ??= stat?.dev ?? null;
		if (folder !== start && stat && ((home && isWithin(home, folder)) || isOpenToEverybody(stat))) return null;
		if (stat?.isDirectory()) {
			const found = readRepositoryAt(folder);
			if (found !== undefined) return found;
		}
	}
	return null;
}

/** Whether everybody may add files to a folder: one like /tmp, or an untrusted user's that everybody may write to. */
const isOpenToEverybody = ({ mode, uid }: Stats): boolean =>
	(mode & 0o002) !== 0 && ((mode & 0o1000) !== 0 || !trustedUserIds().includes(uid));

/** The repository whose `.git` is in `top`; `undefined` where there is none, `null` where the search must end: `.git` is of another user. */
function readRepositoryAt(top: string): { top: string; repository: Repository | null } | null | undefined {
	const dotGit = join(top, ".git");
	const stat = lstatSync(dotGit, { throwIfNoEntry: false });
	if (!stat) return undefined;
	if (stat.isDirectory()) {
		if (!isGitDir(dotGit, dotGit)) return undefined;
		if (!haveTrustedOwners([top, dotGit])) return null;
		// a file `commondir` leads elsewhere, where nothing confirms it
		const isRedirected = lstatSync(join(dotGit, "commondir"), { throwIfNoEntry: false }) !== undefined;
		return { top, repository: isRedirected ? null : { top, gitDir: dotGit, commonDir: dotGit, isLinked: false } };
	}
	if (!haveTrustedOwners([top, dotGit])) return null;
	const repository = stat.isFile() ? resolveGitFile(top, dotGit) : null;
	if (!repository) return { top, repository: null };
	const { gitDir, commonDir } = repository;
	return haveTrustedOwners([top, dotGit, gitDir, commonDir]) ? { top, repository } : null;
}

/**
 * The repository that a `.git` file (`dotGit`) names, if that confirms it: the main repository lists this worktree, a submodule's git dir
 * lies in the outer repository and names this folder, or a bare repository lies in `.bare` next to the file. Else `null`.
 */
function resolveGitFile(top: string, dotGit: string): Repository | null {
	const text = readWithoutLineEnd(top, ".git")?.trimEnd() ?? "";
	const target = text.startsWith("gitdir: ") && !text.includes("\n") ? text.slice("gitdir: ".length) : "";
	const gitDir = target && realPath(resolve(top, target));
	if (!gitDir || !tryStat(gitDir)?.isDirectory()) return null;
	const common = readWithoutLineEnd(gitDir, "commondir");
	const commonDir = common === undefined ? gitDir : realPath(resolve(gitDir, common));
	if (!commonDir || !isGitDir(gitDir, commonDir)) return null;
	const isLinked = commonDir !== gitDir;
	const isConfirmed = isLinked
		? isListedWorktree(gitDir, commonDir, dotGit)
		: gitDir === join(top, ".bare") || isSubmodule(gitDir, top);
	return isConfirmed ? { top, gitDir, commonDir, isLinked } : null;
}

/** Whether `<commonDir>/worktrees/<name>/gitdir` names this `.git` file, not by a link: its target may be anybody's. */
function isListedWorktree(gitDir: string, commonDir: string, dotGit: string): boolean {
	if (dirname(gitDir) !== join(commonDir, "worktrees")) return false;
	const listedFile = readWithoutLineEnd(gitDir, "gitdir")?.trim();
	return !!listedFile && resolve(gitDir, listedFile) === dotGit;
}

/** Whether `gitDir` is that of a submodule in `top`: its setting `core.worktree` names `top`. A sparse checkout moves it to the second file. */
function isSubmodule(gitDir: string, top: string): boolean {
	const outer = repositoryOf(dirname(top));
	if (!outer || !isWithin(gitDir, join(outer.gitDir, "modules"))) return false;
	return ["config", "config.worktree"].some((name) => {
		const settings = parseGitConfig(readTextInside(gitDir, name, { maxBytes: MAX_BYTES }) ?? "");
		const worktree = settings.findLast(([setting]) => setting === "core.worktree")?.[1];
		return worktree !== undefined && realPath(resolve(gitDir, worktree)) === top;
	});
}

/** Whether it is a git dir, by git's test: HEAD names a branch or a commit, and `commonDir` has objects and refs. */
function isGitDir(gitDir: string, commonDir: string): boolean {
	const head = readTextInside(gitDir, "HEAD", { maxBytes: MAX_BYTES }) ?? "";
	const isHead = /^(?:ref:\s*refs\/|[0-9a-f]{40,64}\s*$)/.test(head);
	return isHead && ["objects", "refs"].every((name) => tryStat(join(commonDir, name))?.isDirectory());
}

const MAX_BYTES = 64 * 1024;
/** The text of a small file of git's, without its last line end; `undefined` where it can't be read. */
const readWithoutLineEnd = (folder: string, path: string): string | undefined =>
	readTextInside(folder, path, { maxBytes: MAX_BYTES })?.replace(/\r?\n$/, "");

/** Whether all these paths belong to trusted users: somebody else's repository may hold anything. */
const haveTrustedOwners = (paths: readonly string[]): boolean =>
	paths.every((path) => trustedUserIds().includes(tryLstat(path)?.uid ?? -1));
