import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ccg, hook } from "../kit/sandbox.ts";
import { contextOf } from "./kit.ts";
import { type RepoSandbox, repoSandbox, told, withRepository } from "./repo-fixture.ts";

const NOTE = "VICTIM-NOTE the ports are in config/ports.yaml";
const BRANCH = "victim-branch";
const COMMIT = "victim-commit";
const ROOT = process.geteuid?.() === 0;

/** A sandbox with another project of the user's, which has a note, a branch and a commit of its own. */
async function withVictim(): Promise<{ at: RepoSandbox; victim: string }> {
	const at = repoSandbox();
	const victim = join(at.top, "victim");
	at.write(join(victim, "file"), "x\n");
	at.gitIn(victim, "init", "-q", "-b", BRANCH);
	at.gitIn(victim, "add", "-A");
	at.gitIn(victim, "commit", "-qm", COMMIT);
	expect(await saveIn(at, victim, NOTE)).toMatchObject({ code: 0 });
	return { at, victim };
}

/** Saves a note as a person does, in a terminal: in a session it would go to the session's project. */
const saveIn = (at: RepoSandbox, cwd: string, note: string) => ccg(at, ["memory", "save", note], { cwd, env: PERSON });
const PERSON = { CLAUDE_PROJECT_DIR: "", CLAUDE_CODE_SESSION_ID: "" };
const shownIn = async (at: RepoSandbox, cwd: string) =>
	(await ccg(at, ["memory", "list", "memory"], { cwd, env: PERSON })).out;

/** What a session in a folder is told of the other project's: notes, branch, commits. */
async function seen(at: RepoSandbox, cwd: string): Promise<string[]> {
	const env = { CLAUDE_PROJECT_DIR: cwd };
	const fields = { hook_event_name: "SessionStart", source: "startup" };
	const start = contextOf((await hook(at, "session-start", fields, { cwd, env })).out);
	const list = await ccg(at, ["memory", "list", "memory"], { cwd, env });
	const inside = { ...at, project: cwd, env: { ...at.env, ...env } };
	const all = `${start}\n${list.out}\n${await told(inside)}`;
	return [NOTE, BRANCH, COMMIT].filter((text) => all.includes(text));
}

/** A git dir of one's own beside the session's folder, which leads on. */
function ownGitDir(at: RepoSandbox, folder: string, common: string): void {
	at.write(join(folder, "HEAD"), `ref: refs/heads/${BRANCH}\n`);
	at.write(join(folder, "commondir"), `${common}\n`);
	at.write(join(folder, "gitdir"), `${at.project}/.git\n`);
}

/** A worktree of the victim's that was deleted and not pruned: what stood there may be anything by now. */
function goneWorktree(at: RepoSandbox, victim: string): string {
	const tree = join(at.top, "gone/tree");
	at.gitIn(victim, "worktree", "add", "-q", "-b", "gone", tree);
	at.write(".git", `gitdir: ${victim}/.git/worktrees/tree\n`);
	rmSync(tree, { recursive: true });
	return tree;
}

/** Each leads from the session's folder to the victim; one gives another folder to begin in. */
const CLAIMS: Record<string, (at: RepoSandbox, victim: string) => unknown> = {
	"a deleted worktree of it, a link to the session's folder in its place": (at, victim) =>
		symlinkSync(at.project, goneWorktree(at, victim)),
	"a link in place of a worktree's back link": (at, victim) => {
		goneWorktree(at, victim);
		at.write("back", `${at.project}/.git\n`);
		rmSync(join(victim, ".git/worktrees/tree/gitdir"));
		symlinkSync(join(at.project, "back"), join(victim, ".git/worktrees/tree/gitdir"));
	},
	"a .git file that names it": (at, victim) => at.write(".git", `gitdir: ${victim}/.git\n`),
	"a .git link to it": (at, victim) => symlinkSync(join(victim, ".git"), join(at.project, ".git")),
	"a .git folder whose commondir names it": (at, victim) => {
		at.git("init", "-q");
		at.write(".git/commondir", `${victim}/.git\n`);
	},
	"a git dir of its own whose commondir names it": (at, victim) => {
		ownGitDir(at, join(at.project, "x"), `${victim}/.git`);
		at.write(".git", "gitdir: x\n");
	},
	"the git dir of a linked worktree elsewhere": (at, victim) => {
		at.gitIn(victim, "worktree", "add", "-q", "-b", `${BRANCH}-2`, join(at.top, "tree"));
		at.write(".git", `gitdir: ${victim}/.git/worktrees/tree\n`);
	},
	"something below modules that names the folder": (at, victim) => {
		const evil = join(victim, "vendor/evil");
		ownGitDir(at, join(victim, ".git/modules/evil"), "../..");
		at.write(join(victim, ".git/modules/evil/config"), `[core]\n\tworktree = ${evil}\n`);
		at.write(join(evil, ".git"), "gitdir: ../../.git/modules/evil\n");
		return evil;
	},
	"a log of HEAD that is a link": (at, victim) => {
		withRepository(at);
		rmSync(join(at.project, ".git/logs/HEAD"));
		symlinkSync(join(victim, ".git/logs/HEAD"), join(at.project, ".git/logs/HEAD"));
	},
};

