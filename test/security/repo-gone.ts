/** Claims by what stands where a worktree of another project's was deleted. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { RepoSandbox } from "./repo-fixture.ts";

/** A worktree of the victim's that was deleted and not pruned: what stood there may be anything by now. */
function goneWorktree(at: RepoSandbox, victim: string): string {
	const tree = join(at.top, "gone/tree");
	at.gitIn(victim, "worktree", "add", "-q", "-b", "gone", tree);
	at.write(".git", `gitdir: ${victim}/.git/worktrees/tree\n`);
	rmSync(tree, { recursive: true });
	return tree;
}

export const GONE: Record<string, (at: RepoSandbox, victim: string) => undefined> = {
	"a deleted worktree of it, a link to the session's folder in its place": (at, victim) => {
		symlinkSync(at.project, goneWorktree(at, victim));
		return undefined;
	},
	"a deleted worktree of it, a link above its place": (at, victim) => {
		goneWorktree(at, victim);
		rmSync(join(at.top, "gone"), { recursive: true });
		symlinkSync(at.top, join(at.top, "gone"));
		symlinkSync(at.project, join(at.top, "tree"));
		return undefined;
	},
	"a deleted worktree of it, a link to the session's .git in its place": (at, victim) => {
		const tree = goneWorktree(at, victim);
		mkdirSync(tree);
		symlinkSync(join(at.project, ".git"), join(tree, ".git"));
		return undefined;
	},
	"a link in place of a worktree's back link": (at, victim) => {
		goneWorktree(at, victim);
		at.write("back", `${at.project}/.git\n`);
		rmSync(join(victim, ".git/worktrees/tree/gitdir"));
		symlinkSync(join(at.project, "back"), join(victim, ".git/worktrees/tree/gitdir"));
		return undefined;
	},
};
