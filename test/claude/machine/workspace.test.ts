import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readWorkspace } from "../../../src/claude/machine/workspace.ts";
import { recentCommits } from "../../../src/git/reflog.ts";
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

test("the last commits are git's own", () => {
	for (const subject of ["one", "two", "three", "four"]) commit(subject);
	expect(subjects()).toEqual(["four", "three", "two"]);
	expect(recentCommits(readFileSync(join(folder, ".git", "logs", "HEAD"), "utf8"))[0]).toBe(
		`${git("rev-parse", "--short=7", "HEAD").trim()} four`,
	);
});

test.each<[string, () => void]>([
	["amended", () => commit("three again", "--amend")],
	[
		"amended twice",
		() => {
			commit("three again", "--amend");
			commit("three at last", "--amend");
		},
	],
	["reset away", () => void git("reset", "-q", "--hard", "HEAD~1")],
	["reverted", () => void git("revert", "--no-edit", "HEAD")],
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

test("a log of any text names nothing it can't follow", () => {
	for (const text of ["", "x", "\t\n", `${"0".repeat(40)} ${"1".repeat(40)} a <b> 1 +0000\tcheckout: moving`])
		expect(recentCommits(text)).toEqual([]);
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

test("changed files are named from the project's folder on, absolute where they lie elsewhere", () => {
	commit("one");
	mkdirSync(join(folder, "app"), { recursive: true });
	writeFileSync(join(folder, "app", "a b.ts"), "");
	writeFileSync(join(folder, "app", "c.ts"), "");
	git("add", "app");
	writeFileSync(join(folder, "top.ts"), "");
	const at = (base: string): string[] => readWorkspace(join(folder, "app"), new Date(), base).status.sort();
	expect(at(folder)).toEqual(["?? top.ts", 'A  "app/a b.ts"', "A  app/c.ts"]);
	expect(at(join(folder, "app"))).toEqual([`?? ${folder}/top.ts`, 'A  "a b.ts"', "A  c.ts"]);
});
