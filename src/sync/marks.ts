import { existsSync } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../core/text/text.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { repositoryOf } from "../git/repository.ts";
import { sha256 } from "../store/gate.ts";
import type { Env } from "../store/paths.ts";

export const FOR_ALL_MARK = "all";
const TIME_MS = 20_000;

/**
 * Gives the mark of a project, the same on every machine: a hash of its repository's first commit, or of the name that people gave it; never
 * of its path. Throws where it has neither.
 */
export function projectMark(folder: string, name: string | undefined, env: Env): string {
	const identity = name === undefined ? firstCommit(folder, env) : oneLine(name).toLowerCase();
	if (identity) return sha256(`ccg project ${name === undefined ? "repository" : "name"}\n${identity}`).slice(0, 32);
	const why = "it is no repository with its first commit";
	const advice = "give it a name, the same on each: --project NAME";
	throw new Error(`nothing tells which project ${folder} is on other machines (${why}); ${advice}`);
}

/** Gives the hash of a repository's first commit, of several the smallest; `null` where it is not known. Starts no program of the repository. */
function firstCommit(folder: string, { PATH = "", HOME = "" }: Env): string | null {
	const repository = repositoryOf(folder);
	// the first commit of a shallow clone may be any one
	if (!repository || existsSync(join(repository.commonDir, "shallow"))) return null;
	const words = ["--no-replace-objects", "--no-optional-locks", "-c", "core.fsmonitor=false"];
	const env = { PATH, HOME, GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
	const how = { cwd: repository.top, env, timeout: TIME_MS, stderr: "ignore" } as const;
	const run = tryOrUndefined(() => Bun.spawnSync(["git", ...words, "rev-list", "--max-parents=0", "HEAD"], how));
	const hashes = run?.exitCode === 0 ? run.stdout.toString().split("\n") : [];
	return hashes.filter((hash) => /^[0-9a-f]{40,64}$/.test(hash)).sort()[0] ?? null;
}
