import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { nativeMemoryFolder, projectFolder, projectOf } from "../../src/store/project.ts";
import { gitIn } from "../kit/git.ts";
import { scratch } from "../scratch-home.ts";

const git = (cwd: string, ...args: string[]): string => gitIn(cwd, cwd, args);

function repository(name = "my repo!"): string {
	const folder = join(scratch(), name);
	mkdirSync(join(folder, "a", "b"), { recursive: true });
	git(folder, "init", "-q");
	git(folder, "commit", "-q", "--allow-empty", "-m", "first");
	return folder;
}

test("all folders and worktrees of a repository are one project", () => {
	const repo = repository();
	const tree = join(scratch(), "tree");
	git(repo, "worktree", "add", "-q", tree);
	git(repo, "worktree", "add", "-q", join(repo, ".worktrees", "inner"));
	mkdirSync(join(tree, "deep"));
	const link = join(scratch(), "link");
	symlinkSync(repo, link);
	const project = projectOf(repo);
	expect(project.root).toBe(repo);
	expect(project.key).toMatch(/^my-repo--[0-9a-f]{8}$/);
	for (const cwd of [
		join(repo, "a", "b"),
		join(repo, "gone", "away"),
		tree,
		join(tree, "deep"),
		link,
		join(repo, ".worktrees", "inner"),
	])
		expect(projectOf(cwd), cwd).toEqual(project);
});

test("worktrees of a bare repository share it; a submodule is a project of its own", () => {
	const repo = repository("inner");
	const bare = join(scratch(), "bare.git");
	git(repo, "clone", "-q", "--bare", repo, bare);
	const tree = join(scratch(), "tree");
	git(bare, "worktree", "add", "-q", tree);
	expect(projectOf(tree).root).toBe(bare);
	const outer = repository("outer");
	git(outer, "submodule", "--quiet", "add", repo, "sub");
	expect(projectOf(join(outer, "sub")).root).toBe(join(outer, ".git", "modules", "sub"));
});

test("a submodule in two worktrees is one project, and one inside of it", () => {
	const [inner, middle, outer] = [repository("inner"), repository("middle"), repository("outer")];
	git(middle, "submodule", "--quiet", "add", inner, "deep");
	git(middle, "commit", "-qm", "deep");
	git(outer, "submodule", "--quiet", "add", middle, "sub");
	git(outer, "commit", "-qm", "sub");
	const tree = join(scratch(), "tree");
	git(outer, "worktree", "add", "-q", tree);
	for (const at of [outer, tree]) git(at, "submodule", "--quiet", "update", "--init", "--recursive");
	for (const path of ["sub", "sub/deep"])
		expect(projectOf(join(tree, path)), path).toEqual(projectOf(join(outer, path)));
	expect(projectOf(join(tree, "sub/deep")).root).toBe(join(outer, ".git/modules/sub/modules/deep"));
});

test("a git dir elsewhere makes no project of folders that name it: each is one with what lies below", () => {
	const top = scratch();
	const [dir, folder, other] = [join(top, "dir"), join(top, "folder"), join(top, "other")];
	for (const path of [folder, other]) mkdirSync(path);
	git(folder, "init", "-q", "--separate-git-dir", dir);
	cpSync(folder, other, { recursive: true });
	mkdirSync(join(folder, "deep"));
	expect([folder, other, join(folder, "deep")].map((at) => projectOf(at).root)).toEqual([folder, other, folder]);
	// a repository's own folder is that of no other
	writeFileSync(join(other, ".git"), `gitdir: ${join(repository(), ".git")}\n`);
	expect(projectOf(other).root).toBe(other);
});

test("the layout with a bare repository in .bare keeps one project, as before", () => {
	const repo = repository("inner");
	const folder = join(scratch(), "layout");
	mkdirSync(folder);
	git(folder, "clone", "-q", "--bare", repo, ".bare");
	writeFileSync(join(folder, ".git"), "gitdir: ./.bare\n");
	git(folder, "worktree", "add", "-q", "tree");
	for (const cwd of [folder, join(folder, "tree")]) expect(projectOf(cwd).root, cwd).toBe(join(folder, ".bare"));
});

test("worktrees and submodules in one another", () => {
	const repo = repository("inner");
	const outer = repository("outer");
	git(outer, "submodule", "--quiet", "add", repo, "sub");
	git(outer, "commit", "-qm", "sub");
	const tree = join(scratch(), "tree");
	git(outer, "worktree", "add", "-q", tree);
	git(tree, "submodule", "--quiet", "update", "--init");
	expect(projectOf(join(tree, "sub"))).toEqual(projectOf(join(outer, "sub")));
	const inTree = join(scratch(), "of-sub");
	git(join(outer, "sub"), "worktree", "add", "-q", inTree);
	expect(projectOf(inTree).root).toBe(join(outer, ".git", "modules", "sub"));
});

test("a name in the store is made as it always was", () => {
	const hash = new Bun.CryptoHasher("sha256").update("/no/such/folder").digest("hex").slice(0, 8);
	expect(projectOf("/no/such/folder").key).toBe(`folder-${hash}`);
});

test("two repositories of one name differ; without git the folder is the project", () => {
	expect(projectOf(repository("same")).key).not.toBe(projectOf(repository("same")).key);
	const folder = scratch("plain");
	const link = join(scratch(), "link");
	symlinkSync(folder, link);
	expect(projectOf(folder)).toEqual({ key: expect.stringContaining(basename(folder)), root: realpathSync(folder) });
	expect(projectOf(link)).toEqual(projectOf(folder));
});

test.each([
	"",
	"/",
	"relative/none",
	"/no/such/folder",
	"a\0b",
	"x".repeat(5000),
	"/проект",
	undefined as unknown as string,
])("never throws: %j", (cwd) => expect(projectOf(cwd).key).toMatch(/^[A-Za-z0-9._-]{1,40}-[0-9a-f]{8}$/));

test("folders in the store and at Claude Code", () => {
	const repo = repository("v1.2_x");
	expect(projectFolder("/store", join(repo, "a"))).toBe(`/store/projects/${projectOf(repo).key}`);
	const native = nativeMemoryFolder("/claude", join(repo, "a"));
	expect(native).toBe(`/claude/projects/${repo.replaceAll(/[/._]/g, "-")}/memory`);
	rmSync(repo, { recursive: true });
	expect(projectOf(repo).root).toBe(repo);
});
