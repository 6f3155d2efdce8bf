import { basename } from "node:path";
import type { Workspace } from "../../core/checkpoint/checkpoint.ts";
import { age, lastLoggedFailure, planSummary } from "../../core/checkpoint/workspace-plan.ts";
import { safeText } from "../../core/text/text.ts";
import { modifiedSince } from "../../files/names-in.ts";
import { statInside, textInside } from "../../files/read-inside.ts";
import { readHead, recentCommits } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";

/** Of git's log of HEAD, from its end: thousands of moves. */
const MAX_LOG = 512 * 1024;
const MAX_MODIFIED = 200;
/** Of the plan from its beginning, of the failure log from its end: goal and step stand there, and the last entry. */
const MAX_PLAN = 128 * 1024;

/**
 * What the workspace tells beside the transcript. Every source may be missing (its part is left out then). Read
 * are regular files in the workspace alone, by no link and under no second name; no program is started. With
 * `since`, an ISO time, the files of the project (`base`, or the folder where it lies elsewhere) that were changed from then on.
 */
export function readWorkspace(folder: string, now: Date, { base = "", since = "" } = {}): Workspace {
	return {
		...git(folder),
		...modified(base && `${folder}/`.startsWith(`${base}/`) ? base : folder, since),
		planSummary: told(folder, ".active-plan.md", "head", planSummary),
		lastFailure: told(folder, "skills/failure-recovery/failure-log.md", "tail", lastLoggedFailure),
		selfModelAge: fileAge(folder, "skills/self-model/capabilities.md", now),
		envModelAge: fileAge(folder, "skills/env-model/environment.md", now),
	};
}

function told(folder: string, path: string, part: "head" | "tail", find: (text: string) => string | null) {
	const text = textInside(folder, path, { maxBytes: MAX_PLAN, part, single: true });
	return text === null ? null : safeText(find(text) ?? "") || null;
}

function git(folder: string): Pick<Workspace, "branch" | "worktree" | "commits"> {
	const repository = repositoryOf(folder);
	const head = repository && readHead(repository);
	if (!repository || !head) return { branch: "", commits: [] };
	const log = textInside(repository.gitDir, "logs/HEAD", { maxBytes: MAX_LOG, part: "tail" }) ?? "";
	return {
		branch: safeText(head.branch ?? "HEAD (no branch)"),
		// the name git keeps a linked worktree under
		...(repository.kind === "worktree" && { worktree: safeText(basename(repository.gitDir)) }),
		commits: recentCommits(log).map(safeText),
	};
}

function modified(folder: string, since: string): Pick<Workspace, "modified" | "modifiedPartly"> {
	if (!since || Number.isNaN(Date.parse(since))) return { modified: [] };
	const { paths, complete } = modifiedSince(folder, new Date(since));
	return {
		modified: paths
			.filter((path) => !basename(path).startsWith(".context-checkpoint"))
			.slice(0, MAX_MODIFIED)
			.map(safeText),
		...(!complete && { modifiedPartly: true as const }),
	};
}

function fileAge(folder: string, path: string, now: Date): string | null {
	const stat = statInside(folder, path);
	return stat?.isFile() ? age(now.getTime() - stat.mtimeMs) : null;
}
