import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LAUNCHER, type Sandbox } from "../kit/sandbox.ts";
import { isCommandHeld, isHeld, stopped } from "./guard-fixture.ts";

describe("files of the folder", () => {
	test.each([
		["-ofoo", "sort *"],
		["-ofoo.txt", "sort *.txt"],
		["-ofoo", "sort ?[o]*"],
		["-ofoo", 'for f in *; do sort "$f"; done'],
		["-ofoo", "F=*; sort $F"],
		["-delete", "find *"],
		["--pre=x", "rg foo *"],
		["--filter=x", "grep foo *"],
		["-i", "sed -n p *"],
		["--output=x", "git diff *"],
		["-C", "file *"],
		["-o", "tree *"],
		["-ofoo", "cd src; cd ..; sort *"],
	])("a file %s meets %s", async (name, command) => {
		const at = stopped();
		writeFileSync(join(at.project, name), "");
		expect(await isCommandHeld(at, command)).toBe(true);
	});

	test("in the folder a cd leads to", async () => {
		const at = stopped();
		writeFileSync(join(at.project, "src", "-ofoo"), "");
		expect(await isCommandHeld(at, "cd src && sort *")).toBe(true);
		expect(await isCommandHeld(at, "(cd src; sort *)")).toBe(true);
		expect(await isCommandHeld(at, 'cd "$X" && sort *')).toBe(true);
	});

	test.each(["json.py", "json", "argparse.py", "re.so"])("%s is what json.tool takes", async (name) => {
		const at = stopped();
		if (name === "json") mkdirSync(join(at.project, name));
		else writeFileSync(join(at.project, name), "");
		expect(await isCommandHeld(at, "python3 -m json.tool a.txt")).toBe(true);
	});

	test.each([
		["rust-toolchain.toml", '[toolchain]\npath = "/tmp/x"\n', "cargo --version"],
		[".cargo/config.toml", '[build]\nrustc = "./x"\n', "cargo tree --locked -d"],
		[".yarnrc.yml", "yarnPath: ./x.cjs\n", "yarn --version"],
		["package.json", '{"packageManager":"pnpm@9.0.0"}', "pnpm --version"],
	])("%s says what runs", async (name, text, command) => {
		const at = stopped();
		mkdirSync(join(at.project, ".cargo"));
		writeFileSync(join(at.project, name), text);
		expect(await isCommandHeld(at, command)).toBe(true);
		expect(await isCommandHeld(at, command, join(at.project, "src"))).toBe(true);
	});

	test.each([".", "", "bin", "node_modules/.bin", "@/bin"])(
		"a program of the workspace through PATH %j",
		async (place) => {
			const at = stopped();
			const folder = join(at.project, place.replace("@/", ""));
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, "jq"), "#!/bin/sh\ntouch x\n");
			chmodSync(join(folder, "jq"), 0o755);
			at.env.PATH = `${place.replace("@", at.project)}:${at.env.PATH}`;
			expect(await isCommandHeld(at, "jq . a.txt")).toBe(true);
			expect(await isCommandHeld(at, "cat a.txt | jq .")).toBe(true);
		},
	);

	test("a ccg that is another", async () => {
		const at = stopped();
		const folder = join(at.top, "bin");
		mkdirSync(folder);
		writeFileSync(join(folder, "ccg"), "#!/bin/sh\ntouch x\n", { mode: 0o755 });
		expect(
			await isCommandHeld({ ...at, env: { ...at.env, PATH: `${folder}:${at.env.PATH}` } }, "ccg task status"),
		).toBe(true);
	});

	test("harmless: a ccg that leads to this one goes on", async () => {
		const at = stopped();
		const folder = join(at.top, "bin");
		mkdirSync(folder);
		symlinkSync(LAUNCHER, join(folder, "ccg"));
		expect(
			await isCommandHeld({ ...at, env: { ...at.env, PATH: `${folder}:${at.env.PATH}` } }, "ccg task status"),
		).toBe(false);
		expect(await isCommandHeld(at, "ccg task status")).toBe(false);
	});
});

