import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countNotes } from "../../../src/store/memory/count-notes.ts";
import { deleteNote, notesNamed, notesOf, textOf } from "../../../src/store/memory/delete-note.ts";
import { notesIn } from "../../../src/store/memory/notes.ts";
import { projectFolder } from "../../../src/store/project.ts";
import { startBun } from "../../kit/process.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

function place(content?: string | Uint8Array) {
	const root = join(scratch("store"), ".claude-memory");
	const cwd = scratch("work");
	const folder = projectFolder(root, cwd);
	const path = join(folder, "MEMORY.md");
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	if (content !== undefined) writeFileSync(path, content, { mode: 0o640 });
	const at = { ...storeAt(root), scope: { cwd } };
	return { root, cwd, path, at, read: () => readFileSync(path, "utf8") };
}

const FILE =
	"# ccg memory\n\n- one\n- two\n  more of two\n\n  and more\n- three\n\n## Ports\n\nA paragraph.\n\n```\n- no note\n```\n";

describe("what a name means", () => {
	const notes = notesIn(FILE);
	test.each<[string, string[]]>([
		["1", ["- one"]],
		["5", ["```\n- no note\n```"]],
		["0", []],
		["6", []],
		["one", ["- one"]],
		["- ONE", ["- one"]],
		["more of", ["- two\n  more of two\n\n  and more"]],
		["two more of two and more", ["- two\n  more of two\n\n  and more"]],
		["o", ["- one", "- two\n  more of two\n\n  and more", "```\n- no note\n```"]],
		["nothing of this", []],
	])("%j", (named, texts) => expect(notesNamed(notes, named).map(textOf)).toEqual(texts));

	test("a whole text comes before a part of others", () => {
		const [a, b] = notesIn("- port\n- port 8137\n");
		expect(notesNamed([a!, b!], "Port")).toEqual([a]);
	});
});

test("a file too long to count", () => {
	expect(countNotes(place("- x\n".repeat(300_000)).path)).toBe(null);
});

describe("deleted", () => {
	test.each([
		["- one\n- two\n", 0, "- two\n"],
		["- one\n- two\n", 1, "- one\n"],
		["- one\n- two", 1, "- one\n"],
		["\uFEFF- one\r\n- two\r\n", 1, "\uFEFF- one\r\n"],
		["a\n\nb\n\nc\n", 1, "a\n\nc\n"],
		["a\n\nb\n", 0, "b\n"],
		["# h\n\n- one\n  more\n\n# g\n- two\n", 0, "# h\n\n# g\n- two\n"],
		["- one\n\n- two\n", 0, "- two\n"],
		["- only\n", 0, ""],
	])("%j without note %i is %j", (before, index, after) => {
		const { at, read } = place(before);
		expect(deleteNote(at, notesOf(at).notes[index]!).left).toBe(notesIn(after).length);
		expect(read()).toBe(after);
	});

	test("bytes that are no text, and the file's mode, stay", () => {
		const odd = Buffer.concat([Buffer.from("- \xff\xfe odd\n", "latin1"), Buffer.from("- two\n")]);
		const { at, path } = place(odd);
		deleteNote(at, notesOf(at).notes[1]!);
		expect(readFileSync(path)).toEqual(odd.subarray(0, odd.length - 6));
		expect(statSync(path).mode & 0o777).toBe(0o640);
	});

	test("what has changed meanwhile is not deleted; what has moved is", () => {
		const { at, path, read } = place("- one\n- two\n");
		const two = notesOf(at).notes[1]!;
		writeFileSync(path, "- zero\n- one\n- two\n");
		deleteNote(at, two);
		expect(read()).toBe("- zero\n- one\n");
		expect(() => deleteNote(at, two)).toThrow(/was not deleted from .*it has changed meanwhile/);
	});

	test("not through a link out of the store", () => {
		const { at, path } = place();
		writeFileSync(join(scratch(), "other.md"), "- one\n");
		symlinkSync(join(scratch(), "other.md"), path);
		expect(() => notesOf(at)).toThrow("symbolic link");
	});

	test("from any Markdown: the other notes stay as they are, and the count is that of the notes", () => {
		const line = fc.constantFrom(
			"- a",
			"* b\r",
			"1. c",
			"  more",
			"text",
			"# h",
			"```",
			"",
			"  ",
			"\t",
			"é".repeat(70),
			`${" ".repeat(80)}x`,
		);
		fc.assert(
			fc.property(fc.array(line, { maxLength: 14 }), fc.nat(20), (lines, pick) => {
				const text = lines.join("\n");
				const { at, path, read } = place(text);
				const { notes } = notesOf(at);
				expect(countNotes(path)).toBe(notes.length);
				if (notes.length === 0) return;
				const index = pick % notes.length;
				deleteNote(at, notes[index]!);
				const rest = notes.filter((_, i) => i !== index).flatMap((note) => note.lines.map((one) => one.trim()));
				const left = read()
					.split(/\r?\n/)
					.map((one) => one.trim());
				// in order, and nothing else than blank lines and headings beside them
				expect(left.filter((one) => one && one !== "# h")).toEqual(rest.filter((one) => one && one !== "# h"));
			}),
			{ numRuns: 300 },
		);
	});

	test("8 processes saving and deleting at once: what was not deleted is there, once", async () => {
		const { at, cwd, read } = place(Array.from({ length: 8 }, (_, i) => `- old ${i}\n`).join(""));
		const from = (name: string) => JSON.stringify(join(import.meta.dirname, "../../../src/store/memory", name));
		const code = (i: number) => `
			import { saveMemory } from ${from("memory.ts")};
			import { deleteNote, notesNamed, notesOf } from ${from("delete-note.ts")};
			const at = { ...${JSON.stringify(at)}, tell() {} };
			saveMemory({ ...at, target: "memory", text: "new ${i}", now: new Date() });
			deleteNote(at, notesNamed(notesOf(at).notes, "old ${i}")[0]);`;
		const children = Array.from({ length: 8 }, (_, i) => startBun(["-e", code(i)], { env: { HOME: cwd } }));
		expect(await Promise.all(children.map(async (child) => (await child).exitCode))).toEqual(Array(8).fill(0));
		expect(read().trimEnd().split("\n").sort()).toEqual(Array.from({ length: 8 }, (_, i) => `- new ${i}`));
	});
});
