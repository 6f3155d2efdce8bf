import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { notesOf, textOf } from "../../../src/store/memory/delete-note.ts";
import { editNote } from "../../../src/store/memory/edit-note.ts";
import { noteId, readFacts } from "../../../src/store/memory/note-facts.ts";
import { storeAt } from "../../kit/store.ts";
import { NOW, place, quiet } from "./memory-fixture.ts";

function filled(content: string | Uint8Array) {
	const made = place();
	mkdirSync(dirname(made.memory), { recursive: true, mode: 0o700 });
	writeFileSync(made.memory, content);
	const at = { ...storeAt(made.root), scope: { cwd: made.cwd } };
	const edit = (index: number, text: string, anyway = false) =>
		editNote(at, notesOf(at).notes[index]!, text, NOW, { anyway });
	return { ...made, at, edit, read: () => readFileSync(made.memory, "utf8") };
}

describe("one note's bytes are replaced", () => {
	test.each([
		["a bullet", "- one\n- two\n- three\n", 1, "new", "- one\n- new\n- three\n"],
		["its own mark stays", "* one\n1. two\n", 1, "new", "* one\n1. new\n"],
		["many lines by one", "- one\n  more\n\n  and more\n- two\n", 0, "new", "- new\n- two\n"],
		["one line by many", "- one\n- two\n", 0, "new\n\nmore", "- new\n\n  more\n- two\n"],
		["no line end", "- one\n- two", 1, "new", "- one\n- new"],
		["Windows line ends", "\uFEFF- one\r\n- two\r\n", 0, "new\nmore", "\uFEFF- new\r\n  more\r\n- two\r\n"],
		["a paragraph stays one", "# h\n\nOne\ntwo.\n\n- b\n", 0, "New one.", "# h\n\nNew one.\n\n- b\n"],
		["a paragraph of several", "One.\n\n- b\n", 0, "New\n\nmore", "- New\n\n  more\n\n- b\n"],
		["a fenced block", "```\nx\n```\n- b\n", 0, "new", "new\n- b\n"],
		["blank lines around it stay", "- a\n\n\n- b\n\n\n- c\n", 1, "new", "- a\n\n\n- new\n\n\n- c\n"],
		["secrets", "- a\n", 0, "DB_PASSWORD=hunter2hunter", "- DB_PASSWORD=[REDACTED:secret]\n"],
	])("%s", (_, before, index, text, after) => {
		const { edit, read } = filled(before);
		expect(edit(index, text).status).toBe("edited");
		expect(read()).toBe(after);
	});

	test("bytes that are no text, and the file's mode, stay", () => {
		const odd = Buffer.concat([Buffer.from("- \xff\xfe odd\n", "latin1"), Buffer.from("- two\n")]);
		const { edit, memory } = filled(odd);
		chmodSync(memory, 0o640);
		edit(1, "new");
		expect(readFileSync(memory)).toEqual(Buffer.concat([odd.subarray(0, 9), Buffer.from("- new\n")]));
		expect(statSync(memory).mode & 0o777).toBe(0o640);
	});

	test("in any Markdown, or it is refused: the other notes stay as they are", () => {
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
		);
		const text = fc.constantFrom("new", "new\nmore", "new\n\nmore", "# new", "```\nnew\n```", "- new\n- more");
		fc.assert(
			fc.property(fc.array(line, { maxLength: 12 }), fc.nat(20), text, (lines, pick, given) => {
				const { at, edit } = filled(lines.join("\n"));
				const { notes } = notesOf(at);
				if (notes.length === 0) return;
				const index = pick % notes.length;
				try {
					edit(index, given, true);
				} catch (error) {
					expect(String(error)).toMatch(/would become several notes/);
				}
				const after = notesOf(at).notes;
				expect(after.length).toBe(notes.length);
				for (const [i, note] of after.entries()) if (i !== index) expect(textOf(note)).toBe(textOf(notes[i]!));
			}),
			{ numRuns: 150 },
		);
	});
});

test("what another note says, or nearly, is refused with that note; its own words are not", () => {
	const { edit, read } = filled("- tests run with bun test\n- deploys go through make\n- The port is 3000\n");
	const before = read();
	expect(edit(1, "Tests  run with bun test")).toMatchObject({ status: "duplicate", like: { number: 1 } });
	expect(edit(1, "the tests are run with bun test")).toMatchObject({ status: "similar", like: { number: 1 } });
	expect(edit(0, "- Tests run with bun  test").status).toBe("same");
	expect(read()).toBe(before);
	expect(edit(0, "the tests are run with bun test").status).toBe("edited");
	expect(edit(1, "tests run with bun test", true).status).toBe("edited");
	expect(edit(2, "The port is 4000").status).toBe("edited");
});

test("what has changed meanwhile is not edited, and an empty or too long text is refused", () => {
	const { at, memory, edit, read } = filled("- one\n- two\n");
	const two = notesOf(at).notes[1]!;
	expect(() => edit(1, " - ")).toThrow("the note is empty");
	expect(() => edit(1, "x".repeat(8_001))).toThrow("may have 8000 characters");
	writeFileSync(memory, "- zero\n- one\n- two\n");
	editNote(at, two, "new", NOW);
	expect(read()).toBe("- zero\n- one\n- new\n");
	expect(() => editNote(at, two, "newer", NOW)).toThrow(/was not edited in .*it has changed meanwhile/);
});

test("its age is that of the edit, its uses go along, and nothing is known of the text before", () => {
	const { edit, folder, save, memory } = filled("");
	save("one", { now: new Date(2025, 0, 1) });
	edit(0, "two");
	expect(readFacts(folder, quiet).get(noteId("- two"))?.saved).toBe(NOW.toISOString());
	expect([...readFacts(folder, quiet).keys()]).toEqual([noteId("two")]);
	expect(readFileSync(memory, "utf8")).toContain("- two\n");
});
