import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { registerMemory } from "../../../src/cli/commands/memory.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { nativeMemoryFolder } from "../../../src/store/project.ts";
import { runNow } from "../../kit/process.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";
import { place } from "./memory-place.ts";

test("save: words, stdin, targets, global; a second time it is a duplicate", async () => {
	const { home, folder, ccg } = place();
	const memory = join(folder, "MEMORY.md");
	expect(await ccg("save", "tests", "run", "with bun")).toBe(`saved in ${memory}`);
	expect(await ccg("save", "Tests run  with bun")).toBe(
		`duplicate: the note is in ${memory} already, as note 1: - tests run with bun`,
	);
	expect(await ccg("save", "-")).toBe(`saved in ${memory}`);
	expect(readFileSync(memory, "utf8")).toContain("- tests run with bun\n- from stdin\n  in two lines\n");
	expect(await ccg("save", "--target", "log", "done")).toBe(`saved in ${folder}/log/2026-01-31.md`);
	expect(await ccg("save", "--global", "for all")).toBe(`saved in ${home}/.claude-memory/MEMORY.md`);
});

test("list and show, with names and paths from the list only", async () => {
	const { home, cwd, folder, ccg } = place();
	expect(await ccg("list")).toBe("no memory yet; save a note with: /opt/ccg/bin/ccg memory save TEXT");
	expect(await ccg("list", "--json")).toBe("[]");
	await ccg("save", "a fact");
	await ccg("save", "--target", "log", "done");
	await ccg("save", "--global", "for all");
	const native = nativeMemoryFolder(join(home, ".claude"), cwd);
	mkdirSync(native, { recursive: true });
	writeFileSync(join(native, "MEMORY.md"), "- Claude's own\u001b[2J\n");
	writeFileSync(join(folder, "log", "2026-01-30.md"), "- older\n");

	const names = ["MEMORY.md", "log/2026-01-30.md", "log/2026-01-31.md", "global/MEMORY.md", "claude/MEMORY.md"];
	expect(JSON.parse(await ccg("list", "--json")).map(({ name }: { name: string }) => name)).toEqual(names);
	expect((await ccg("list")).split("\n").map((line) => line.split(" ")[0])).toEqual(names);

	for (const [args, text] of [
		[[], "- a fact"],
		[["memory"], "- a fact"],
		[["log"], "- 09:05 done"],
		[["2026-01-30"], "- older"],
		[["log/2026-01-30.md"], "- older"],
		[["--global"], "- for all"],
		[["global/MEMORY.md"], "- for all"],
		[["claude/MEMORY"], "- Claude's own"],
		[[join(native, "MEMORY.md")], "- Claude's own"],
	] as [string[], string][])
		expect((await ccg("show", ...args)).split("\n").at(-1), args.join(" ")).toBe(text);
	expect(JSON.parse(await ccg("show", "--json", "2026-01-30"))).toMatchObject({
		name: "log/2026-01-30.md",
		text: "- older\n",
	});
	expect((await ccg("list")).split("\n").some((line) => line.endsWith(" "))).toBe(false);
});

