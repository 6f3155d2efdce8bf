import {
	appendFileSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readWorkspace } from "../../../src/claude/machine/workspace.ts";
import { modifiedSince } from "../../../src/files/names-in.ts";
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

test("files changed since the session began, the newest first; none of git's, fetched, built or behind a dot", () => {
	const since = new Date("2026-11-22T10:00:00Z");
	const put = (path: string, minutes: number): void => {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), "");
		const at = new Date(since.getTime() + minutes * 60_000);
		utimesSync(join(folder, path), at, at);
	};
	for (const path of ["node_modules/a.js", ".cache/b", "dist/c.js", ".context-checkpoint.md"]) put(path, 5);
	put("before.ts", -1);
	put("app/a b.ts", 1);
	put("top.ts", 2);
	symlinkSync("/etc", join(folder, "linked"));
	const at = (options: object) => readWorkspace(join(folder, "app"), new Date(), options);
	const all = ["top.ts", "app/a b.ts"].map((name) => join(folder, name));
	expect(at({ base: folder, since: since.toISOString() })).toMatchObject({ modified: all });
	expect(at({ since: since.toISOString() }).modified).toEqual([all[1]]);
	for (const unknown of ["", "soon"]) expect(at({ since: unknown }).modified).toEqual([]);
	expect(modifiedSince(folder, since, 3).complete).toBe(false);
});
