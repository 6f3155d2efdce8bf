import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { fifo } from "../kit/process.ts";
import { LAUNCHER, type Sandbox } from "../kit/sandbox.ts";
import DISK from "./guard-disk.json";
import { git, isCommandHeld, isHeld, repository, stopped } from "./guard-fixture.ts";

function plant(path: string, text = ""): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

/** Settings by which git runs a program, and a command that would have it run. */
const SETTINGS = DISK.settings as [config: string, command: string][];

test("git is held back where the repository's configuration has it run a program", () => {
	const at = repository();
	const file = join(at.project, ".git", "config");
	const before = readFileSync(file, "utf8");
	const isThrough = ([config, command]: [string, string]): boolean => {
		writeFileSync(file, `${before}${config}\n`);
		return !isCommandHeld(at, command);
	};
	expect(SETTINGS.filter(isThrough)).toEqual([]);
});

const WATCHED = "[core]\n\tfsmonitor = ./x\n";

/** Where such a setting may stand besides, and how a command may get there. */
const PLACES: [string, (at: Sandbox) => void, string[]][] = [
	["included", (at) => plant(join(at.project, ".git", "config"), "[include]\n\tpath = ../extra\n"), ["git diff"]],
	[
		"included on a condition",
		(at) => plant(join(at.project, ".git", "config"), '[includeIf "gitdir:/x"] path = ~/one\n'),
		["git status"],
	],
	["the user's own", (at) => plant(join(at.home, ".gitconfig"), "[diff]\n\texternal = ./x\n"), ["git diff"]],
	[
		"included in the user's own",
		(at) => {
			plant(join(at.home, ".gitconfig"), "[include]\n\tpath = ~/one\n");
			plant(join(at.home, "one"), "[diff]\n\texternal = ./x\n");
		},
		["git diff"],
	],
	[
		"the working tree's",
		(at) => {
			plant(join(at.project, ".git", "config"), "[extensions]\n\tworktreeConfig = true\n");
			plant(join(at.project, ".git", "config.worktree"), WATCHED);
		},
		["git status"],
	],
	[
		"a linked working tree's",
		(at) => {
			git(at, at.project, "worktree", "add", "-q", join(at.top, "tree"));
			writeFileSync(join(at.project, ".git", "config"), WATCHED, { flag: "a" });
		},
		["cd ../tree && git status"],
	],
	[
		"a repository's within",
		(at) => {
			git(at, at.project, "init", "-q", "inner");
			git(at, join(at.project, "inner"), "commit", "-q", "--allow-empty", "-m", "x");
			git(at, at.project, "add", "inner");
		},
		["git status"],
	],
	[
		"a bare repository's",
		(at) => {
			git(at, at.project, "init", "-q", "--bare", "bare");
			writeFileSync(join(at.project, "bare", "config"), `[core]\n\tworktree = ..\n${WATCHED}`, { flag: "a" });
		},
		["git -C bare status", "cd bare && git status"],
	],
	[
		"another repository's",
		(at) => {
			mkdirSync(join(at.project, "inner", "deep"), { recursive: true });
			git(at, join(at.project, "inner"), "init", "-q");
			writeFileSync(join(at.project, "inner", ".git", "config"), WATCHED, { flag: "a" });
			symlinkSync(join(at.project, "inner", "deep"), join(at.project, "link"));
		},
		[
			"cd inner && git status",
			"command cd inner && git status",
			"builtin cd inner; git status",
			"pushd inner; git status",
			"cd link/.. && git status",
			"git -C link/.. status",
			"cd src && cd ../inner && git status",
			"(cd inner; ls) && (cd inner && git diff)",
			'd=inner; cd "$d" && git status',
			"cd -1; git status",
			"while true; do git status; cd inner; done",
			"{ while true; do git status; cd inner; done; }",
			"cd src; for i in 1 2; do git status; cd ../inner; done",
		],
	],
	[
		"a hook at each refresh of the index",
		(at) => plant(join(at.project, ".git", "hooks", "post-index-change"), "#!/bin/sh\n"),
		["git status"],
	],
	["a file that waits", (at) => fifo(join(at.project, ".git", "config.worktree")), ["git status"]],
	["a repository that is none", (at) => plant(join(at.project, "src", ".git", "HEAD"), "x"), ["cd src && git status"]],
	[
		"a place nobody knows",
		() => {},
		['cd "$X" && git status', "for i in 1 2; do cd ..; git status; done", 'git -C "$X" log'],
	],
];

test.each(PLACES)("git is held back by %s", (_, prepare, commands) => {
	const at = repository();
	prepare(at);
	expect(commands.filter((command) => !isCommandHeld(at, command))).toEqual([]);
});

test("git goes on where nothing of it is set", () => {
	const lfs = "clean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n";
	const at = repository('[core]\n\tfsmonitor = true\n\tpager = less\n\teditor = vim\n[alias]\n\tx = "!touch x"\n');
	plant(join(at.home, ".gitconfig"), `[filter "lfs"]\n\t${lfs}[gpg]\n\tprogram = gpg2\n`);
	const commands = [
		"git status",
		"git diff && git log -p -3",
		"cd src && git status && cd .. && git diff",
		"cd ~ && ls && cd -",
	];
	expect(commands.filter((command) => isCommandHeld(at, command))).toEqual([]);
	expect(isCommandHeld(repository(WATCHED), "git remote -v && git config --list")).toBe(false);
});

test("a file whose name begins as an option does", () => {
	const cases = DISK.dashes as [name: string, command: string][];
	const through = cases.filter(([name, command]) => {
		const at = stopped();
		plant(join(at.project, name));
		return !isCommandHeld(at, command);
	});
	expect(through).toEqual([]);
	const at = repository();
	plant(join(at.project, "--output=x"));
	expect(isCommandHeld(at, "git diff *")).toBe(true);
});

