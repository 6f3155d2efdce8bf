import { appendFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ENTRIES, type RepoSandbox, repoSandbox, withRepository } from "./repo-fixture.ts";

/** Prepares a repository that wants a program run; gives the folder the session works in and what its environment holds. */
type Setting = { cwd?: string; env?: Record<string, string> };
type Trap = (at: RepoSandbox) => unknown;

const filter = (at: RepoSandbox, name = "clean"): string =>
	`[filter "x"]\n\tclean = ${at.program(name)}\n\tsmudge = ${at.program("smudge")}\n\trequired = true\n`;
const attributed: Trap = (at) => {
	at.write(".gitattributes", "*.txt filter=x\n");
	at.git("add", ".gitattributes");
	at.git("-c", "filter.x.clean=cat", "commit", "-qm", "attributes");
};
const append = (at: RepoSandbox, text: string): void => appendFileSync(join(at.project, ".git/config"), `\n${text}`);

/** A repository hidden in a folder of the clone under another name. */
function embedded(at: RepoSandbox, folder: string, more: string): string {
	if (!existsSync(join(at.project, ".git"))) withRepository(at);
	const inner = join(at.top, "made");
	mkdirSync(inner);
	at.gitIn(inner, "init", "-q", "-b", "main");
	at.write(join(inner, "file.txt"), "one\n");
	at.write(join(inner, ".gitattributes"), "*.txt filter=x\n");
	at.gitIn(inner, "add", "-A");
	at.gitIn(inner, "commit", "-qm", "first");
	at.write(join(inner, "file.txt"), "two\n");
	const target = join(at.project, folder);
	mkdirSync(join(target, ".."), { recursive: true });
	cpSync(join(inner, ".git"), target, { recursive: true });
	at.write(join(target, "config"), `[core]\n\trepositoryformatversion = 0\n${more}${filter(at)}`);
	at.write(join(at.project, "tree/file.txt"), "two\n");
	at.write(join(at.project, "tree/.gitattributes"), "*.txt filter=x\n");
	return target;
}

function promisor(at: RepoSandbox, more: string): void {
	withRepository(at);
	append(at, `[extensions]\n\tpartialClone = origin\n${more}`);
	at.git("config", "core.repositoryFormatVersion", "1");
	// what status needs of the last commit is not here
	const tree = at.git("rev-parse", "HEAD^{tree}").trim();
	at.git("read-tree", "--empty");
	rmSync(join(at.project, ".git/objects", tree.slice(0, 2), tree.slice(2)), { force: true });
}