describe("another project's notes, branch and commits are not seen by", () => {
	test.each(Object.entries(CLAIMS))("%s", async (name, claim) => {
		const { at, victim } = await withVictim();
		const given = claim(at, victim);
		const cwd = typeof given === "string" ? given : at.project;
		// a folder inside a project shares its notes where it makes no claim; these do
		expect(await seen(at, cwd), name).toEqual([]);
	});

	test("harmless: a real linked worktree is one", async () => {
		const { at, victim } = await withVictim();
		const tree = join(at.top, "tree");
		at.gitIn(victim, "worktree", "add", "-q", "-b", `${BRANCH}-2`, tree);
		expect(await seen(at, tree)).toEqual([NOTE, BRANCH]);
	});

	test("harmless: a submodule has its own notes, and its branch is told", async () => {
		const { at, victim } = await withVictim();
		withRepository(at);
		at.git("submodule", "--quiet", "add", victim, "lib");
		const lib = join(at.project, "lib");
		await saveIn(at, lib, "of the library");
		expect(await shownIn(at, lib)).toContain("of the library");
		expect(await shownIn(at, at.project)).not.toContain("of the library");
		expect(await seen(at, lib)).toContain(BRANCH);
	});
});

/** Whether a note saved in one folder is shown in another. */
async function joined(at: RepoSandbox, one: string, other: string): Promise<boolean> {
	for (const folder of [one, other]) mkdirSync(folder, { recursive: true });
	await saveIn(at, one, "JOINED-NOTE");
	return (await shownIn(at, other)).includes("JOINED-NOTE");
}

describe("unrelated folders are not one project by", () => {
	const PARENTS: Record<string, (at: RepoSandbox, parent: string) => void> = {
		"an empty .git above them": (_, parent) => void mkdirSync(join(parent, ".git")),
		"a repository in a folder in which everybody may put things": (at, parent) => {
			at.gitIn(parent, "init", "-q");
			chmodSync(parent, 0o1777);
		},
		...(ROOT && {
			"a repository of another user": (at: RepoSandbox, parent: string) => {
				at.gitIn(parent, "init", "-q");
				for (const path of [parent, join(parent, ".git")]) chownSync(path, 4711, 4711);
			},
			"a .git file of another user": (at: RepoSandbox, parent: string) => {
				at.write(join(parent, ".git"), "gitdir: elsewhere\n");
				chownSync(join(parent, ".git"), 4711, 4711);
			},
		}),
	};
	test.each(Object.entries(PARENTS))("%s", async (_, prepare) => {
		const at = repoSandbox();
		const parent = join(at.top, "shared");
		mkdirSync(parent);
		prepare(at, parent);
		expect(await joined(at, join(parent, "one"), join(parent, "other"))).toBe(false);
	});

	test.each(["home", "."])("a repository at the home folder or above it: %s", async (folder) => {
		const at = repoSandbox();
		at.gitIn(join(at.top, folder), "init", "-q");
		expect(await joined(at, join(at.home, "code/one"), join(at.home, "code/other"))).toBe(false);
		expect(await joined(at, at.home, join(at.home, "third"))).toBe(false);
	});

	test("harmless: folders of one repository are one project", async () => {
		const at = repoSandbox();
		withRepository(at);
		expect(await joined(at, at.project, join(at.project, "dir"))).toBe(true);
	});

	test.skipIf(!ROOT)(
		"harmless: folders of another user's repository that safe.directory names are one project",
		async () => {
			const at = repoSandbox();
			const parent = join(at.top, "shared");
			at.gitIn(at.top, "init", "-q", parent);
			for (const path of [parent, join(parent, ".git")]) chownSync(path, 4711, 4711);
			at.write(join(at.home, ".gitconfig"), `[safe]\n\tdirectory = ${parent}\n`);
			expect(await joined(at, join(parent, "one"), join(parent, "other"))).toBe(true);
		},
	);
});

/** What git's index or configuration may lead to. */
const WAYS: Record<string, (at: RepoSandbox) => unknown> = {
	"core.worktree": (at) => at.git("config", "core.worktree", at.home),
	"a folder of the index that is a link now": (at) => {
		rmSync(join(at.project, "dir"), { recursive: true });
		symlinkSync(at.home, join(at.project, "dir"));
	},
};
test.each(Object.entries(WAYS))("names in the home folder do not reach the model by %s", async (_, lead) => {
	const at = repoSandbox();
	withRepository(at);
	at.write(join(at.home, "client-of-mine.kdbx"), "x");
	lead(at);
	const text = await told(at);
	expect(text).toContain("Never push to main.");
	expect(text).not.toContain("client-of-mine");
});
