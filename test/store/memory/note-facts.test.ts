import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deleteNote, notesOf } from "../../../src/store/memory/delete-note.ts";
import { changeFacts, keepUse, noteId, readFacts } from "../../../src/store/memory/note-facts.ts";
import { historyOf } from "../../../src/store/memory/note-history.ts";
import { run } from "../../kit/sandbox.ts";
import { storeAt } from "../../kit/store.ts";
import { listened, problems } from "../../kit/store-problems.ts";
import { scratch } from "../../scratch-home.ts";
import { NOW, place, quiet } from "./memory-fixture.ts";

const git = (cwd: string, ...args: string[]) =>
	run(["/usr/bin/env", "git", "-C", cwd, ...args], { env: { HOME: cwd }, cwd });

describe("what is kept when a note is saved", () => {
	test("when, and on which branch; of a global note and of a log no branch and nothing", async () => {
		const { save, folder, cwd, root } = place();
		await git(cwd, "init", "-q", "-b", "feature/x");
		const there = place();
		save("one");
		expect(readFacts(folder, quiet).get(noteId("- One "))).toEqual({
			id: noteId("one"),
			saved: NOW.toISOString(),
			branch: "feature/x",
		});
		save("two", { scope: { global: true } });
		expect([...readFacts(root, quiet).values()]).toEqual([{ id: noteId("two"), saved: NOW.toISOString() }]);
		there.save("three", { target: "log" });
		expect(readFacts(there.folder, quiet).size).toBe(0);
		expect(statSync(join(folder, "notes.json")).mode & 0o777).toBe(0o600);
	});

	test("what is there already keeps its time, and what is deleted is forgotten", () => {
		const { save, folder, root, cwd } = place();
		save("one");
		expect(save("ONE", { now: new Date(2027, 0, 1) }).status).toBe("duplicate");
		expect(readFacts(folder, quiet).get(noteId("one"))?.saved).toBe(NOW.toISOString());
		const at = { ...storeAt(root), scope: { cwd } };
		deleteNote(at, notesOf(at).notes[0]!);
		expect(readFacts(folder, quiet).size).toBe(0);
	});

	test("a note is saved also where nothing can be kept of it", () => {
		const { save, folder, memory, write } = place();
		write(join(folder, "notes.json"), '{"version":99,"notes":"of a newer ccg"}');
		expect(save("one").status).toBe("saved");
		expect(readFileSync(memory, "utf8")).toContain("- one\n");
		expect(readFileSync(join(folder, "notes.json"), "utf8")).toContain("of a newer ccg");
	});
});

describe("a use", () => {
	test("is kept once a day, each kind by itself", () => {
		const { save, root, folder } = place();
		save("one");
		const path = join(folder, "notes.json");
		const used = new Map([[folder, [noteId("one")]]]);
		const at = (day: string) => new Date(`${day}T12:00:00Z`);
		keepUse(storeAt(root), used, "start", at("2026-02-01"));
		const first = statSync(path);
		keepUse(storeAt(root), used, "start", at("2026-02-01"));
		expect(statSync(path).ino).toBe(first.ino);
		keepUse(storeAt(root), used, "found", at("2026-02-03"));
		keepUse(storeAt(root), used, "start", at("2026-01-01"));
		expect(readFacts(folder, quiet).get(noteId("one"))).toMatchObject({ start: "2026-02-01", found: "2026-02-03" });
	});

	test("is not kept through a link, and costs nothing", () => {
		const { save, root } = place();
		save("one");
		const away = scratch("away");
		symlinkSync(away, join(root, "linked"));
		keepUse(storeAt(root), new Map([[join(root, "linked"), [3]]]), "shown", NOW);
		expect(existsSync(join(away, "notes.json"))).toBe(false);
	});

	test("of very many notes those touched last are known", () => {
		const { folder, save } = place();
		save("one");
		changeFacts(folder, quiet, (facts) => {
			for (let id = 0; id < 3_000; id++) facts.set(id, { id, start: `2026-0${1 + (id % 9)}-01` });
			return true;
		});
		const facts = readFacts(folder, quiet);
		expect(facts.size).toBe(1_000);
		expect([...facts.values()].every(({ start = "" }) => start >= "2026-06-01")).toBe(true);
	});

	test("is not kept over a file that can't be read: what it holds stays", () => {
		const { save, folder, root } = place();
		save("one");
		const path = join(folder, "notes.json");
		const large = `${readFileSync(path, "utf8").trimEnd()}${" ".repeat(2 * 1024 * 1024)}\n`;
		writeFileSync(path, large);
		keepUse(storeAt(root), new Map([[folder, [7]]]), "shown", NOW);
		expect(save("two").status).toBe("saved");
		expect(readFileSync(path, "utf8")).toBe(large);
	});

	test("a damaged file is set aside and begun anew", () => {
		const { save, folder, root } = place();
		save("one");
		writeFileSync(join(folder, "notes.json"), '{"version":1,"notes":[{"id":"x"}]}');
		keepUse(listened(root), new Map([[folder, [7]]]), "shown", NOW);
		expect([...readFacts(folder, quiet).keys()]).toEqual([7]);
		expect(problems).toEqual([expect.stringContaining(`facts of notes ${folder}/notes.json`)]);
	});
});

describe("a note's name", () => {
	test.each([
		["- a fact", "A  fact\n", true],
		["1. a fact", "* a\u0000 fact", true],
		["a fact", "a facts", false],
	])("%j and %j: %s", (a, b, same) => expect(noteId(a) === noteId(b)).toBe(same));
});

describe("a note's own day", () => {
	const day = (line: string, heading: string | null = null) =>
		historyOf({ lines: [line], heading }, { id: 1, saved: "2026-01-30T00:00:00.000Z" }, NOW).dated;
	test.each([
		["- 2025-12-31: moved", "2025-12-31"],
		["- **2025-12-31** moved", "2025-12-31"],
		["- moved (2025-12-31)", "2025-12-31"],
		["- moved [2025-12-31].", "2025-12-31"],
		["- the release of 2025-12-31 was moved", null],
		["- 2027-01-01: to come", null],
		["- 2025-99-99: no day", null],
		["- 2025-12-31-rc1 is out", null],
	])("%j: %s", (line, expected) => expect(day(line)).toBe(expected));

	test("of its heading", () => {
		expect(day("- moved", "## Notes of 2025-12-31")).toBe("2025-12-31");
		expect(day("- 2025-11-30 moved", "## 2025-12-31")).toBe("2025-11-30");
	});

	test("nothing is invented", () => {
		expect(historyOf({ lines: ["- a"], heading: null }, undefined, NOW)).toEqual({
			savedAt: null,
			dated: null,
			branch: null,
			lastUsed: null,
		});
		expect(historyOf({ lines: ["- a"], heading: null }, { id: 1, saved: "soon" }, NOW).savedAt).toBe(null);
	});
});