const TRAPS: Record<string, Trap> = {
	"filter.clean": (at) => {
		withRepository(at);
		attributed(at);
		append(at, filter(at));
	},
	"filter.process": (at) => {
		withRepository(at);
		attributed(at);
		append(at, `[filter "x"]\n\tprocess = ${at.program("process")}\n`);
	},
	"a filter by include.path": (at) => {
		withRepository(at);
		attributed(at);
		at.write("shared.config", filter(at));
		append(at, "[include]\n\tpath = ../shared.config\n");
	},
	"a filter by includeIf": (at) => {
		withRepository(at);
		attributed(at);
		at.write("shared.config", filter(at));
		append(at, '[includeIf "gitdir:**"]\n\tpath = ../shared.config\n');
	},
	"a filter in config.worktree": (at) => {
		withRepository(at);
		attributed(at);
		at.git("config", "core.repositoryFormatVersion", "1");
		at.git("config", "extensions.worktreeConfig", "true");
		at.write(".git/config.worktree", filter(at));
	},
	"a filter by .git/info/attributes": (at) => {
		withRepository(at);
		at.write(".git/info/attributes", "*.txt filter=x\n");
		append(at, filter(at));
	},
	"a filter by core.attributesFile": (at) => {
		withRepository(at);
		at.write("attributes", "*.txt filter=x\n");
		append(at, `[core]\n\tattributesFile = ${at.project}/attributes\n${filter(at)}`);
	},
	"a filter with a name of other letters": (at) => {
		withRepository(at);
		at.write(".git/info/attributes", "*.txt filter=лfs-x\n");
		append(at, `[filter "лfs-x"]\n\tclean = ${at.program("clean")}\n`);
	},
	"a filter in a folder's own attributes": (at) => {
		withRepository(at);
		at.write("dir/.gitattributes", "* filter=x\n");
		at.write("dir/other.txt", "2wo\n");
		append(at, filter(at));
	},
	"a filter of a submodule": (at) => {
		const inner = join(at.top, "inner");
		mkdirSync(inner);
		at.gitIn(inner, "init", "-q");
		at.write(join(inner, "file.txt"), "one\n");
		at.gitIn(inner, "add", "-A");
		at.gitIn(inner, "commit", "-qm", "first");
		withRepository(at);
		at.git("submodule", "--quiet", "add", inner, "sub");
		at.git("commit", "-qm", "sub");
		at.write(".git/modules/sub/info/attributes", "*.txt filter=x\n");
		at.git("config", "-f", ".git/modules/sub/config", "filter.x.clean", at.program("clean"));
		at.write("sub/file.txt", "two\n");
	},
	"a filter of a repository inside, listed as a submodule": (at) => {
		const inner = join(at.project, "sub");
		mkdirSync(inner);
		at.gitIn(inner, "init", "-q");
		at.write("sub/file.txt", "one\n");
		at.gitIn(inner, "add", "-A");
		at.gitIn(inner, "commit", "-qm", "first");
		withRepository(at);
		at.write("sub/.git/info/attributes", "*.txt filter=x\n");
		at.gitIn(inner, "config", "filter.x.clean", at.program("clean"));
		at.write("sub/file.txt", "two\n");
	},
	"a bare repository in the clone, with a working tree and a filter": (at) => ({
		cwd: embedded(at, "docs/data.git", "\tbare = false\n\tworktree = ../../tree\n"),
	}),
	"the same, the session in a folder of it": (at) => ({
		cwd: join(embedded(at, "docs/data.git", "\tbare = false\n\tworktree = ../../tree\n"), "refs"),
	}),
	"the same, without a word on bare": (at) => ({ cwd: embedded(at, "x", "\tworktree = ../tree\n") }),
	"the same, inside a repository": (at) => {
		withRepository(at);
		return { cwd: embedded(at, "fixtures/repo", "\tworktree = ../../tree\n") };
	},
	"the same, its own folder as the working tree": (at) => {
		const cwd = embedded(at, "fixtures/repo", "\tworktree = .\n");
		at.write(join(cwd, "file.txt"), "two\n");
		at.write(join(cwd, ".gitattributes"), "*.txt filter=x\n");
		return { cwd };
	},
	"a .git file that leads to it": (at) => {
		embedded(at, "data", "\tbare = false\n");
		at.write("tree/.git", "gitdir: ../data\n");
		return { cwd: join(at.project, "tree") };
	},
	"a .git link that leads to it": (at) => {
		embedded(at, "data", "\tbare = false\n");
		symlinkSync("../data", join(at.project, "tree/.git"));
		return { cwd: join(at.project, "tree") };
	},
	"core.fsmonitor": (at) => {
		withRepository(at);
		at.git("config", "core.fsmonitor", at.program("fsmonitor"));
	},
	"core.fsmonitor of a submodule": (at) => {
		TRAPS["a filter of a submodule"]!(at);
		at.git("config", "-f", ".git/modules/sub/config", "core.fsmonitor", at.program("fsmonitor"));
	},
	"hooks of every name": (at) => {
		withRepository(at);
		for (const name of ["post-index-change", "pre-auto-gc", "reference-transaction", "post-checkout"])
			renameSync(at.program(`hook-${name}`), join(at.project, ".git/hooks", name));
	},
	"core.hooksPath": (at) => {
		withRepository(at);
		renameSync(at.program("hook"), at.program("post-index-change"));
		at.git("config", "core.hooksPath", join(at.top, "programs"));
	},
	"a promisor's uploadpack": (at) =>
		promisor(
			at,
			`[remote "origin"]\n\turl = ${at.project}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\tuploadpack = ${at.program("uploadpack")}\n[protocol "file"]\n\tallow = always\n`,
		),
	"a promisor by ext::": (at) =>
		promisor(
			at,
			`[remote "origin"]\n\turl = ext::${at.program("ext")}\n\tpromisor = true\n[protocol "ext"]\n\tallow = always\n`,
		),
	"a promisor by ssh with core.sshCommand": (at) =>
		promisor(
			at,
			`[remote "origin"]\n\turl = ssh://localhost/x\n\tpromisor = true\n[core]\n\tsshCommand = ${at.program("ssh")}\n`,
		),
	"a promisor by git:// with core.gitProxy": (at) =>
		promisor(
			at,
			`[remote "origin"]\n\turl = git://localhost/x\n\tpromisor = true\n[core]\n\tgitProxy = ${at.program("proxy")}\n`,
		),
	"a promisor in a remote helper of the workspace": (at) => {
		promisor(at, `[remote "origin"]\n\turl = x::y\n\tpromisor = true\n[protocol "x"]\n\tallow = always\n`);
		renameSync(at.program("git-remote-x"), join(at.project, "git-remote-x"));
		return { env: { PATH: `${at.project}:/usr/bin:/bin` } };
	},
	"programs for what is shown": (at) => {
		withRepository(at);
		at.write(".gitattributes", "*.txt diff=x\n");
		for (const name of [
			"diff.external",
			"diff.x.textconv",
			"core.pager",
			"gpg.program",
			"core.askPass",
			"core.editor",
			"credential.helper",
		])
			at.git("config", name, at.program(name));
		at.git("config", "alias.status", `!${at.program("alias")}`);
		at.git("config", "log.showSignature", "true");
		at.git("config", "pager.status", "true");
	},
	GIT_DIR: (at) => {
		withRepository(at);
		embedded(at, "data", "\tworktree = ../tree\n");
		return { env: { GIT_DIR: join(at.project, "data") } };
	},
	GIT_CONFIG_COUNT: (at) => {
		withRepository(at);
		at.write(".git/info/attributes", "*.txt filter=x\n");
		return {
			env: { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "filter.x.clean", GIT_CONFIG_VALUE_0: at.program("clean") },
		};
	},
	GIT_CONFIG_PARAMETERS: (at) => {
		withRepository(at);
		at.write(".git/info/attributes", "*.txt filter=x\n");
		return { env: { GIT_CONFIG_PARAMETERS: `'filter.x.clean=${at.program("clean")}'` } };
	},
	GIT_CONFIG_GLOBAL: (at) => {
		withRepository(at);
		at.write(".git/info/attributes", "*.txt filter=x\n");
		at.write("global", filter(at));
		return { env: { GIT_CONFIG_GLOBAL: join(at.project, "global") } };
	},
	"GIT_TRACE and its relatives": (at) => {
		withRepository(at);
		const names = [
			"GIT_TRACE",
			"GIT_TRACE_SETUP",
			"GIT_TRACE_PERFORMANCE",
			"GIT_TRACE2",
			"GIT_TRACE2_EVENT",
			"GIT_TRACE2_PERF",
		];
		return { env: Object.fromEntries(names.map((name) => [name, join(at.signs, name)])) };
	},
	"git in a folder of PATH that is relative": (at) => {
		withRepository(at);
		renameSync(at.program("git"), join(at.project, "git"));
		return { env: { PATH: ".:/usr/bin:/bin" } };
	},
	"git in an empty entry of PATH": (at) => {
		withRepository(at);
		renameSync(at.program("git"), join(at.project, "git"));
		return { env: { PATH: ":/usr/bin:/bin" } };
	},
	"git in a folder of the workspace on PATH": (at) => {
		withRepository(at);
		mkdirSync(join(at.project, "node_modules/.bin"), { recursive: true });
		renameSync(at.program("git"), join(at.project, "node_modules/.bin/git"));
		return { env: { PATH: `${at.project}/node_modules/.bin:/usr/bin:/bin` } };
	},
	GIT_EXEC_PATH: (at) => {
		TRAPS["a promisor's uploadpack"]!(at);
		for (const name of ["git-remote-https", "git-fetch", "git-status", "git"]) at.program(name);
		return { env: { GIT_EXEC_PATH: join(at.top, "programs"), PATH: "/usr/bin:/bin" } };
	},
};

describe.each(Object.keys(ENTRIES))("nothing of a repository runs: %s", (entry) => {
	test.each(Object.keys(TRAPS))("%s", async (name) => {
		const at = repoSandbox();
		const { cwd = at.project, env } = (TRAPS[name]!(at) ?? {}) as Setting;
		const { code, timedOut } = await ENTRIES[entry]!(at, cwd, env);
		expect({ code, timedOut, ran: at.ran() }).toEqual({ code: 0, timedOut: false, ran: [] });
	});
});
