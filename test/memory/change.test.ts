import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deleteNote, editNote } from "../../src/memory/change.ts";
import { parseNotes } from "../../src/memory/notes.ts";
import { logCompaction, readMemoryNotes } from "../../src/memory/notes-file.ts";
import { corpus } from "../kit/corpus.ts";
import { startBun } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";
import { GLOBAL, NOW, place } from "./memory-fixture.ts";

const [TEXTS, CHANGES] = Object.values(corpus(join(import.meta.dirname, "change.txt")));

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

	test.each(TEXTS!)("%s", (row) => {
		const [text, expected] = row.split(" => ").map((one) => JSON.parse(one) as string) as [string, string];
		const { save, read, root } = place();
		expect(save(text, { scope: GLOBAL }).path).toBe(join(root, "MEMORY.md"));
		save(text);
		expect(read().split("\n\n").slice(1).join("\n\n")).toBe(expected);
		expect(save(text).same).toContain("note 1");
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
		import { findNotes } from ${from("notes.ts")};
		import { logCompaction, readMemoryNotes } from ${from("notes-file.ts")};
		const at = { ...${JSON.stringify(at)}, onProblem() {} };
		const now = new Date(2026, 0, 31, 9, 5);
		saveMemory({ ...at, target: "memory", text: "new ${i}", now });
		saveMemory({ ...at, target: "log", text: "log ${i}", now });
		logCompaction(at.root, ${JSON.stringify(cwd)}, "hook ${i}", now);
		deleteNote(at, findNotes(readMemoryNotes(at).notes, "old ${i}")[0]);`;
	const children = Array.from({ length: 8 }, (_, i) => startBun(["-e", code(i)], { env: { HOME: cwd } }));
	expect(await Promise.all(children.map(async (child) => (await child).exitCode))).toEqual(Array(8).fill(0));
	expect(texts().sort()).toEqual(Array.from({ length: 8 }, (_, i) => `- new ${i}`));
	expect(parseNotes(readFileSync(log, "utf8")).length).toBe(16);
	expect(readdirSync(dirname(log))).toEqual(["2026-01-31.md"]);
});

test.each(CHANGES!)("%s", (row) => {
	const [given, after] = row.split(" => ") as [string, string];
	const [before, index, text] = JSON.parse(`[${given}]`);
	const { edit, remove, read } = place(before);
	if (text === null) expect(remove(index)).toBe(parseNotes(JSON.parse(after)).length);
	else edit(index, text);
	expect(read()).toBe(JSON.parse(after));
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
	const two = readMemoryNotes(at).notes[1]!;
	writeFileSync(memory, "- zero\n- one\n- two\n");
	editNote(at, two, "new");
	expect(read()).toBe("- zero\n- one\n- new\n");
	expect(() => editNote(at, two, "newer")).toThrow(/was not edited in .*it has changed meanwhile/);
	expect(() => deleteNote(at, two)).toThrow(/was not deleted from .*it has changed meanwhile/);
});

test("a MEMORY.md of more than 4 MB is refused", () => {
	const { at, memory } = place("- a\n".repeat(2 * 1024 * 1024));
	expect(() => readMemoryNotes(at)).toThrow(`${memory} has 8388608 bytes`);
});
