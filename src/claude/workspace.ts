import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { environmentLines } from "../core/context/environment.ts";
import type { Workspace } from "../core/recovery/item.ts";
import { age, lastLoggedFailure, planSummary } from "../core/recovery/workspace-plan.ts";
import { safeText } from "../core/text.ts";
import { gitTop } from "../store/git-top.ts";
import { readText } from "../store/json-file.ts";
import { readPart } from "../store/part-of-file.ts";
import { gitCommonDir, gitDirOf } from "../store/project.ts";
import { quickEnvironment } from "./environment-quick.ts";

/** A large repository must not hold the compaction up. */
const GIT_TIMEOUT_MS = 400;
const MAX_TEXT = 256 * 1024;
/** Of the plan from its beginning, of the failure log from its end: goal and step stand there, and the last entry. */
const MAX_PLAN = 128 * 1024;
const MAX_LOG = 8 * 1024 * 1024;

/** What the workspace tells beside the transcript. Every source may be missing (seed 1: a missing source skips its part). */
export function readWorkspace(folder: string, now: Date): Workspace {
	const plan = readPart(join(folder, ".active-plan.md"), MAX_PLAN);
	const failures = readPart(join(folder, "skills", "failure-recovery", "failure-log.md"), MAX_PLAN, { end: true });
	return {
		...git(folder),
		planSummary: plan && safeText(planSummary(plan.text) ?? "the file has neither goal nor steps") + unread(plan),
		lastFailure: failures && (safeText(lastLoggedFailure(failures.text) ?? "") || null),
		selfModelAge: fileAge(join(folder, "skills", "self-model", "capabilities.md"), now),
		envModelAge: fileAge(join(folder, "skills", "env-model", "environment.md"), now),
		environment: environmentLines(quickEnvironment(folder, now)),
	};
}

const unread = ({ left }: { left: number }): string =>
	left > 0 ? ` […${left} more bytes of the file were not read]` : "";

function git(folder: string): Pick<Workspace, "branch" | "worktree" | "status" | "commits"> {
	const none = { branch: "", status: [], commits: [] };
	if (gitTop(folder) === null) return none;
	const status = runGit(folder, ["status", "--porcelain=v1", "--branch", "--no-renames"]);
	if (status === null) return none;
	const [head = "", ...lines] = status.split("\n").filter(Boolean);
	const branch = head
		.replace(/^## (?:No commits yet on )?/, "")
		.split("...")[0]!
		.trim();
	const commits = recentCommits(logOfHead(folder));
	const worktree = worktreeOf(folder);
	return {
		branch: safeText(branch),
		...(worktree ? { worktree } : {}),
		status: lines
			.filter((line) => !line.includes(".context-checkpoint"))
			.slice(0, 200)
			.map(safeText),
		commits: commits.map(safeText),
	};
}

/** The name git keeps a linked worktree under; `null` in the main one and in submodules. */
function worktreeOf(folder: string): string | null {
	const gitDir = gitDirOf(folder);
	return gitDir && basename(dirname(gitDir)) === "worktrees" && gitDir !== gitCommonDir(folder)
		? safeText(basename(gitDir))
		: null;
}

const REFLOG_LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> \d+ [+-]\d{4}\t(.*)$/;
const MAKES =
	/^(?:commit(?: \((?:initial|merge|cherry-pick)\))?|commit( \(amend\))|revert|cherry-pick|rebase(?: -i)? \((?:pick|reword|edit|squash|fixup|continue)\)|merge (?!.*fast-forward)[^:]*): (.*)$/i;
const COMMITS = 3;

/**
 * The last commits made in this working tree, from git's own log of HEAD: a file, no process. Followed back from where HEAD
 * stands, so that what was amended or reset away is not named.
 */
export function recentCommits(log: string): string[] {
	const moves = log.split("\n").flatMap((line) => {
		const found = REFLOG_LINE.exec(line);
		return found ? [{ from: found[1]!, to: found[2]!, what: found[3]! }] : [];
	});
	const commits: string[] = [];
	for (let at = moves.length - 1, want = moves.at(-1)?.to; at >= 0 && commits.length < COMMITS; at--) {
		const { from, to, what } = moves[at]!;
		const made = MAKES.exec(what);
		// a move that made no commit (checkout, reset, the end of a rebase) leads to where it was made
		if (to !== want || !made) continue;
		commits.push(`${to.slice(0, 7)} ${made[2]}`);
		// an amended commit stands where the replaced one stood
		want = made[1] ? parentOf(from, moves) : from;
	}
	return commits;
}

/** What stood below a commit before it was amended, as often as it was. */
function parentOf(commit: string, moves: readonly { from: string; to: string; what: string }[]): string | undefined {
	let want = commit;
	for (const { from, to, what } of moves.toReversed()) {
		if (to !== want || !MAKES.test(what)) continue;
		if (!what.startsWith("commit (amend)")) return from;
		want = from;
	}
	return undefined;
}

function logOfHead(folder: string): string {
	const gitDir = gitDirOf(folder);
	return (gitDir && readText(join(gitDir, "logs", "HEAD"), MAX_LOG)) || "";
}

/** Reads only, takes no lock and starts none of the repository's own programs. */
function runGit(folder: string, args: string[]): string | null {
	try {
		const run = Bun.spawnSync(
			["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args],
			{
				cwd: folder,
				stdin: "ignore",
				stderr: "ignore",
				timeout: GIT_TIMEOUT_MS,
				maxBuffer: MAX_TEXT,
			},
		);
		return run.success ? run.stdout.toString() : null;
	} catch {
		return null;
	}
}

function fileAge(path: string, now: Date): string | null {
	try {
		return age(now.getTime() - statSync(path).mtimeMs);
	} catch {
		return null;
	}
}
