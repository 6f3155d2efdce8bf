import { basename } from "node:path";
import type { Workspace } from "../../core/checkpoint/checkpoint.ts";
import { safeHead } from "../../core/text/safe-head.ts";
import { safeText, timeAgo } from "../../core/text/text.ts";
import { readTextInside, statInside } from "../../files/read-inside.ts";
import { readHead, recentCommits } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";

/** Bytes read of git's log of HEAD, from its end: thousands of moves. */
const MAX_LOG = 512 * 1024;
/** Bytes read of the plan, from its beginning (goal and step), and of the failure log, from its end (last entry). */
const MAX_PLAN = 128 * 1024;

/** What the workspace's files tell beside the transcript; a missing file is left out. Reads through no link, and starts no program. */
export function readWorkspace(folder: string, now: Date): Workspace {
	return {
		...gitFacts(folder),
		planSummary: findInFile(folder, ".active-plan.md", "head", planSummary, 500),
		lastFailure: findInFile(folder, "skills/failure-recovery/failure-log.md", "tail", lastLoggedFailure, 200),
		selfModelAge: fileAge(folder, "skills/self-model/capabilities.md", now),
		envModelAge: fileAge(folder, "skills/env-model/environment.md", now),
	};
}

/** What `find` makes of a workspace file's text, cut to `max` characters; `null` without a file, or where `find` gives nothing. */
function findInFile(folder: string, path: string, part: "head" | "tail", find: (text: string) => string, max: number) {
	const text = readTextInside(folder, path, { maxBytes: MAX_PLAN, part, noHardLinks: true }) ?? "";
	return safeHead(find(text), max) || null;
}

/** Branch, linked worktree and last commits of the repository that the folder lies in; empty without one. */
function gitFacts(folder: string): Pick<Workspace, "branch" | "worktree" | "commits"> {
	const repository = repositoryOf(folder);
	const head = repository && readHead(repository);
	if (!repository || !head) return { branch: "", commits: [] };
	const log = readTextInside(repository.gitDir, "logs/HEAD", { maxBytes: MAX_LOG, part: "tail" }) ?? "";
	return {
		branch: safeText(head.branch ?? "HEAD (no branch)"),
		// the name git keeps a linked worktree under
		...(repository.isLinked && { worktree: safeText(basename(repository.gitDir)) }),
		commits: recentCommits(log).map(safeText),
	};
}

/** How long ago a workspace file was changed, in words. */
function fileAge(folder: string, path: string, now: Date): string | null {
	const stat = statInside(folder, path);
	return stat?.isFile() ? timeAgo(now.getTime() - stat.mtimeMs) : null;
}

const GOAL = "**Goal**:";
/** The lines that are not blank, trimmed. */
const textLines = (text: string): string[] => text.split("\n").flatMap((line) => line.trim() || []);

/** Goal and current step of an `.active-plan.md`, as far as it has them: line by line, since anybody may have written it. */
export function planSummary(text: string): string {
	const lines = textLines(text);
	const at = lines.findIndex((line) => line.includes(GOAL));
	// the goal may stand on the next line
	const goal = at >= 0 && (lines[at]!.split(GOAL)[1]!.trim() || lines[at + 1]);
	const current = lines.find((line) => /\[in[ .-]progress\]/i.test(line));
	const steps = lines.filter((line) => /^\d+\.\s/.test(line)).length;
	const parts = [goal && `goal: ${goal}`, current ? `current step: ${current}` : steps > 0 && `${steps} steps`];
	return parts.filter(Boolean).join("; ");
}

/** The last entry of a failure log whose entries are separated by `---`: its first three lines on one. */
function lastLoggedFailure(text: string): string {
	const lines = textLines(text);
	const end = lines.findLastIndex((line) => line !== "---") + 1;
	const entry = lines.slice(0, end);
	return entry
		.slice(entry.lastIndexOf("---") + 1)
		.slice(0, 3)
		.join(" ");
}
