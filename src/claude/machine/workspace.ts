import { basename } from "node:path";
import { environmentLines } from "../../core/context/environment.ts";
import type { Workspace } from "../../core/recovery/item.ts";
import { relative } from "../../core/recovery/item-text.ts";
import { age, lastLoggedFailure, planSummary } from "../../core/recovery/workspace-plan.ts";
import { safeText } from "../../core/text/text.ts";
import { partInside, statInside, textInside } from "../../files/read-inside.ts";
import { readHead } from "../../git/head.ts";
import { recentCommits } from "../../git/reflog.ts";
import { realFolder, repositoryOf } from "../../git/repository.ts";
import { readStatus } from "../../git/status.ts";
import { quickEnvironment } from "./environment-quick.ts";

/** Of git's log of HEAD, from its end: thousands of moves. */
const MAX_LOG = 512 * 1024;
const MAX_LINES = 200;
/** Of the plan from its beginning, of the failure log from its end: goal and step stand there, and the last entry. */
const MAX_PLAN = 128 * 1024;

/**
 * What the workspace tells beside the transcript. Every source may be missing (its part is left out then). Read
 * are regular files in the workspace alone, by no link and under no second name; no program is started. Changed files are named
 * from `base` on, else as git does, from the repository's top.
 */
export function readWorkspace(folder: string, now: Date, base = ""): Workspace {
	const plan = partInside(folder, ".active-plan.md", { maxBytes: MAX_PLAN });
	const failures = partInside(folder, "skills/failure-recovery/failure-log.md", { maxBytes: MAX_PLAN, tail: true });
	return {
		...git(folder, base),
		planSummary: plan && safeText(planSummary(plan.text) ?? "the file has neither goal nor steps") + unread(plan),
		lastFailure: failures && (safeText(lastLoggedFailure(failures.text) ?? "") || null),
		selfModelAge: fileAge(folder, "skills/self-model/capabilities.md", now),
		envModelAge: fileAge(folder, "skills/env-model/environment.md", now),
		environment: environmentLines(quickEnvironment(folder, now)),
	};
}

const unread = ({ left }: { left: number }): string =>
	left > 0 ? ` […${left} more bytes of the file were not read]` : "";

function git(
	folder: string,
	base: string,
): Pick<Workspace, "branch" | "worktree" | "status" | "statusUnseen" | "commits"> {
	const repository = repositoryOf(folder);
	const head = repository && readHead(repository);
	if (!repository || !head) return { branch: "", status: [], commits: [] };
	const { lines, unseen } = readStatus(repository);
	const log = textInside(repository.gitDir, "logs/HEAD", { maxBytes: MAX_LOG, tail: true }) ?? "";
	return {
		branch: safeText(head.branch ?? "HEAD (no branch)"),
		// the name git keeps a linked worktree under
		...(repository.kind === "worktree" && { worktree: safeText(basename(repository.gitDir)) }),
		status: lines
			.filter((line) => !line.includes(".context-checkpoint"))
			.slice(0, MAX_LINES)
			.map((line) => fromBase(line, repository.top, base && realFolder(base)))
			.map(safeText),
		...(unseen !== null && { statusUnseen: safeText(unseen) }),
		commits: recentCommits(log).map(safeText),
	};
}

/** A line of git's status, its path from another folder on; absolute where it lies outside of that. */
function fromBase(line: string, top: string, base: string): string {
	if (!base || base === top) return line;
	const [, letters, quote, path] = /^(.. )("?)(.*)$/.exec(line) ?? [];
	return path === undefined ? line : `${letters}${quote}${relative(`${top}/${path}`, base)}`;
}

function fileAge(folder: string, path: string, now: Date): string | null {
	const stat = statInside(folder, path);
	return stat?.isFile() ? age(now.getTime() - stat.mtimeMs) : null;
}
