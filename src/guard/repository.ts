import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readPart } from "../files/read-file.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
import { thisUser, userConfig } from "../git/config.ts";
import { gitTop, repositoryOf } from "../git/repository.ts";
import type { Env } from "../store/paths.ts";

const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/**
 * Whether git, reading in the folder, runs no program that the repository's or the user's configuration names: filters, a watcher
 * of files, hooks, converters, checkers of signatures, what fetches missing objects. False for a repository that is not clearly
 * the user's, in which others lie, which bring their own, or which can't be read.
 */
export function isPlainRepository(folder: string, env: Env): boolean {
	// another repository, or settings that no file holds
	if (Object.keys(env).some((name) => /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|CONFIG)/.test(name))) return false;
	try {
		const user = thisUser(env);
		if (userConfig(user).some(([name, value]) => RUNS.test(name) && !isUsers(name, value))) return false;
		const real = realPath(folder);
		const top = gitTop(real);
		for (const at of foldersUp(real)) {
			if (at === top) break;
			// git takes a bare one first
			if (existsSync(join(at, "HEAD")) && existsSync(join(at, "objects"))) return false;
		}
		// without one git says so
		if (top === null) return true;
		const repository = repositoryOf(real, user);
		if (repository?.top !== top) return false;
		const { gitDir, commonDir } = repository;
		return (
			isPlainConfig(join(commonDir, "config")) &&
			isPlainConfig(join(gitDir, "config.worktree")) &&
			!existsSync(join(commonDir, "hooks", "post-index-change")) &&
			!readdirSync(gitDir).some((name) => name.startsWith("sharedindex.")) &&
			isWithoutRepositories(join(gitDir, "index"))
		);
	} catch {
		return false;
	}
}

/** The mode of a repository within, anywhere in the bytes; sometimes it is the size of a file. */
function isWithoutRepositories(index: string): boolean {
	const stat = statSync(index, { throwIfNoEntry: false });
	if (!stat) return true;
	return stat.isFile() && stat.size <= MAX_INDEX_BYTES && !readFileSync(index).includes(Buffer.from([0, 0, 0xe0, 0]));
}

/** Settings that name a program, or have git run one. */
const KEYS =
	"external|command|textconv|clean|smudge|process|hookspath|alternaterefscommand|program|defaultkeycommand|showsignature|diffmerges|partialclone|promisor|partialclonefilter";
const RUNS = new RegExp(`\\.(?:${KEYS}|fsmonitor)$`, "i");

/** The same at the beginning of a line or behind the section's head, whatever section it is, but for git's own watcher; files that are included. */
const HOLDS = new RegExp(
	`(?:^|\\])[^\\S\\n]*(?:${KEYS}|fsmonitor(?! = (?:true|false)$))[^\\S\\n]*(?:[=#;]|$)|\\[\\s*include`,
	"im",
);

function isPlainConfig(file: string): boolean {
	if (!existsSync(file)) return true;
	const read = readPart(file, MAX_CONFIG_BYTES);
	return read?.left === 0 && !HOLDS.test(read.text);
}

/** What a user sets for themselves: where they sign and keep hooks, and git-lfs as it writes itself. */
const isUsers = (name: string, value: string): boolean =>
	/^gpg\.|^(?:log\.showsignature|core\.hookspath)$/.test(name) ||
	(name === "core.fsmonitor" && ["", "true", "false"].includes(value)) ||
	/^git-lfs (?:clean|smudge|filter-process)\b[\w %-]*$/.test(value);
