import { lstatSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { linkText, textInside } from "../files/read-inside.ts";
import { realPath } from "../files/real-path.ts";
import { parseConfig, setting } from "./config.ts";

/** Where git keeps a repository's own files. All paths are real ones. */
export interface GitDir {
	/** `.git`, or the folder a linked worktree or a submodule has for itself. */
	gitDir: string;
	/** What all worktrees share; the same as `gitDir` in the main one. */
	commonDir: string;
	kind: "main" | "worktree" | "submodule";
}

const MAX_BYTES = 64 * 1024;
const text = (folder: string, path: string): string => textInside(folder, path, { maxBytes: MAX_BYTES }) ?? "";
const line = (folder: string, path: string): string | undefined =>
	textInside(folder, path, { maxBytes: MAX_BYTES })?.replace(/\r?\n$/, "");

/** As git asks: HEAD names a branch or a commit, and there are objects and refs (of a linked worktree in the common dir). */
export function isGitDir(gitDir: string, commonDir: string): boolean {
	return isHead(gitDir) && ["objects", "refs"].every((name) => isFolder(join(commonDir, name)));
}

function isHead(gitDir: string): boolean {
	const link = linkText(join(gitDir, "HEAD"));
	if (link !== null) return link.startsWith("refs/");
	return /^(?:ref:\s*refs\/|[0-9a-f]{40,64}\s*$)/.test(text(gitDir, "HEAD"));
}

/**
 * Where a `.git` file leads, when what it leads to answers: a linked worktree is listed by its main repository, a submodule's git
 * dir lies in its superproject's and names the submodule's folder, and a bare repository beside its worktrees lies in `.bare`
 * next to the file. Everything else (`git init --separate-git-dir` too) is a claim that nothing confirms: `null`.
 */
export function gitDirBehind(top: string, entry: string): GitDir | null {
	const text = line(dirname(entry), basename(entry))?.trimEnd() ?? "";
	const target = text.startsWith("gitdir: ") && !text.includes("\n") ? text.slice("gitdir: ".length) : "";
	const gitDir = target && realPath(resolve(top, target));
	if (!gitDir || !isFolder(gitDir)) return null;
	const common = line(gitDir, "commondir");
	const commonDir = common === undefined ? gitDir : realPath(resolve(gitDir, common));
	if (!commonDir || !isGitDir(gitDir, commonDir)) return null;
	if (commonDir !== gitDir) return isListed(gitDir, commonDir, entry) ? { gitDir, commonDir, kind: "worktree" } : null;
	if (isSubmodule(gitDir, top)) return { gitDir, commonDir, kind: "submodule" };
	return gitDir === join(top, ".bare") ? { gitDir, commonDir, kind: "main" } : null;
}

/** `<common>/worktrees/<name>/gitdir` names this very `.git` file, and by no link: where one stood, anybody may have put another. */
function isListed(gitDir: string, commonDir: string, entry: string): boolean {
	if (dirname(gitDir) !== join(commonDir, "worktrees")) return false;
	const back = line(gitDir, "gitdir")?.trim();
	return !!back && resolve(gitDir, back) === entry;
}

/** Kept by the repository around it, for this folder. */
function isSubmodule(gitDir: string, top: string): boolean {
	const around = superprojectOf(gitDir);
	if (!around || !top.startsWith(`${around}/`)) return false;
	// a sparse checkout moves the setting into the second file
	const settings = ["config", "config.worktree"].map((name) =>
		setting(parseConfig(text(gitDir, name)), "core.worktree"),
	);
	return settings.some((worktree) => worktree !== undefined && realPath(resolve(gitDir, worktree)) === top);
}

/** The working tree whose git dir keeps this one among its `modules`. */
function superprojectOf(gitDir: string): string | null {
	const main = gitDir.indexOf("/.git/modules/");
	if (main >= 0) {
		const outer = gitDir.slice(0, main + "/.git".length);
		return isPlainFolder(outer) && isGitDir(outer, outer) ? dirname(outer) : null;
	}
	// a linked worktree has submodules of its own
	const outer = /^.*?\/worktrees\/[^/]+(?=\/modules\/)/.exec(gitDir)?.[0];
	const back = outer && line(outer, "gitdir")?.trim();
	const entry = back && resolve(outer, back);
	const behind = entry && realPath(entry) === entry && gitDirBehind(dirname(entry), entry);
	return behind && behind.gitDir === outer ? dirname(entry) : null;
}

function isFolder(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
	} catch {
		return false;
	}
}

const isPlainFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
