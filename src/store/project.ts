import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readText } from "./json-file.ts";

/** What a folder belongs to: `root` is the repository's main folder (or the folder itself), `key` names it in the store. */
export interface Project {
	key: string;
	root: string;
}

/**
 * The project of a folder. Identified by git's common dir, so all worktrees of a repository share one project; read from
 * files, without a git process. Outside git: the folder itself. Never throws, also for a folder that is gone.
 */
export function projectOf(cwd: string): Project {
	const root = rootOf(cwd);
	const name = basename(root)
		.replace(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^-+/, "")
		.slice(0, 40);
	// Bun's own hash: node:crypto costs a hook 7 to 10 ms at import.
	const hash = new Bun.CryptoHasher("sha256").update(root).digest("hex");
	return { key: `${name || "project"}-${hash.slice(0, 8)}`, root };
}

/** Where the store keeps what belongs to the project of `cwd`. */
export function projectFolder(storeRoot: string, cwd: string): string {
	return join(storeRoot, "projects", projectOf(cwd).key);
}

/** Claude Code's own memory folder for the project of `cwd`. Read by ccg, never written. */
export function nativeMemoryFolder(claudeRoot: string, cwd: string): string {
	return join(claudeRoot, "projects", projectOf(cwd).root.replace(/[^A-Za-z0-9]/g, "-"), "memory");
}

/** Git's common dir of the repository `folder` lies in (all worktrees share it); `null` outside git. */
export function gitCommonDir(folder: string): string | null {
	for (let at = realPath(resolve(folder)); ; at = dirname(at)) {
		const common = commonDirAt(join(at, ".git"));
		if (common) return common;
		if (dirname(at) === at) return null;
	}
}

function rootOf(cwd: string): string {
	try {
		const common = gitCommonDir(cwd);
		if (!common) return realPath(resolve(cwd));
		return basename(common) === ".git" ? dirname(common) : common;
	} catch {
		return "/";
	}
}

/** The git dir of the working tree `folder` lies in (a worktree has one of its own); `null` outside git. */
export function gitDirOf(folder: string): string | null {
	for (let at = realPath(resolve(folder)); ; at = dirname(at)) {
		const found = gitDirAt(join(at, ".git"));
		if (found) return found;
		if (dirname(at) === at) return null;
	}
}

/** The common dir a `.git` entry leads to, or `null` when there is none or it leads nowhere. */
function commonDirAt(entry: string): string | null {
	const gitDir = gitDirAt(entry);
	if (!gitDir) return null;
	const common = readText(join(gitDir, "commondir"), 65_536)?.trim();
	return realPath(common ? resolve(gitDir, common) : gitDir);
}

function gitDirAt(entry: string): string | null {
	const kind = kindOf(entry);
	if (kind !== "file") return kind && entry;
	const target = /^gitdir: (.+?)\s*$/.exec(readText(entry, 65_536) ?? "")?.[1];
	if (!target) return null;
	const gitDir = resolve(dirname(entry), target);
	return kindOf(gitDir) === "folder" ? gitDir : null;
}

function kindOf(path: string): "file" | "folder" | null {
	try {
		const stat = statSync(path);
		return stat.isDirectory() ? "folder" : stat.isFile() ? "file" : null;
	} catch {
		return null;
	}
}

function realPath(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
}
