import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectFolder } from "../../../src/store/project.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";
import { place } from "./memory-place.ts";

async function filled(env?: Record<string, string>) {
	const made = place(env);
	for (const text of ["The port is 3000", "tests run with bun test", "deploys go through make"])
		await made.ccg("save", text);
	const memory = join(made.folder, "MEMORY.md");
	return { ...made, memory, read: () => readFileSync(memory, "utf8").split("\n\n").slice(1).join("\n\n") };
}

describe("save refuses what a note says nearly", () => {
	test("with the note, what to do, and 1; --anyway saves it; a number makes another note", async () => {
		const { ccg, memory, talk, codes, read } = await filled();
		const before = read();
		expect(await ccg("save", "The tests are run with `bun test`")).toBe("");
		expect(talk).toEqual([
			`Not saved: ${memory} says nearly the same in note 2: - tests run with bun test`,
			'To change that one: ccg memory edit 2 "NEW TEXT"',
			'To keep both: ccg memory save --anyway "TEXT"',
		]);
		expect([codes, read()]).toEqual([[1], before]);
		expect(await ccg("save", "--anyway", "The tests are run with `bun test`")).toBe(`saved in ${memory}`);
		expect(await ccg("save", "The port is 4000")).toBe(`saved in ${memory}`);
		expect(await ccg("save", "--anyway", "the port is 4000")).toContain("duplicate: ");
	});

	test("of the notes for all projects too, but not of a log", async () => {
		const { ccg, talk } = await filled();
		await ccg("global", "Answers are given in English always");
		await ccg("save", "--global", "answers are given in English");
		expect(talk.slice(1)).toEqual([
			'To change that one: ccg memory edit --global 1 "NEW TEXT"',
			'To keep both: ccg memory global --anyway "TEXT"',
		]);
		await ccg("save", "--target", "log", "ran all the tests with bun");
		expect(await ccg("save", "--target", "log", "ran all tests with bun")).toContain("saved in ");
	});
});

describe("edit", () => {
	test("bare, or as JSON, it numbers the notes", async () => {
		const { ccg, memory } = await filled();
		expect(await ccg("edit")).toContain("  2  - tests run with bun test\n");
		expect(await ccg("edit")).toContain('To change one: /opt/ccg/bin/ccg memory edit NUMBER "NEW TEXT"');
		expect(JSON.parse(await ccg("edit", "--json"))).toMatchObject({ path: memory, notes: [{ number: 1 }, {}, {}] });
	});

	test("by number, by a part of its text, from stdin, global; what it was is printed", async () => {
		const { ccg, memory, read, home } = await filled();
		expect(await ccg("edit", "1", "The", "port", "is 4000")).toBe(`edited in ${memory}; before:\n- The port is 3000`);
		expect(await ccg("edit", "deploys go", "-")).toContain("before:\n- deploys go through make");
		expect(read()).toBe("- The port is 4000\n- tests run with bun test\n- from stdin\n  in two lines\n");
		expect(JSON.parse(await ccg("edit", "2", "--json", "tests run with vitest"))).toEqual({
			path: memory,
			number: 2,
			before: "- tests run with bun test",
			text: "- tests run with vitest",
		});
		expect(await ccg("edit", "1", "the port is 4000")).toBe(`unchanged: the note in ${memory} says so already`);
		await ccg("global", "in English");
		expect(await ccg("edit", "--global", "1", "in German")).toContain(join(home, ".claude-memory", "MEMORY.md"));
	});

	test("refuses what another note says", async () => {
		const { ccg, talk, codes, memory } = await filled();
		await expect(ccg("edit", "1", "tests run with bun test")).rejects.toThrow(
			`the note was not edited: ${memory} has it as note 2: - tests run with bun test`,
		);
		await ccg("edit", "1", "the tests are run with bun test");
		expect(talk).toEqual([
			`Not edited: ${memory} says nearly the same in note 2: - tests run with bun test`,
			"To keep both add --anyway",
		]);
		expect(codes).toEqual([1]);
		await expect(ccg("edit", "9", "x")).rejects.toThrow("no note '9'");
	});
});

describe("move", () => {
	test("bare it numbers the notes", async () => {
		const { ccg } = await filled();
		expect(await ccg("move")).toContain("To move one: /opt/ccg/bin/ccg memory move NUMBER --to global");
	});

	test("to the notes for all, back, and to another project's folder", async () => {
		const { ccg, home, memory, cwd } = await filled();
		const global = join(home, ".claude-memory", "MEMORY.md");
		expect(await ccg("move", "1", "--to", "global")).toBe(
			`moved to ${global}; it is gone from ${memory}, which has 2 notes now`,
		);
		expect(JSON.parse(await ccg("move", "--global", "port", "--to", "project", "--json"))).toEqual({
			moved: "- The port is 3000",
			from: global,
			to: memory,
			stood_there: false,
			notes_left: 0,
		});
		mkdirSync(join(cwd, "other"));
		await ccg("move", "tests run", "--to", "./other");
		const other = join(projectFolder(join(home, ".claude-memory"), join(cwd, "other")), "MEMORY.md");
		expect(readFileSync(other, "utf8")).toContain("- tests run with bun test\n");
		await expect(ccg("move", "1", "--to", "./none")).rejects.toThrow("'./none' is no folder");
		await expect(ccg("move", "1", "--to", "project")).rejects.toThrow(`the note is in ${memory} already`);
	});

	test("refuses what a note there says nearly, and takes what stands there from here", async () => {
		const { ccg, talk, codes, home } = await filled();
		await ccg("global", "the tests are run with bun test");
		await ccg("move", "2", "--to", "global");
		expect([talk[0], talk[1], codes]).toEqual([
			`Not moved: ${join(home, ".claude-memory", "MEMORY.md")} says nearly the same in note 1: - the tests are run with bun test`,
			"To move it all the same add --anyway",
			[1],
		]);
		await ccg("global", "The port is 3000");
		expect(await ccg("move", "1", "--to", "global")).toContain("it stood there already, and is gone from");
	});
});

test("in a session all of it is of the session's project", async () => {
	const { home, cwd, folder } = place();
	const inSession = place({ HOME: home, CLAUDE_PROJECT_DIR: cwd }, { cwd });
	await inSession.ccg("save", "a fact");
	expect(await inSession.ccg("edit", "1", "another fact")).toContain(`edited in ${join(folder, "MEMORY.md")}`);
	expect(await inSession.ccg("move", "1", "--to", "global")).toContain(`gone from ${join(folder, "MEMORY.md")}`);
});

test.each([
	[["edit", "1", ""], "the text is empty; to take the note away"],
	[["edit", "1"], "give the new text behind the note"],
	[["move", "1"], "say where it goes: --to global"],
	[["save", "--to", "/tmp", "x"], "unknown option '--to'"],
])("%j is wrong use: 2, with what to do", async (args, message) => {
	const { code, out, err } = await run([LAUNCHER, "memory", ...args], {
		env: { HOME: scratch("home") },
		cwd: scratch(),
	});
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toContain(message);
});

test("a large MEMORY.md: only its end is compared, and saving takes no longer than a moment", async () => {
	const { ccg, memory, talk } = await filled();
	mkdirSync(dirname(memory), { recursive: true });
	writeFileSync(memory, `${"- x y z filler line of a note\n".repeat(200_000)}- tests run with bun test\n`);
	const began = performance.now();
	await ccg("save", "the tests are run with bun test");
	expect(talk[0]).toContain("in one of its last notes: - tests run with bun test");
	expect(performance.now() - began).toBeLessThan(3_000);
});
