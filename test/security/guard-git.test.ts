import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fifo } from "../kit/process.ts";
import type { Sandbox } from "../kit/sandbox.ts";
import { git, isCommandHeld, stopped } from "./guard-fixture.ts";

/** A sandbox whose project is a repository with these lines in its configuration. */
function repository(config = ""): Sandbox {
	const at = stopped();
	git(at, at.project, "init", "-q");
	git(at, at.project, "add", ".");
	git(at, at.project, "commit", "-qm", "x");
	if (config) writeFileSync(join(at.project, ".git", "config"), config, { flag: "a" });
	return at;
}

describe("programs of git's configuration", () => {
	test.each([
		["diff.external", '[diff]\n\texternal = "./x"\n', "git diff"],
		["diff.external in capitals", "[DIFF]\nExternal=./x\n", "git diff HEAD"],
		["on the section's line", "[diff] external = ./x\n", "git diff"],
		["behind a line that seems to go on", "# \\\n[diff]\nexternal = ./x\n", "git diff"],
		["behind a value that goes on", "[a]\nb = c\\\\\n[diff]\nexternal = ./x\n", "git diff"],
		["a driver's command", '[diff "x"]\n\tcommand = ./x\n', "git diff"],
		["textconv, in log", '[diff "x"]\n\ttextconv = ./x\n', "git log -p"],
		["textconv, in show", '[diff "x"]\n\ttextconv = ./x\n', "git show"],
		["textconv, in blame", '[diff "x"]\n\ttextconv = ./x\n', "git blame a.txt"],
		["textconv, by cat-file", '[diff "x"]\n\ttextconv = ./x\n', "git cat-file --textconv HEAD:a.txt"],
		["the section of old", "[diff.x]\n\ttextconv = ./x\n", "git log -p"],
		["a filter", '[filter "x"]\n\tclean = ./x\n', "git status"],
		["a filter's process", '[filter "x"]\n\tprocess = ./x\n', "git diff --stat"],
		["a watcher", "[core]\n\tfsmonitor = ./x\n", "git status"],
		["a watcher, in diff", "[core]\n\tfsmonitor = ./x\n", "git diff"],
		["hooks elsewhere", "[core]\n\thooksPath = ./x\n", "git status"],
		["a checker of signatures", "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ./x\n", "git log"],
		["a signature's format", '[gpg "ssh"]\n\tprogram = ./x\n', "git log --format=%G?"],
		["missing objects", '[remote "o"]\n\tpromisor = true\n\tuploadpack = ./x\n', "git show HEAD:a.txt"],
		["missing objects of old", "[extensions]\n\tpartialClone = o\n[core]\n\tsshCommand = ./x\n", "git log"],
		["what speaks to remotes", "[core]\n\tsshCommand = ./x\n", "git ls-remote origin"],
		["a helper for passwords", "[credential]\n\thelper = !./x\n", "git ls-remote https://example.org/x/y"],
		["another address", '[url "ext::./x"]\n\tinsteadOf = https://\n', "git ls-remote https://example.org/x/y"],
		["an address that is a command", '[remote "origin"]\n\turl = ext::./x\n', "git ls-remote"],
		["an address in the tree", '[remote "origin"]\n\turl = ./x\n', "git ls-remote"],
		["a program at the other end", '[remote "origin"]\n\turl = ssh://h/x\n\tuploadpack = ./x\n', "git ls-remote"],
		["from within a folder", "[core]\n\tfsmonitor = ./x\n", "cd src && git status"],
		["by -C", "[core]\n\tfsmonitor = ./x\n", "git -C src status"],
		["behind xargs", "[core]\n\tfsmonitor = ./x\n", "echo | xargs -I{} git status"],
		["in a loop", "[core]\n\tfsmonitor = ./x\n", "for i in 1; do git status; done"],
		["in a substitution", "[core]\n\tfsmonitor = ./x\n", 'echo "$(git status)"'],
		["a file that goes on and on", `#${"x".repeat(300_000)}\n`, "git diff"],
		["by go list", "[core]\n\tfsmonitor = ./x\n", "go list ./..."],
	])("%s", async (_, config, command) => {
		expect(await isCommandHeld(repository(config), command)).toBe(true);
	});

	test("included from elsewhere", async () => {
		const at = repository("[include]\n\tpath = ../extra\n");
		writeFileSync(join(at.project, "extra"), "[diff]\n\texternal = ./x\n");
		expect(await isCommandHeld(at, "git diff")).toBe(true);
	});

	test("included on a condition, twice over", async () => {
		const at = repository('[includeIf "gitdir:/nowhere"]\n\tpath = ~/one\n');
		writeFileSync(join(at.home, "one"), "[include]\n\tpath = two\n");
		writeFileSync(join(at.home, "two"), "[core]\n\tfsmonitor = ./x\n");
		expect(await isCommandHeld(at, "git status")).toBe(true);
	});

	test("in the user's own configuration", async () => {
		const at = repository();
		writeFileSync(join(at.home, ".gitconfig"), "[diff]\n\texternal = ./x\n");
		expect(await isCommandHeld(at, "git diff")).toBe(true);
	});

	test("in a working tree's configuration", async () => {
		const at = repository("[extensions]\n\tworktreeConfig = true\n");
		writeFileSync(join(at.project, ".git", "config.worktree"), "[core]\n\tfsmonitor = ./x\n");
		expect(await isCommandHeld(at, "git status")).toBe(true);
	});

	test("in the configuration of a linked working tree's repository", async () => {
		const at = repository("[core]\n\tfsmonitor = ./x\n");
		git(at, at.project, "-c", "core.fsmonitor=", "worktree", "add", "-q", join(at.top, "tree"));
		expect(await isCommandHeld(at, "git status", join(at.top, "tree"))).toBe(true);
	});

	test("of a repository within", async () => {
		const at = repository();
		const inner = join(at.project, "inner");
		mkdirSync(inner);
		git(at, inner, "init", "-q");
		git(at, inner, "commit", "-q", "--allow-empty", "-m", "x");
		git(at, at.project, "add", "inner");
		writeFileSync(join(inner, ".git", "config"), "[core]\n\tfsmonitor = ./x\n", { flag: "a" });
		expect(await isCommandHeld(at, "git status")).toBe(true);
	});

	test("of a bare repository in a folder", async () => {
		const at = repository();
		git(at, at.project, "init", "-q", "--bare", "bare");
		writeFileSync(join(at.project, "bare", "config"), "[core]\n\tworktree = ..\n\tfsmonitor = ./x\n", { flag: "a" });
		expect(await isCommandHeld(at, "git -C bare status")).toBe(true);
		expect(await isCommandHeld(at, "cd bare && git status")).toBe(true);
		expect(await isCommandHeld(at, "git status", join(at.project, "bare"))).toBe(true);
	});

	test.each([
		"cd inner && git status",
		"command cd inner && git status",
		"builtin cd inner; git status",
		"pushd inner; git status",
		"cd link/.. && git status",
		"git -C link/.. status",
		"cd src && cd ../inner && git status",
		"(cd inner; ls) && (cd inner && git diff)",
		'd=inner; cd "$d" && git status',
	])("of a repository that %j leads to", async (command) => {
		const at = repository();
		const inner = join(at.project, "inner");
		mkdirSync(join(inner, "deep"), { recursive: true });
		git(at, inner, "init", "-q");
		writeFileSync(join(inner, ".git", "config"), "[core]\n\tfsmonitor = ./x\n", { flag: "a" });
		symlinkSync(join(inner, "deep"), join(at.project, "link"));
		expect(await isCommandHeld(at, command)).toBe(true);
	});

	test("a hook that runs when the index is refreshed", async () => {
		const at = repository();
		mkdirSync(join(at.project, ".git", "hooks"), { recursive: true });
		writeFileSync(join(at.project, ".git", "hooks", "post-index-change"), "#!/bin/sh\ntouch x\n", { mode: 0o755 });
		expect(await isCommandHeld(at, "git status")).toBe(true);
	});

	test("a configuration that can't be read to its end", async () => {
		const at = repository("[include]\n\tpath = fifo\n");
		fifo(join(at.project, ".git", "fifo"));
		expect(await isCommandHeld(at, "git status")).toBe(true);
	});

	test.each([
		["a folder that is not known", 'cd "$X" && git status'],
		["a folder in a loop", "for i in 1 2; do cd ..; git status; done"],
		["a folder of -C", 'git -C "$X" status'],
	])("%s", async (_, command) => {
		expect(await isCommandHeld(repository(), command)).toBe(true);
	});

	test.each([
		["", "git status"],
		["", "git diff && git log -p -3"],
		["", "cd src && git status && cd .. && git diff"],
		["", "cd ~ && ls && cd - && ls"],
		["[core]\n\tfsmonitor = true\n\tpager = less\n\teditor = vim\n", "git status"],
		['[alias]\n\tx = "!touch x"\n[user]\n\tname = x\n', "git log"],
		["[diff]\n\texternal = ./x\n", "git log --oneline -3"],
		["[diff]\n\texternal = ./x\n", "git branch -a"],
		["[core]\n\tfsmonitor = ./x\n", "git rev-parse HEAD"],
	])("harmless: with %j, %j goes on", async (config, command) => {
		expect(await isCommandHeld(repository(config), command)).toBe(false);
	});

	test("harmless: git-lfs of the user's own goes on", async () => {
		const at = repository();
		const lfs = "clean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n";
		writeFileSync(join(at.home, ".gitconfig"), `[filter "lfs"]\n\t${lfs}`);
		expect(await isCommandHeld(at, "git status")).toBe(false);
	});
});
