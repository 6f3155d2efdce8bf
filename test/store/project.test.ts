import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { findProject, nativeMemoryFolder } from "../../src/store/project.ts";
import { gitIn } from "../kit/git.ts";
import { scratch } from "../scratch-home.ts";

const git = (cwd: string, ...args: string[]): string => gitIn(cwd, cwd, args);
const newPath = (name: string): string => join(scratch(), name);

function repository(name = "my repo!"): string {
	const folder = newPath(name);
	mkdirSync(join(folder, "a", "b"), { recursive: true });
	git(folder, "init", "-q");
	git(folder, "commit", "-q", "--allow-empty", "-m", "first");
	return folder;
}

function worktree(repo: string, tree = newPath("tree")): string {
	git(repo, "worktree", "add", "-q", tree);
	return tree;
}

function addSubmodule(repo: string, inner: string, name: string): void {
	git(repo, "submodule", "--quiet", "add", inner, name);
	git(repo, "commit", "-qm", name);
}

/** The folder that is the project's, and folders that are of it. */
const layouts: [string, () => [root: string, ...folders: string[]]][] = [
	[
		"folders, worktrees and links of a repository",
		() => {
			const repo = repository();
			const [tree, link] = [worktree(repo), newPath("link")];
			mkdirSync(join(tree, "deep"));
			symlinkSync(repo, link);
			const inside = ["a/b", "gone/away"].map((name) => join(repo, name));
			return [repo, repo, ...inside, tree, join(tree, "deep"), link, worktree(repo, join(repo, ".worktrees/inner"))];
		},
	],
	[
		"worktrees of a bare repository",
		() => {
			const bare = newPath("bare.git");
			git("/", "clone", "-q", "--bare", repository(), bare);
			return [bare, worktree(bare)];
		},
	],
	[
		"a bare repository in .bare beside its worktrees",
		() => {
			const folder = newPath("layout");
			mkdirSync(folder);
			git(folder, "clone", "-q", "--bare", repository(), ".bare");
			writeFileSync(join(folder, ".git"), "gitdir: ./.bare\n");
			return [join(folder, ".bare"), folder, worktree(folder, join(folder, "tree"))];
		},
	],
	[
		"a submodule, and its own worktree",
		() => {
			const outer = repository("outer");
			addSubmodule(outer, repository("inner"), "sub");
			const [sub, root] = [join(outer, "sub"), join(outer, ".git/modules/sub")];
			return [root, sub, worktree(sub, newPath("of-sub"))];
		},
	],
	[
		"a submodule inside of one",
		() => {
			const [middle, outer] = [repository("middle"), repository("outer")];
			addSubmodule(middle, repository("inner"), "deep");
			addSubmodule(outer, middle, "sub");
			git(outer, "submodule", "--quiet", "update", "--init", "--recursive");
			return [join(outer, ".git/modules/sub/modules/deep"), join(outer, "sub/deep")];
		},
	],
];

test.each(layouts)("one project: %s", (_, make) => {
	const [root, ...folders] = make();
	for (const folder of folders) expect(findProject(folder).root, folder).toBe(root);
	expect(new Set(folders.map((folder) => findProject(folder).key)).size).toBe(1);
});

test("a git dir elsewhere makes no project of folders that name it: each is one with what lies below", () => {
	const top = scratch();
	const [dir, folder, other] = [join(top, "dir"), join(top, "folder"), join(top, "other")];
	for (const path of [folder, other]) mkdirSync(path);
	git(folder, "init", "-q", "--separate-git-dir", dir);
	cpSync(folder, other, { recursive: true });
	mkdirSync(join(folder, "deep"));
	expect([folder, other, join(folder, "deep")].map((at) => findProject(at).root)).toEqual([folder, other, folder]);
	// a repository's own folder is that of no other
	writeFileSync(join(other, ".git"), `gitdir: ${join(repository(), ".git")}\n`);
	expect(findProject(other).root).toBe(other);
});

test("a name in the store is of the folder's name and path; without git the folder is the project", () => {
	const hash = new Bun.CryptoHasher("sha256").update("/no/such/folder").digest("hex").slice(0, 8);
	expect(findProject("/no/such/folder").key).toBe(`folder-${hash}`);
	const [folder, link] = [scratch("plain"), newPath("link")];
	symlinkSync(folder, link);
	expect(findProject(link)).toEqual({ key: expect.stringContaining(basename(folder)), root: realpathSync(folder) });
});

test.each(["", "/", "relative/none", "a\0b", "x".repeat(5000), "/проект", undefined as unknown as string])(
	"never throws: %j",
	(cwd) => expect(findProject(cwd).key).toMatch(/^[A-Za-z0-9._-]{1,40}-[0-9a-f]{8}$/),
);

test("Claude Code's folder; a repository that is gone keeps its name", () => {
	const repo = repository("v1.2_x");
	const native = nativeMemoryFolder("/claude", join(repo, "a"));
	expect(native).toBe(`/claude/projects/${repo.replaceAll(/[/._]/g, "-")}/memory`);
	rmSync(repo, { recursive: true });
	expect(findProject(repo).root).toBe(repo);
});
