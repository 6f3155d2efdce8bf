import { appendFileSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readWorkspace } from "../../../src/claude/machine/workspace.ts";
import { recentCommits } from "../../../src/git/head.ts";
import { gitIn } from "../../kit/git.ts";

let folder: string;
const git = (...args: string[]): string => gitIn(folder, folder, ["-c", "user.name=A\tda", ...args]);
const commit = (subject: string, ...more: string[]): void => {
	appendFileSync(join(folder, "file"), `${subject}\n`);
	git("add", "-A");
	git("commit", "-q", "-m", subject, ...more);
};
const subjects = (): string[] =>
	recentCommits(readFileSync(join(folder, ".git", "logs", "HEAD"), "utf8")).map((line) => line.slice(8));
const real = (): string[] => git("log", "-3", "--format=%s").trim().split("\n");

beforeEach(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), "ccg-workspace-")));
	git("init", "-q", "-b", "main");
});

test.each<[string, () => void]>([
	["a fourth", () => commit("four")],
	[
		"amended twice",
		() => {
			commit("three again", "--amend");
			commit("three at last", "--amend");
		},
	],
	[
		"rebased",
		() => {
			git("checkout", "-q", "-b", "side", "HEAD~1");
			appendFileSync(join(folder, "other"), "x");
			git("add", "-A");
			git("commit", "-q", "-m", "other");
			git("rebase", "-q", "main");
		},
	],
	[
		"reset away and made anew",
		() => {
			git("reset", "-q", "--hard", "HEAD~2");
			commit("other");
		},
	],
])("the log is git's own after: %s", (_, change) => {
	for (const subject of ["one", "two", "three"]) commit(subject);
	change();
	expect(subjects()).toEqual(real());
});

test("a linked worktree is named", () => {
	commit("one");
	git("worktree", "add", "-q", "-b", "side", join(folder, "..", "tree-of-tests"));
	const now = new Date();
	expect(readWorkspace(join(folder, "..", "tree-of-tests"), now)).toMatchObject({
		branch: "side",
		worktree: "tree-of-tests",
	});
	expect(readWorkspace(folder, now)).not.toHaveProperty("worktree");
	git("worktree", "remove", "--force", join(folder, "..", "tree-of-tests"));
});
