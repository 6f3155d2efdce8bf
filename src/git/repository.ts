import { lstatSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { quietLstat, quietly, quietStat } from "../files/quietly.ts";
import { textInside } from "../files/read-inside.ts";
import { foldersUp, isWithin, realPath } from "../files/real-path.ts";
import { parseConfig } from "./config.ts";

/** The ids of the users whose files are trusted: the user, and under sudo also the caller (git does the same). */
export function trustedUsers(env: Record<string, string | undefined> = process.env): number[] {
	const uid = process.geteuid?.() ?? 0;
	return uid === 0 && /^\d{1,10}$/.test(env.SUDO_UID ?? "") ? [uid, Number(env.SUDO_UID)] : [uid];
}

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
 * Finds, from files alone, the repository that a folder lies in: the first valid `.git` at or above it; `null` without one. The home folder
 * and the folders above it count for themselves only, as do folders in which everybody may put things: a `.git` there would make one project
 * of all that lies below. A folder of another user is never looked into. `top`: the project's folder. `repository` is `null` where `.git`
 * may not be read, or leads to a folder that does not confirm it. Never throws.
 */
export const findRepository = (folder: string) => quietly(() => findUpwards(realPath(resolve(folder)))) ?? null;

/** The repository a folder lies in, or `null`. */
export const repositoryOf = (folder: string): Repository | null => findRepository(folder)?.repository ?? null;

/** The folder that stands for the repository in the store: the main one of all its worktrees. */
export function mainFolder({ top, commonDir }: Repository): string {
	const home = homeFolder();
	const main = basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
	return main !== top && home && isWithin(home, main) ? top : main;
}

/** The nearest folder, this one or above, with an entry `.git` of any kind; `null` without one. (For a project's folder ask `projectOf`.) */
export function gitTop(folder: string): string | null {
	for (const at of foldersUp(folder)) if (quietLstat(join(at, ".git"))) return at;
	return null;
}

/** The repository's folder in which Claude Code looks for settings; `null` without one, or where it belongs to somebody else. */
export function ownGitTop(folder: string): string | null {
	const top = gitTop(folder);
	return top !== null && isTrusted([top, join(top, ".git")]) ? top : null;
}

/** Finds the first project at `start` or above it, up to the end of its file system or a folder that counts for itself only. */
function findUpwards(start: string): NonNullable<ReturnType<typeof repositoryAt>> | null {
	const home = homeFolder();
	let device: number | null = null;
	for (const at of foldersUp(start)) {
		const stat = quietStat(at);
		// git does not pass from one file system to another either
		if (stat && device !== null && stat.dev !== device) return null;
		device ??= stat?.dev ?? null;
		if (at !== start && stat && ((home && isWithin(home, at)) || isSharedPlace(stat))) return null;
		if (stat?.isDirectory()) {
			const found = repositoryAt(at);
			if (found !== undefined) return found;
		}
	}
	return null;
}

/** Whether everybody may put things there: a folder like /tmp, or another user's that is open to everybody. */
const isSharedPlace = ({ mode, uid }: Stats): boolean =>
	(mode & 0o002) !== 0 && ((mode & 0o1000) !== 0 || !trustedUsers().includes(uid));

/** The project whose `.git` stands in `top`. `undefined`: none here, look further up. `null`: something that ends the search. */
function repositoryAt(top: string): { top: string; repository: Repository | null } | null | undefined {
	const entry = join(top, ".git");
	const stat = lstatSync(entry, { throwIfNoEntry: false });
	if (!stat) return undefined;
	if (stat.isDirectory()) {
		// an empty folder of that name is no repository, for git as well
		if (!isGitDir(entry, entry)) return undefined;
		if (!isTrusted([top, entry])) return null;
		// a main git dir with a `commondir` is led elsewhere by a file nothing answers to
		const isLed = lstatSync(join(entry, "commondir"), { throwIfNoEntry: false }) !== undefined;
		return { top, repository: isLed ? null : { top, gitDir: entry, commonDir: entry, isLinked: false } };
	}
	if (!isTrusted([top, entry])) return null;
	const repository = stat.isFile() ? behindFile(top, entry) : null;
	if (!repository) return { top, repository: null };
	const { gitDir, commonDir } = repository;
	return isTrusted([top, entry, gitDir, commonDir]) ? { top, repository } : null;
}

/**
 * The repository that a `.git` file names, if the other side confirms it: a main repository lists its linked worktree; a submodule's git dir
 * lies in that of the repository around it and names its folder; a bare repository lies in `.bare` next to the file. Any other: `null`.
 */
function behindFile(top: string, entry: string): Repository | null {
	const text = readLine(top, ".git")?.trimEnd() ?? "";
	const target = text.startsWith("gitdir: ") && !text.includes("\n") ? text.slice("gitdir: ".length) : "";
	const gitDir = target && realPath(resolve(top, target));
	if (!gitDir || !quietStat(gitDir)?.isDirectory()) return null;
	const common = readLine(gitDir, "commondir");
	const commonDir = common === undefined ? gitDir : realPath(resolve(gitDir, common));
	if (!commonDir || !isGitDir(gitDir, commonDir)) return null;
	const isLinked = commonDir !== gitDir;
	const isConfirmed = isLinked
		? isListed(gitDir, commonDir, entry)
		: gitDir === join(top, ".bare") || isSubmodule(gitDir, top);
	return isConfirmed ? { top, gitDir, commonDir, isLinked } : null;
}

/** Whether `<common>/worktrees/<name>/gitdir` names this very `.git` file, by no link: anybody may have put another file behind a link. */
function isListed(gitDir: string, commonDir: string, entry: string): boolean {
	if (dirname(gitDir) !== join(commonDir, "worktrees")) return false;
	const back = readLine(gitDir, "gitdir")?.trim();
	return !!back && resolve(gitDir, back) === entry;
}

/** Whether `gitDir` is a submodule's that names the folder `top`. A sparse checkout moves that setting into the second file. */
function isSubmodule(gitDir: string, top: string): boolean {
	const around = repositoryOf(dirname(top));
	if (!around || !isWithin(gitDir, join(around.gitDir, "modules"))) return false;
	return ["config", "config.worktree"].some((name) => {
		const own = parseConfig(textInside(gitDir, name, { maxBytes: MAX_BYTES }) ?? "");
		const worktree = own.findLast(([one]) => one === "core.worktree")?.[1];
		return worktree !== undefined && realPath(resolve(gitDir, worktree)) === top;
	});
}

/** Whether it is a git dir, by git's test: HEAD names a branch or a commit, and `commonDir` has objects and refs. */
function isGitDir(gitDir: string, commonDir: string): boolean {
	const head = textInside(gitDir, "HEAD", { maxBytes: MAX_BYTES }) ?? "";
	const isHead = /^(?:ref:\s*refs\/|[0-9a-f]{40,64}\s*$)/.test(head);
	return isHead && ["objects", "refs"].every((name) => quietStat(join(commonDir, name))?.isDirectory());
}

const MAX_BYTES = 64 * 1024;
const readLine = (folder: string, path: string): string | undefined =>
	textInside(folder, path, { maxBytes: MAX_BYTES })?.replace(/\r?\n$/, "");

/** Whether all paths belong to trusted users: a repository of somebody else may hold anything. */
const isTrusted = (paths: readonly string[]): boolean =>
	paths.every((path) => trustedUsers().includes(quietLstat(path)?.uid ?? -1));
