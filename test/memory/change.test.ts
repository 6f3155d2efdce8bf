import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deleteNote, editNote } from "../../src/memory/change.ts";
import { notesIn } from "../../src/memory/notes.ts";
import { logCompaction, notesOf } from "../../src/memory/notes-file.ts";
import { startBun } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";
import { GLOBAL, NOW, place } from "./memory-fixture.ts";

describe("saved", () => {
	test("with a heading, and private", () => {
		const { save, memory, log } = place();
		expect(save("a fact")).toEqual({ path: memory, same: null });
		expect(save("a fact", { target: "log" })).toEqual({ path: log, same: null });
		const [note, line] = [memory, log].map((path) => readFileSync(path, "utf8"));
		expect(note).toBe("# ccg memory of this project: one note per bullet, yours to edit\n\n- a fact\n");
		expect(line).toBe("# ccg log of 2026-01-31, yours to read and edit\n\n- 09:05 a fact\n");
		expect([memory, log].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
	});

	test.each([
		["many lines are one bullet", "first\n\nsecond\n  third  \n", "- first\n\n  second\n    third\n"],
		["white space around it", "  \n a fact \n", "- a fact\n"],
		["Windows line ends", "a\r\nb", "- a\n  b\n"],
		["control characters and colours", "a\u0000b\u001b[31mc\u001b[0m\u0007\u009b\td", "- abc\td\n"],
		["secrets", "DB_PASSWORD=hunter2hunter", "- DB_PASSWORD=[REDACTED:secret]\n"],
	])("%s", (_, text, expected) => {
		const { save, read, root } = place();
		expect(save(text, { scope: GLOBAL }).path).toBe(join(root, "MEMORY.md"));
		save(text);
		expect(read().split("\n\n").slice(1).join("\n\n")).toBe(expected);
		expect(save(text).same).toContain("note 1");
	});

	test("the same text but for white space and case is there already; more is another note", () => {
		const { save, texts } = place();
		save("A  Fact\there");
		expect(save("a fact HERE").same).toBe("note 1: - A Fact here");
		expect(save("a fact here too").same).toBeNull();
		expect(texts()).toHaveLength(2);
	});

	test.each([
		["no line end", "# Mine\n\n* by hand", "\n- new\n"],
		["Windows line ends", "\uFEFF# Mine\r\n- by hand\r\n", "- new\r\n"],
		["no UTF-8", Uint8Array.from([0x2d, 0x20, 0xff, 0xfe, 0xe9, 0x0a]), "- new\n"],
	])("hand-written content keeps every byte: %s", (_, content, added) => {
		const { save, memory } = place(content);
		chmodSync(memory, 0o640);
		expect(save("new").same).toBeNull();
		expect(readFileSync(memory).equals(Buffer.concat([Buffer.from(content as string), Buffer.from(added)]))).toBe(true);
		expect(statSync(memory).mode & 0o777).toBe(0o640);
	});

	test("a MEMORY.md that is a link is refused, and what it leads to stays", () => {
		const { save, memory, write } = place();
		const real = write(join(scratch(), "notes.md"), "- mine\n");
		mkdirSync(dirname(memory), { recursive: true });
		symlinkSync(real, memory);
		expect(() => save("new")).toThrow("is a symbolic link");
		expect(readFileSync(real, "utf8")).toBe("- mine\n");
	});

	test("errors say what, where and what to do; nothing is written", () => {
		const { save, memory, root } = place();
		for (const text of ["", " \n\t ", "\u0000", "- "])
			expect(() => save(text)).toThrow("the note is empty; give its text");
		expect(() => save("x".repeat(8001))).toThrow("may have 8000 characters, this one has 8001; shorten it");
		expect(readdirSync(dirname(root))).toEqual([]);
		mkdirSync(memory, { recursive: true });
		expect(() => save("a")).toThrow(`the note was not saved in ${memory}: it is no regular file; move it away`);
	});
});

test("a log's lines: one each, also after a line cut short; secrets and line breaks out", () => {
	const { root, cwd, log, write } = place();
	for (const line of ["first\nline", "API_KEY=hunter2hunter"]) logCompaction(root, cwd, line, NOW);
	const two =
		"# ccg log of 2026-01-31, yours to read and edit\n\n- 09:05 compaction (first line\n- 09:05 compaction (API_KEY=[REDACTED:secret]\n";
	expect(readFileSync(log, "utf8")).toBe(two);
	write(log, `${two}- 09:0`);
	logCompaction(root, cwd, "next", NOW);
	expect(readFileSync(log, "utf8")).toBe(`${two}- 09:0\n- 09:05 compaction (next\n`);
	expect(statSync(log).mode & 0o077).toBe(0);
});

test("processes that save, delete and append at once lose nothing", async () => {
	const { cwd, at, log, texts } = place(Array.from({ length: 8 }, (_, i) => `- old ${i}\n`).join(""));
	const from = (name: string) => JSON.stringify(join(import.meta.dirname, "../../src/memory", name));
	const code = (i: number) => `
		import { deleteNote, saveMemory } from ${from("change.ts")};
		import { notesNamed } from ${from("notes.ts")};
		import { logCompaction, notesOf } from ${from("notes-file.ts")};
		const at = { ...${JSON.stringify(at)}, tell() {} };
		const now = new Date(2026, 0, 31, 9, 5);
		saveMemory({ ...at, target: "memory", text: "new ${i}", now });
		saveMemory({ ...at, target: "log", text: "log ${i}", now });
		logCompaction(at.root, ${JSON.stringify(cwd)}, "hook ${i}", now);
		deleteNote(at, notesNamed(notesOf(at).notes, "old ${i}")[0]);`;
	const children = Array.from({ length: 8 }, (_, i) => startBun(["-e", code(i)], { env: { HOME: cwd } }));
	expect(await Promise.all(children.map(async (child) => (await child).exitCode))).toEqual(Array(8).fill(0));
	expect(texts().sort()).toEqual(Array.from({ length: 8 }, (_, i) => `- new ${i}`));
	expect(notesIn(readFileSync(log, "utf8")).length).toBe(16);
	expect(readdirSync(dirname(log))).toEqual(["2026-01-31.md"]);
});

/** Before, which note, its new text or `null` to delete it, after. */
test.each<[string, number, string | null, string]>([
	["- one\n- two", 1, null, "- one\n"],
	["\uFEFF- one\r\n- two\r\n", 1, null, "\uFEFF- one\r\n"],
	["a\n\nb\n\nc\n", 1, null, "a\n\nc\n"],
	["a\n\nb\n", 0, null, "b\n"],
	["# h\n\n- one\n  more\n\n# g\n- two\n", 0, null, "# h\n\n# g\n- two\n"],
	["- one\n\n- two\n", 0, null, "- two\n"],
	["* one\n1. two\n", 1, "new", "* one\n1. new\n"],
	["- one\n  more\n\n  and more\n- two\n", 0, "new", "- new\n- two\n"],
	["- one\n- two\n", 0, "new\n\nmore", "- new\n\n  more\n- two\n"],
	["\uFEFF- one\r\n- two\r\n", 0, "new\nmore", "\uFEFF- new\r\n  more\r\n- two\r\n"],
	["One\ntwo.\n\n- b\n", 0, "New one.", "- New one.\n\n- b\n"],
	["- a\n\n\n- b\n\n\n- c\n", 1, "new", "- a\n\n\n- new\n\n\n- c\n"],
	["- a\n", 0, "DB_PASSWORD=hunter2hunter", "- DB_PASSWORD=[REDACTED:secret]\n"],
])("%j with note %i as %j is %j", (before, index, text, after) => {
	const { edit, remove, read } = place(before);
	if (text === null) expect(remove(index)).toBe(notesIn(after).length);
	else edit(index, text);
	expect(read()).toBe(after);
});

test("in any Markdown the other notes stay as they are, whatever one becomes, or it is refused", () => {
	const line = fc.constantFrom("- a", "* b\r", "1. c", "  more", "text", "# h", "```", "", "  ", "\t", "é".repeat(70));
	const text = fc.constantFrom(null, "new", "new\nmore", "new\n\nmore", "# new", "```\nnew\n```", "- new\n- more");
	fc.assert(
		fc.property(fc.array(line, { maxLength: 12 }), fc.nat(20), text, (lines, pick, given) => {
			const { texts, edit, remove } = place(lines.join("\n"));
			const before = texts();
			if (before.length === 0) return;
			const index = pick % before.length;
			let left = before.length;
			try {
				if (given === null) left = remove(index);
				else edit(index, given);
			} catch (error) {
				expect(String(error)).toMatch(/would become several notes|the file has it as/);
			}
			if (given !== null) expect(texts().length).toBe(left);
			const same = (one: string) => one.replace(/\s+/g, " ").trim();
			for (const [i, note] of before.entries()) if (i !== index) expect(same(texts().join("\n"))).toContain(same(note));
		}),
		{ numRuns: 150 },
	);
});

test("what has changed meanwhile is left alone; what has moved is found", () => {
	const { at, memory, read } = place("- one\n- two\n");
	const two = notesOf(at).notes[1]!;
	writeFileSync(memory, "- zero\n- one\n- two\n");
	editNote(at, two, "new");
	expect(read()).toBe("- zero\n- one\n- new\n");
	expect(() => editNote(at, two, "newer")).toThrow(/was not edited in .*it has changed meanwhile/);
	expect(() => deleteNote(at, two)).toThrow(/was not deleted from .*it has changed meanwhile/);
});

test("what another note says is refused with that note; its own words are not", () => {
	const { edit, read } = place("- tests run with bun test\n- deploys go through make\n");
	const before = read();
	expect(() => edit(1, "Tests  run with bun test")).toThrow("the file has it as note 1: - tests run with bun test");
	expect(read()).toBe(before);
	expect(edit(0, "- Tests run with bun  test")).toBe("- Tests run with bun  test");
});

test("a MEMORY.md of more than 4 MB is refused", () => {
	const { at, memory } = place("- a\n".repeat(2 * 1024 * 1024));
	expect(() => notesOf(at)).toThrow(`${memory} has 8388608 bytes`);
});
