import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { deleteNote, notesOf, textOf } from "../../../src/store/memory/delete-note.ts";
import { moveNote } from "../../../src/store/memory/move-note.ts";
import { keepUse, noteId, readFacts } from "../../../src/store/memory/note-facts.ts";
import { projectFolder } from "../../../src/store/project.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";
import { NOW, place, quiet } from "./memory-fixture.ts";

const GLOBAL = { global: true } as const;

function filled(content: string) {
	const made = place();
	mkdirSync(dirname(made.memory), { recursive: true, mode: 0o700 });
	writeFileSync(made.memory, content);
	const at = { ...storeAt(made.root), scope: { cwd: made.cwd } };
	const texts = (scope: { global: true } | { cwd: string }) => notesOf({ root: made.root, scope }).notes.map(textOf);
	const move = (index: number, to: { global: true } | { cwd: string } = GLOBAL, anyway = false) =>
		moveNote(at, notesOf(at).notes[index]!, to, { anyway });
	return { ...made, at, move, texts };
}

describe("moved", () => {
	test.each([
		["a bullet", "- one\n- two\n", "- one"],
		["with its lines", "* one\n  more\n\n    code\n- two\n", "- one\n  more\n\n    code"],
		["a paragraph", "One\nand two.\n\n- b\n", "- One\n  and two."],
		["a fenced block", "```sh\nnpm test\n```\n\n- b\n", "- ```sh\n  npm test\n  ```"],
		["of another writer's indentation", "- one\n\tmore\n- b\n", "- one\n  more"],
	])("%s", (_, before, after) => {
		const { move, texts, at, root } = filled(before);
		const [, ...rest] = texts(at.scope);
		expect(move(0)).toMatchObject({ status: "moved", left: rest.length, to: join(root, "MEMORY.md") });
		expect(texts(GLOBAL)).toEqual([after]);
		expect(texts(at.scope)).toEqual(rest);
	});

	test("to another project, and back, with its age and its uses", () => {
		const { move, save, texts, root, folder, at } = filled("");
		const other = { cwd: scratch("other") };
		save("one", { now: new Date("2025-01-02T03:04:05Z") });
		keepUse(storeAt(root), new Map([[folder, [noteId("one")]]]), "shown", NOW);
		move(0, other);
		expect([texts(at.scope), texts(other)]).toEqual([[], ["- one"]]);
		const facts = readFacts(projectFolder(root, other.cwd), quiet).get(noteId("one"));
		expect(facts).toEqual({ id: noteId("one"), saved: "2025-01-02T03:04:05.000Z", shown: "2026-01-31" });
		expect(readFacts(folder, quiet).size).toBe(0);
		moveNote({ ...storeAt(root), scope: other }, notesOf({ root, scope: other }).notes[0]!, at.scope);
		expect([texts(at.scope), texts(other)]).toEqual([["- one"], []]);
	});

	test("what stands there already is only taken from here: a move that was killed ends so", () => {
		const { move, texts, at, save } = filled("- one\n- two\n");
		save("ONE", { scope: GLOBAL });
		expect(move(0)).toMatchObject({ status: "duplicate", left: 1 });
		expect([texts(at.scope), texts(GLOBAL)]).toEqual([["- two"], ["- ONE"]]);
	});
});

describe("not moved", () => {
	test("what a note there says nearly, but for anyway", () => {
		const { move, texts, at, save } = filled("- the tests run with bun test\n");
		save("tests are run with bun test", { scope: GLOBAL });
		expect(move(0)).toMatchObject({ status: "similar", like: { number: 1, text: "- tests are run with bun test" } });
		expect(texts(at.scope)).toHaveLength(1);
		expect(move(0, GLOBAL, true).status).toBe("moved");
		expect(texts(GLOBAL)).toHaveLength(2);
	});

	test("to where it is, also by a link to the same file", () => {
		const { move, at, root, memory, cwd } = filled("- one\n");
		expect(() => move(0, { cwd })).toThrow("is in");
		symlinkSync(memory, join(root, "MEMORY.md"));
		expect(() => move(0)).toThrow("is the same file");
		expect(notesOf(at).notes).toHaveLength(1);
	});

	test("what would be redacted, and what is no longer there", () => {
		const { move, at, memory, root } = filled("- DB_PASSWORD=hunter2hunter\n- two\n");
		const before = readFileSync(memory, "utf8");
		expect(() => move(0)).toThrow("what looks like a secret");
		const two = notesOf(at).notes[1]!;
		expect(readFileSync(memory, "utf8")).toBe(before);
		deleteNote(at, two);
		expect(() => moveNote(at, two, GLOBAL)).toThrow(/was not moved from .*changed meanwhile/);
		expect(notesOf({ root, scope: GLOBAL }).notes).toEqual([]);
	});

	test("through a link out of the store", () => {
		const { move, at, root } = filled("- one\n");
		const away = join(scratch(), "away.md");
		writeFileSync(away, "- theirs\n");
		symlinkSync(away, join(root, "MEMORY.md"));
		expect(() => move(0)).toThrow("symbolic link");
		expect([readFileSync(away, "utf8"), notesOf(at).notes.length]).toEqual(["- theirs\n", 1]);
	});
});
