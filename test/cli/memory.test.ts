import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "../../src/store/project.ts";
import { type Called, runCcg } from "../kit/ccg.ts";
import { scratch } from "../scratch-home.ts";

/** A home and a folder, and `ccg memory` run in them. */
function place(more: Called = {}) {
	const home = scratch("home");
	const cwd = scratch("work");
	const root = join(home, ".claude-memory");
	const folder = projectFolder(root, cwd);
	const memory = join(folder, "MEMORY.md");
	const called = { env: { HOME: home }, cwd, now: new Date(2026, 0, 31, 9, 5), stdin: "from stdin\nin two lines\n" };
	const ccg = (...args: string[]) => runCcg(["memory", ...args], { ...called, ...more });
	const out = async (...args: string[]) => (await ccg(...args)).out;
	const read = () => readFileSync(memory, "utf8").split("\n\n").slice(1).join("\n\n");
	return { home, cwd, root, folder, memory, global: join(root, "MEMORY.md"), ccg, out, read };
}

async function filled(more?: Called) {
	const made = place(more);
	for (const text of ["The port is 3000", "tests run with bun test", "tests need tmux"]) await made.ccg("save", text);
	return made;
}

test("save: words, stdin, targets, global; a second time it is a duplicate", async () => {
	const { out, memory, folder, global, read } = place();
	expect(await out("save", "tests", "run", "with bun")).toBe(`saved in ${memory}`);
	expect(await out("save", "Tests run  with bun")).toContain(`${memory} already, as note 1: - tests run with bun`);
	expect(await out("save", "-")).toBe(`saved in ${memory}`);
	expect(read()).toBe("- tests run with bun\n- from stdin\n  in two lines\n");
	expect(await out("save", "--target", "log", "done")).toBe(`saved in ${folder}/log/2026-01-31.md`);
	expect(await out("save", "--global", "for all")).toBe(`saved in ${global}`);
});

test("list: each note of both with its number", async () => {
	const { ccg, out, memory, global } = place();
	expect(await out("list")).toContain("There is no note yet");
	await ccg("save", "a fact");
	await ccg("save", "--global", "for all");
	writeFileSync(memory, `${readFileSync(memory, "utf8")}- by hand\n`);
	expect((await out("list")).split("\n")).toEqual([
		memory,
		"    1  - a fact",
		"    2  - by hand",
		global,
		"    1  - for all",
	]);
	expect((await ccg("list", "--json")).json[1]).toEqual({
		scope: "project",
		path: memory,
		number: 2,
		text: "- by hand",
	});
	expect(await out("list", "1")).toBe("| - a fact");
});

test("list --all: the keys by who keeps them", async () => {
	const { ccg, out, cwd, memory } = place();
	await ccg("save", "a fact");
	mkdirSync(join(cwd, ".serena", "memories"), { recursive: true });
	writeFileSync(join(cwd, ".serena", "memories", "style.md"), "# Names\nShort.\n");
	const [heads, ...rows] = (await out("list", "--all")).split("\n").map((line) => line.split(/ {2,}/));
	expect(heads).toEqual(["kept by", "key", "bytes", "changed", "path"]);
	expect(rows.map(([by, key, , , path]) => [by, key, path])).toEqual([
		["serena", "style", join(cwd, ".serena/memories/style.md")],
		["ccg", "MEMORY", memory],
		[expect.stringContaining(` ${cwd}`), undefined, undefined],
	]);
	expect((await ccg("list", "--all", "--json")).json.categories[1].keys).toMatchObject([{ key: "style", bytes: 15 }]);
});

test("edit: by number and first words as shown, by a part of its text, from stdin; what it was is printed", async () => {
	const { ccg, out, memory, read } = await filled();
	const edited = `edited in ${memory}; before:`;
	expect(await out("edit", "1  - The po…", "The", "port", "is 4000")).toBe(`${edited}\n- The port is 3000`);
	expect(await out("edit", "need tmux", "-")).toContain("before:\n- tests need tmux");
	expect(read()).toBe("- The port is 4000\n- tests run with bun test\n- from stdin\n  in two lines\n");
	expect((await ccg("edit", "2 Tests run", "--json", "tests run with vitest")).json).toEqual({
		path: memory,
		number: 2,
		before: "- tests run with bun test",
		text: "- tests run with vitest",
	});
	expect((await ccg("edit", "1 The", "tests run with  vitest")).err).toContain("the file has it as note 2");
	expect((await ccg("edit", "1 tests run", "x")).err).toContain("no note '1 tests run'");
});

test("delete: by number and words, by words, global; what was deleted is printed", async () => {
	const { ccg, out, memory, global } = await filled();
	const left = `deleted from ${memory}, which has 2 notes now:\n- tests run with bun test`;
	expect(await out("delete", "2", "tests", "--yes")).toBe(left);
	const deleted = { deleted: "- The port is 3000", path: memory, notes_left: 1 };
	expect((await ccg("delete", "PORT", "is", "--yes", "--json")).json).toEqual(deleted);
	await ccg("save", "--global", "for all");
	expect(await out("delete", "--global", "for", "--yes")).toContain(global);
});

test("delete asks, and shows the note it asks about; with nobody to ask it deletes nothing and ends 2", async () => {
	const { ccg, memory } = await filled({ interactive: true, answer: false });
	const { asked, err } = await ccg("delete", "port");
	expect(asked).toEqual([`- The port is 3000\nDelete this note from ${memory}? [y/N] `]);
	expect(err).toBe("Nothing was deleted.");
	expect((await (await filled()).ccg("delete", "port")).code).toBe(2);
});
