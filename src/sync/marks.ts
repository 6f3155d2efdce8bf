import { existsSync } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../core/text/text.ts";
import { quietly } from "../files/quietly.ts";
import { remoteName, remoteUrls } from "../git/remotes.ts";
import { repositoryOf } from "../git/repository.ts";
import { sha256 } from "../store/gate.ts";
import type { Env } from "../store/paths.ts";

/** What the notes for all projects are marked with. */
export const FOR_ALL_MARK = "all";
const TIME_MS = 20_000;
const MOST = 8;

const markOf = (...words: string[]): string => sha256(`ccg project ${words.join("\n")}`).slice(0, 32);

/**
 * What a project is known by on every machine, never its path: for each of its remotes a hash of that and of the first commit, or a hash
 * of a name that people gave it. A value counts for a project that has one of its marks. Throws where nothing tells.
 */
export function marksOf(folder: string, name: string | undefined, env: Env): string {
	if (name !== undefined) {
		if (!oneLine(name)) throw new Error("a project's name is not empty");
		return markOf("name", oneLine(name).toLowerCase());
	}
	const repository = repositoryOf(folder);
	const remotes = repository ? remoteUrls(repository.commonDir).map(remoteName) : [];
	const known = [...new Set(remotes.filter((one) => one !== null))].sort().slice(0, MOST);
	// the first commit of a shallow clone is any one
	const isShallow = !repository || existsSync(join(repository.commonDir, "shallow"));
	const first = repository && !isShallow && known.length > 0 ? firstCommit(repository.top, env) : null;
	if (first) return known.map((remote) => markOf("repository", first, remote)).join(" ");
	throw new Error(
		`nothing tells which project ${folder} is on other machines (its repository needs a first commit and a remote); give it a name, the same on each: --project NAME`,
	);
}

/** Of several the smallest. Starts no program of the repository. */
function firstCommit(top: string, { PATH = "", HOME = "" }: Env): string | null {
	const words = ["--no-replace-objects", "--no-optional-locks", "-c", "core.fsmonitor=false"];
	const env = { PATH, HOME, GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1" };
	const asked = [...words, "rev-list", "--max-parents=0", "HEAD"];
	const run = quietly(() => Bun.spawnSync(["git", ...asked], { cwd: top, env, timeout: TIME_MS, stderr: "ignore" }));
	const hashes = run?.exitCode === 0 ? run.stdout.toString().split("\n") : [];
	return hashes.filter((hash) => /^[0-9a-f]{40,64}$/.test(hash)).sort()[0] ?? null;
}
