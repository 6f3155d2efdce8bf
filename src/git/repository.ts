import { lstatSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { quietLstat, quietly, quietStat } from "../files/quietly.ts";
import { textInside } from "../files/read-inside.ts";
import { foldersUp, isWithin, realPath } from "../files/real-path.ts";
import { parseConfig } from "./config.ts";

/** Whose files are trusted: the user's, and root's caller's under sudo (git does the same). */
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
 * What a folder lies in, found from files alone: at or above it the first `.git` that is something. `null` outside of any. The
 * home folder and what is above it count for themselves only, as do folders in which everybody may put things: a `.git` there
 * would make one project of all that lies below. A folder of another user is never looked into. `top` is the folder that is one project;
 * without a repository where what stands at `.git` is not to be read, or leads somewhere that does not know it. Never throws.
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

/** The folder that holds something named `.git`, at or above; `null` outside of any. What a project is is asked of `projectOf`. */
export function gitTop(folder: string): string | null {
	for (const at of foldersUp(folder)) if (quietLstat(join(at, ".git"))) return at;
	return null;
}

/** The same where Claude Code looks for the settings of a repository: `null` where it belongs to somebody else. */
export function ownGitTop(folder: string): string | null {
	const top = gitTop(folder);
	return top !== null && isTrusted([top, join(top, ".git")]) ? top : null;
}

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

/** As /tmp is; or open to everybody and of another user. */
const isSharedPlace = ({ mode, uid }: Stats): boolean =>
	(mode & 0o002) !== 0 && ((mode & 0o1000) !== 0 || !trustedUsers().includes(uid));

/** `undefined`: nothing here, look further up. `null`: something that ends the search. */
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
 * Where a `.git` file leads, when what it leads to answers: a linked worktree is listed by its main repository, a submodule's git
 * dir lies in that of the repository around it and names the submodule's folder, and a bare repository beside its worktrees lies in
 * `.bare` next to the file. Everything else, a separate git dir too, is a claim that nothing confirms: `null`.
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
	const answers = isLinked
		? isListed(gitDir, commonDir, entry)
		: gitDir === join(top, ".bare") || isSubmodule(gitDir, top);
	return answers ? { top, gitDir, commonDir, isLinked } : null;
}

/** `<common>/worktrees/<name>/gitdir` names this very `.git` file, and by no link: where one stood, anybody may have put another. */
function isListed(gitDir: string, commonDir: string, entry: string): boolean {
	if (dirname(gitDir) !== join(commonDir, "worktrees")) return false;
	const back = readLine(gitDir, "gitdir")?.trim();
	return !!back && resolve(gitDir, back) === entry;
}

/** A submodule's git dir names its folder; a sparse checkout moves the setting into the second file. */
function isSubmodule(gitDir: string, top: string): boolean {
	const around = repositoryOf(dirname(top));
	if (!around || !isWithin(gitDir, join(around.gitDir, "modules"))) return false;
	return ["config", "config.worktree"].some((name) => {
		const own = parseConfig(textInside(gitDir, name, { maxBytes: MAX_BYTES }) ?? "");
		const worktree = own.findLast(([one]) => one === "core.worktree")?.[1];
		return worktree !== undefined && realPath(resolve(gitDir, worktree)) === top;
	});
}

/** As git asks: HEAD names a branch or a commit, and there are objects and refs (of a linked worktree in the common dir). */
function isGitDir(gitDir: string, commonDir: string): boolean {
	const head = textInside(gitDir, "HEAD", { maxBytes: MAX_BYTES }) ?? "";
	const isHead = /^(?:ref:\s*refs\/|[0-9a-f]{40,64}\s*$)/.test(head);
	return isHead && ["objects", "refs"].every((name) => quietStat(join(commonDir, name))?.isDirectory());
}

const MAX_BYTES = 64 * 1024;
const readLine = (folder: string, path: string): string | undefined =>
	textInside(folder, path, { maxBytes: MAX_BYTES })?.replace(/\r?\n$/, "");

/** A repository of somebody else may say and plant what it likes. */
const isTrusted = (paths: readonly string[]): boolean =>
	paths.every((path) => trustedUsers().includes(quietLstat(path)?.uid ?? -1));
