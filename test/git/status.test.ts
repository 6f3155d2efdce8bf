import { renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryOf } from "../../src/git/repository.ts";
import { readStatus } from "../../src/git/status.ts";
import { thisUser } from "../../src/git/user.ts";
import { scratch } from "../scratch-home.ts";
import { agrees, folder, type GitPlace, ownStatus, repository } from "./fixture.ts";
import { CASES, type RepositoryChange } from "./status-cases.ts";

describe("as git says it", () => {
	test.each(Object.entries(CASES))("%s", (_, change) => {
		const place = repository();
		change(place);
		agrees(place);
	});

	test.each(Object.entries(CASES).filter(([name]) => /staged|new|names|intention/.test(name)))(
		"before the first commit: %s",
		(_, change) => {
			const place = repository({ commit: false });
			place.git("add", "-A");
			change(place);
			agrees(place);
		},
	);

	test("the cases say something", () => {
		const place = repository();
		CASES["conflicts of every kind"]!(place);
		expect(agrees(place)).toEqual(expect.arrayContaining(["UU a", "AA both", "UD b", "DU dir/c", "?? new"]));
	});

	test("nothing was ever added", () => agrees(repository({ commit: false })));

	test("in a linked worktree", () => {
		const place = repository();
		const tree = join(scratch(), "tree");
		place.git("worktree", "add", "-q", tree);
		writeFileSync(join(tree, "a"), "other\n");
		writeFileSync(join(tree, "new"), "other\n");
		expect(ownStatus(tree, place.home)).toEqual({ lines: [" M a", "?? new"], unseen: null });
		agrees(place);
	});

	test.each<[string, string[], (sub: string, outer: GitPlace) => void]>([
		["as it was", [], () => {}],
		["a changed file", [], (sub) => writeFileSync(join(sub, "a"), "other\n")],
		["a new file", [], (sub) => writeFileSync(join(sub, "new"), "x")],
		["another commit", [], (_, { git }) => void git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "more")],
		["gone", [], (_, { remove }) => remove("sub")],
		["not checked out", [], (_, { git }) => void git("submodule", "deinit", "-f", "sub")],
		["a new file, not asked for", ["untracked"], (sub) => writeFileSync(join(sub, "new"), "x")],
		["a changed file, not asked for", ["dirty"], (sub) => writeFileSync(join(sub, "a"), "other\n")],
		[
			"nothing asked for",
			["all"],
			(_, { git }) => void git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "more"),
		],
	])("a submodule: %s", (_, [ignore], change) => {
		const outer = repository();
		outer.git("submodule", "--quiet", "add", repository().top, "sub");
		if (ignore) outer.git("config", "-f", ".gitmodules", "submodule.sub.ignore", ignore);
		outer.git("add", "-A");
		outer.git("commit", "-qm", "sub");
		change(join(outer.top, "sub"), outer);
		agrees(outer);
	});
});

describe("what can't be told is said", () => {
	test.each<[string, RegExp, RepositoryChange]>([
		["a split index", /a split index/, ({ git }) => void git("update-index", "--split-index")],
		[
			"a damaged index",
			/an index of version \d+|no git index/,
			({ write }) => write(".git/index", "DIRC nonsense".repeat(20)),
		],
		[
			"an index that is a link",
			/index can't be read/,
			({ top, home }) => {
				renameSync(join(top, ".git", "index"), join(home, "index"));
				symlinkSync(join(home, "index"), join(top, ".git", "index"));
			},
		],
		[
			"objects that lie elsewhere",
			/what is staged was not compared/,
			({ top, home }) => {
				renameSync(join(top, ".git", "objects"), join(home, "objects"));
				symlinkSync(join(home, "objects"), join(top, ".git", "objects"));
			},
		],
		[
			"core.worktree",
			/core\.worktree names another folder/,
			({ git, home }) => void git("config", "core.worktree", home),
		],
	])("%s", (_, unseen, change) => {
		const place = repository();
		change(place);
		expect(ownStatus(place.top, place.home)?.unseen).toMatch(unseen);
	});

	test("a file too large to compare, touched", () => {
		const place = repository();
		place.write("large", Buffer.alloc(9_000_000));
		place.git("add", "large");
		utimesSync(join(place.top, "large"), 5, 5);
		expect(ownStatus(place.top, place.home)).toEqual({
			lines: ["A  large"],
			unseen: "1 of 6 tracked files were not looked at",
		});
	});

	test("a budget that is spent", () => {
		const place = repository();
		place.write("x/y", "changed\n");
		place.write("new", "x");
		const user = thisUser({ HOME: place.home });
		const few = readStatus(repositoryOf(place.top, user)!, user, {
			looks: 4,
			bytes: 1_000,
			workMs: 1_000,
			clockMs: 10_000,
		});
		expect(few.unseen).toMatch(
			/^\d of 5 tracked files were not looked at; not all folders were searched for new files$/,
		);
		const late = readStatus(repositoryOf(place.top, user)!, user, {
			looks: 1_000,
			bytes: 1_000,
			workMs: 1_000,
			clockMs: -1,
		});
		expect(late.unseen).not.toBeNull();
	});
});

test("a folder that is no repository", () => expect(ownStatus(folder().top, "/")).toBeNull());