test.each([".", "", "bin", "node_modules/.bin", "@/bin"])("a program of the workspace through PATH, %#", (place) => {
	const at = stopped();
	const program = join(at.project, place.replace("@/", ""), "jq");
	plant(program, "#!/bin/sh\n");
	chmodSync(program, 0o755);
	at.env.PATH = `${place.replace("@", at.project)}:${at.env.PATH}`;
	expect([isCommandHeld(at, "jq . a.txt"), isCommandHeld(at, "cat a.txt | jq .")]).toEqual([true, true]);
});

test("a ccg that is another is held back; one that leads to this one goes on", () => {
	const at = stopped();
	for (const name of ["own", "other"]) mkdirSync(join(at.top, name));
	symlinkSync(LAUNCHER, join(at.top, "own", "ccg"));
	plant(join(at.top, "other", "ccg"), "#!/bin/sh\n");
	const held = (...folders: string[]): boolean => {
		const PATH = [...folders.map((name) => join(at.top, name)), at.env.PATH].join(":");
		return isCommandHeld({ ...at, env: { ...at.env, PATH } }, "ccg task status");
	};
	expect([held("other"), held("own"), held()]).toEqual([true, false, false]);
});

describe("notes", () => {
	const memories = (at: Sandbox): string => join(at.project, ".serena", "memories");
	const write = (at: Sandbox, file_path: string): boolean => isHeld(at, "Write", { file_path, content: "x" });
	const LINKS: [string, (at: Sandbox) => void, string][] = [
		["the folder", (at) => symlinkSync(at.home, memories(at)), "a.md"],
		["a folder below", (at) => symlinkSync(at.home, join(memories(at), "sub")), "sub/a.md"],
		["the file", (at) => symlinkSync(join(at.home, ".bashrc"), join(memories(at), "a.md")), "a.md"],
		["the file, to nowhere", (at) => symlinkSync(join(at.home, "new"), join(memories(at), "a.md")), "a.md"],
		["the file has a second name", (at) => linkSync(join(at.home, ".bashrc"), join(memories(at), "a.md")), "a.md"],
	];
	test.each(LINKS)("a link is held back: %s", (name, prepare, file) => {
		const at = stopped();
		mkdirSync(name === "the folder" ? dirname(memories(at)) : memories(at), { recursive: true });
		plant(join(at.home, ".bashrc"));
		prepare(at);
		expect(write(at, join(memories(at), file))).toBe(true);
		if (name === "the folder") expect(isHeld(at, "mcp__serena__write_memory", { memory_name: "a" })).toBe(true);
	});

	test("what leads out of its place, and what is no note", () => {
		const at = stopped();
		mkdirSync(memories(at), { recursive: true });
		const names = [
			"../a.md",
			"../../a.md",
			"x/../../../src/a.md",
			"./../a.md",
			"a.ts",
			"a.md/../../x.md",
			"a\0.md",
			"//../a.md",
		];
		expect(names.filter((name) => !write(at, `${memories(at)}/${name}`))).toEqual([]);
		const calls: [string, object][] = [
			["mcp__evil__write_memory", { memory_name: "a" }],
			["mcp__serena_evil__write_memory", { memory_name: "a" }],
			["mcp__evil_serena__write_memory", { memory_name: "a" }],
			["mcp__serena__execute_shell_command", { command: "ls" }],
			["mcp__serena__write_memory", { memory_name: "../../a" }],
			["mcp__serena__write_memory", { memory_file_name: "/etc/a" }],
			["mcp__serena__edit_memory", { memory_name: "~/a" }],
			["mcp__serena__delete_memory", { memory_name: "a" }],
			["mcp__github__create_issue", {}],
			["Skill", { skill: "deploy" }],
			["Agent", { prompt: "x" }],
			["Monitor", { command: "x" }],
			["bash", { command: "ls" }],
			["Edit", {}],
			["Write", { file_path: "memory/notes.md" }],
			["Write", { file_path: join(at.store, "MEMORY.md.ts") }],
			["Write", { file_path: join(at.store, "profiles", "chosen", "project-p.json") }],
			["MultiEdit", { file_path: join(at.home, ".claude", "settings.json") }],
			["NotebookEdit", { notebook_path: "/x.ipynb" }],
			["CronCreate", {}],
			["ToolOfTomorrow", {}],
		];
		expect(calls.filter(([name, input]) => !isHeld(at, name, input))).toEqual([]);
	});

	test("notes in their places are written, and reading tools go on", () => {
		const at = stopped();
		const path = at.project.replace(/[^A-Za-z0-9]/g, "-");
		const files = [
			join(memories(at), "a.md"),
			join(memories(at), "sub", "a.md"),
			join(at.home, ".claude", "projects", path, "memory", "a.md"),
			join(at.store, "MEMORY.md"),
			join(at.store, "log", "2026-01-01.md"),
		];
		expect(files.filter((file) => write(at, file))).toEqual([]);
		const calls: [string, object][] = [
			["mcp__serena__write_memory", { memory_name: "a/b" }],
			["mcp__plugin_a_serena__edit_memory", { memory_name: "a/b" }],
			["mcp__serena__find_symbol", {}],
			["Skill", { skill: "context-guardian" }],
			["Skill", { skill: "ccg:context-guardian" }],
			...["Read", "Glob", "Grep", "WebFetch", "TodoWrite"].map((name): [string, object] => [name, {}]),
		];
		expect(calls.filter(([name, input]) => isHeld(at, name, input))).toEqual([]);
	});
});
