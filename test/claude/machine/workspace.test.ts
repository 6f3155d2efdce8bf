import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readWorkspace } from "../../../src/claude/machine/workspace.ts";
import { recentCommits } from "../../../src/git/head.ts";
import { gitIn } from "../../kit/git.ts";
import { scratch } from "../../scratch-home.ts";

let folder: string;
const git = (command: string): string => gitIn(folder, folder, ["-c", "user.name=A\tda", ...command.split(" ")]);

beforeEach(() => {
	folder = join(scratch("workspace"), "main");
	mkdirSync(folder);
	git("init -q -b main");
	for (const subject of ["one", "two", "three"]) git(`commit -q --allow-empty -m ${subject}`);
});

test.each([
	["amended", ["commit -q --amend --allow-empty -m again", "commit -q --amend --allow-empty -m at-last"]],
	["rebased", ["checkout -q -b side HEAD~1", "commit -q --allow-empty -m other", "rebase -q main"]],
	["reset away and made anew", ["reset -q --hard HEAD~2", "commit -q --allow-empty -m other"]],
])("the log is git's own after the last was %s", (_, commands) => {
	for (const command of commands) git(command);
	const told = recentCommits(readFileSync(join(folder, ".git", "logs", "HEAD"), "utf8"));
	expect(told.map((line) => line.slice(8))).toEqual(git("log -3 --format=%s").trim().split("\n"));
});

test("a linked worktree is named", () => {
	const tree = join(folder, "..", "tree-of-tests");
	git(`worktree add -q -b side ${tree}`);
	const now = new Date();
	expect(readWorkspace(tree, now)).toMatchObject({ branch: "side", worktree: "tree-of-tests" });
	expect(readWorkspace(folder, now)).not.toHaveProperty("worktree");
});