describe("notes", () => {
	const memories = (at: Sandbox): string => join(at.project, ".serena", "memories");
	const write = (at: Sandbox, file_path: string): Promise<boolean> => isHeld(at, "Write", { file_path, content: "x" });

	test.each([
		[
			"the folder",
			(at: Sandbox) => {
				mkdirSync(join(at.project, ".serena"));
				symlinkSync(at.home, memories(at));
			},
			"a.md",
		],
		[
			"the folder above",
			(at: Sandbox) => {
				mkdirSync(join(at.home, "memories"));
				symlinkSync(at.home, join(at.project, ".serena"));
			},
			"a.md",
		],
		[
			"a folder below",
			(at: Sandbox) => {
				mkdirSync(memories(at), { recursive: true });
				symlinkSync(at.home, join(memories(at), "sub"));
			},
			"sub/a.md",
		],
		[
			"the file",
			(at: Sandbox) => {
				mkdirSync(memories(at), { recursive: true });
				writeFileSync(join(at.home, ".bashrc"), "");
				symlinkSync(join(at.home, ".bashrc"), join(memories(at), "a.md"));
			},
			"a.md",
		],
		[
			"the file, to nowhere",
			(at: Sandbox) => {
				mkdirSync(memories(at), { recursive: true });
				symlinkSync(join(at.home, "new"), join(memories(at), "a.md"));
			},
			"a.md",
		],
		[
			"the file has a second name",
			(at: Sandbox) => {
				mkdirSync(memories(at), { recursive: true });
				writeFileSync(join(at.home, ".bashrc"), "");
				linkSync(join(at.home, ".bashrc"), join(memories(at), "a.md"));
			},
			"a.md",
		],
	])("are linked: %s", async (_, plant, name) => {
		const at = stopped();
		plant(at);
		expect(await write(at, join(memories(at), name))).toBe(true);
		if (name === "a.md" && _ === "the folder")
			expect(await isHeld(at, "mcp__serena__write_memory", { memory_name: "a", content: "x" })).toBe(true);
	});

	test.each([
		"../a.md",
		"../../a.md",
		"x/../../../src/a.md",
		"./../a.md",
		"a.ts",
		"a.md/../../x.md",
		"a\0.md",
		"//../a.md",
	])("%j leads out", async (name) => {
		const at = stopped();
		mkdirSync(memories(at), { recursive: true });
		expect(await write(at, `${memories(at)}/${name}`)).toBe(true);
	});

	test.each([
		["mcp__evil__write_memory", { memory_name: "a" }],
		["mcp__serena_evil__write_memory", { memory_name: "a" }],
		["mcp__evil_serena__write_memory", { memory_name: "a" }],
		["mcp__serena__execute_shell_command", { command: "ls" }],
		["mcp__serena__write_memory", { memory_name: "../../a" }],
		["mcp__serena__write_memory", { memory_file_name: "/etc/a" }],
		["mcp__serena__edit_memory", { memory_name: "~/a" }],
		["mcp__serena__delete_memory", { memory_name: "a" }],
		["mcp__x__read_memory", {}],
		["Skill", { skill: "deploy" }],
		["Agent", { prompt: "x" }],
		["Task", { prompt: "x" }],
		["Monitor", { command: "x" }],
		["bash", { command: "ls" }],
		["Bash", { command: "ls", run_in_background: "true" }],
		["Bash", { command: "ls", run_in_background: 1 }],
		["Bash", { command: ["ls"] }],
	])("%s %j is no note", async (name, input) => {
		expect(await isHeld(stopped(), name, input)).toBe(true);
	});

	test("harmless: notes in their places are written", async () => {
		const at = stopped();
		const path = at.project.replace(/[^A-Za-z0-9]/g, "-");
		for (const file of [
			join(memories(at), "a.md"),
			join(memories(at), "sub", "a.md"),
			join(at.home, ".claude", "projects", path, "memory", "a.md"),
			join(at.store, "MEMORY.md"),
			join(at.store, "log", "2026-01-01.md"),
		])
			expect([file, await write(at, file)]).toEqual([file, false]);
		for (const name of ["mcp__serena__write_memory", "mcp__plugin_a_serena__edit_memory", "mcp__serena__find_symbol"])
			expect(await isHeld(at, name, { memory_name: "a/b" })).toBe(false);
		for (const skill of ["context-guardian", "ccg:context-guardian"])
			expect(await isHeld(at, "Skill", { skill })).toBe(false);
	});
});
