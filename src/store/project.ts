import { basename, join, resolve } from "node:path";
import { quietly } from "../files/quietly.ts";
import { realPath } from "../files/real-path.ts";
import { findRepository, mainFolder } from "../git/repository.ts";
import { sha256 } from "./gate.ts";
import { claudeName } from "./paths.ts";

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
	const root = rootOf(cwd);
	const name = basename(root)
		.replace(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^-+/, "")
		.slice(0, 40);
	return { key: `${name || "project"}-${sha256(root).slice(0, 8)}`, root };
}

/** Where the store keeps what belongs to the project of `cwd`. */
export function projectFolder(storeRoot: string, cwd: string): string {
	return join(storeRoot, "projects", projectOf(cwd).key);
}

/** Claude Code's own memory folder for the project of `cwd`. Read by ccg, never written. */
export function nativeMemoryFolder(claudeRoot: string, cwd: string): string {
	return join(claudeRoot, "projects", claudeName(projectOf(cwd).root), "memory");
}

function rootOf(cwd: string): string {
	const found = findRepository(cwd);
	if (!found) return quietly(() => realPath(resolve(cwd))) ?? "/";
	return found.repository ? mainFolder(found.repository) : found.top;
}