describe("delete", () => {
	const filled = async (interactive = false, answer = true) => {
		const made = place(undefined, { interactive, answer });
		for (const text of ["ports are in config", "tests run with bun", "tests need tmux"]) await made.ccg("save", text);
		await made.ccg("save", "--global", "answers in English");
		return { ...made, memory: join(made.folder, "MEMORY.md") };
	};

	test("bare it numbers the notes", async () => {
		const { ccg, memory } = await filled();
		expect(await ccg("delete")).toBe(
			"  1  - ports are in config\n  2  - tests run with bun\n  3  - tests need tmux\n\nTo delete one: /opt/ccg/bin/ccg memory delete NUMBER",
		);
		expect(JSON.parse(await ccg("delete", "--json"))).toEqual({
			path: memory,
			notes: [1, 2, 3].map((number) => ({ number, text: expect.stringMatching(/^- /) })),
		});
	});

	test("by number, by text, global; what was deleted is printed", async () => {
		const { ccg, home, memory } = await filled();
		expect(await ccg("delete", "2", "--yes")).toBe(
			`deleted from ${memory}, which has 2 notes now:\n- tests run with bun`,
		);
		expect(JSON.parse(await ccg("delete", "PORTS", "are", "--yes", "--json"))).toEqual({
			deleted: "- ports are in config",
			path: memory,
			notes_left: 1,
		});
		expect(readFileSync(memory, "utf8")).toMatch(/^# ccg [^\n]*\n\n- tests need tmux\n$/);
		expect(await ccg("delete", "--global", "1", "--yes")).toContain(join(home, ".claude-memory", "MEMORY.md"));
	});

	test("asks, shows the note it asks about, and takes no for an answer", async () => {
		const { ccg, memory, asked, talk } = await filled(true, false);
		await ccg("delete", "1");
		expect(asked).toEqual([`- ports are in config\nDelete this note from ${memory}? [y/N] `]);
		expect(talk).toEqual(["Nothing was deleted."]);
		expect(await (await filled(true, true)).ccg("delete", "1")).toContain("2 notes now");
	});

	test("with nobody to ask it deletes nothing and ends 2", async () => {
		const { ccg, codes, memory } = await filled();
		expect(await ccg("delete", "1")).toBe("");
		expect(codes).toEqual([2]);
		expect(readFileSync(memory, "utf8")).toContain("ports");
	});

	test("no such note, or several", async () => {
		const { ccg } = await filled();
		await expect(ccg("delete", "9", "--yes")).rejects.toThrow("'ccg memory list --notes' shows the notes");
		await expect(ccg("delete", "tests", "--yes")).rejects.toThrow(
			/'tests' stands in 2 notes of .*: ?\n {2}2 {2}- tests run with bun\n {2}3 {2}- tests need tmux$/,
		);
	});

	test("in a session, of the session's project", async () => {
		const { home, cwd, folder } = place();
		const inSession = place({ HOME: home, CLAUDE_PROJECT_DIR: cwd }, { cwd });
		await inSession.ccg("save", "a fact");
		expect(await inSession.ccg("delete", "1", "--yes")).toContain(`deleted from ${join(folder, "MEMORY.md")}`);
	});
});

test.each([
	["no text", ["save", ""], "the note is empty; give its text, or - to read it from stdin"],
	["too long", ["save", "x".repeat(9000)], "may have 8000 characters"],
	["unknown target", ["save", "--target", "wiki", "x"], "Allowed choices are memory, log."],
	["nothing to show", ["show"], "'ccg memory list' shows what there is"],
	["out of the folder", ["show", "../../../../etc/passwd"], "no memory file '../../../../etc/passwd'"],
	["a foreign path", ["show", "/etc/passwd"], "no memory file '/etc/passwd'"],
	["no such note", ["show", "7"], "this project's MEMORY.md has 0; 'ccg memory list --notes' shows them"],
	["no such day", ["show", "--global", "2020-01-01"], "no global memory file '2020-01-01'"],
])("fails: %s", async (_, args, message) => {
	await expect(place().ccg(...args)).rejects.toThrow(message);
});

test.each([[["save", "x"]], [["list"]], [["show"]], [["edit"]], [["move"]], [["check"]], [["inventory"]]])(
	"no store: %s",
	async (args) => {
		await expect(place({}).ccg(...args)).rejects.toThrow(
			"neither CCG_HOME nor HOME is set, so there is no store; set one of them",
		);
	},
);

test.each(["save", "list", "show", "edit", "delete", "move", "check", "inventory"])(
	"%s --help has examples",
	async (name) => {
		const help: string[] = [];
		const program = new Command("ccg").exitOverride();
		registerMemory(program, { env: {}, cwd: "/" } as Io);
		const command = program.commands[0]!.commands.find((each) => each.name() === name)!;
		command.configureOutput({ writeOut: (text) => help.push(text) });
		command.outputHelp();
		expect(help.join("")).toContain(`Examples:\n`);
		expect(help.join("")).toContain(`ccg memory ${name}`);
	},
);

test("- reads the process's stdin", () => {
	const { home, cwd, folder } = place();
	const at = (path: string) => JSON.stringify(join(import.meta.dirname, "../../../", path));
	const code = `
		import { Command } from "commander";
		import { processIo } from ${at("src/cli/support/io.ts")};
		import { registerMemory } from ${at("src/cli/commands/memory.ts")};
		const program = new Command("ccg");
		registerMemory(program, processIo());
		await program.parseAsync(["memory", "save", "-"], { from: "user" });`;
	const script = code.replace('"commander"', at("node_modules/commander/index.js"));
	const { out, err } = runNow([process.execPath, "--config=/dev/null", "--no-env-file", "-e", script], {
		cwd,
		env: { HOME: home },
		input: "piped\n",
	});
	expect(err).toBe("");
	expect(out).toBe(`saved in ${folder}/MEMORY.md\n`);
	expect(readFileSync(join(folder, "MEMORY.md"), "utf8")).toContain("- piped\n");
});

test.each([
	[["save", "--target", "nope", "x"], "memory, log"],
	[["save", ""], "the note is empty"],
	[["save", " ", ""], "the note is empty"],
	[["global", ""], "the note is empty"],
])("%j is wrong use: 2, with what to do", async (args, message) => {
	const { code, out, err } = await run([LAUNCHER, "memory", ...args], {
		env: { HOME: scratch("home") },
		cwd: scratch(),
	});
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toContain(message);
});

test("show global is show global/MEMORY.md", async () => {
	const { ccg } = place();
	await ccg("save", "--global", "for all");
	expect(await ccg("show", "global")).toBe(await ccg("show", "global/MEMORY.md"));
});
