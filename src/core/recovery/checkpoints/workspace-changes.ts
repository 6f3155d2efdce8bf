import type { Checkpoint } from "../checkpoint.ts";
import type { Workspace } from "../item.ts";
import { foreign } from "../item-text.ts";

/** A fact of the workspace that is not as the checkpoint has it. */
export interface WorkspaceChange {
	about: "branch" | "commit" | "file";
	says: string;
}

/** What became of a file that was edited before the checkpoint: `changedAt` an ISO time, `null` where it is gone. */
export interface FileNow {
	path: string;
	changedAt: string | null;
}

/** Branch, commit and files as they are now, beside what a checkpoint says: an old plan must not pose as the present. */
export function workspaceChanges(
	{ workspace: then, at, state }: Checkpoint,
	now: Workspace | null,
	files: readonly FileNow[],
): WorkspaceChange[] {
	const changes: WorkspaceChange[] = [];
	const branch = then ? then.branch : state.branch;
	if (now && branch && now.branch !== branch)
		changes.push({ about: "branch", says: `branch: ${foreign(branch)} then, ${foreign(now.branch || "none")} now` });
	const [was, is] = [then?.commits[0], now?.commits[0]];
	if (was && is && was !== is)
		changes.push({ about: "commit", says: `last commit: ${foreign(was)} then, ${foreign(is)} now` });
	for (const { path, changedAt } of files) {
		if (changedAt === null) changes.push({ about: "file", says: `${foreign(path)} is gone` });
		else if (changedAt > at) changes.push({ about: "file", says: `${foreign(path)} was changed at ${changedAt}` });
	}
	return changes;
}
