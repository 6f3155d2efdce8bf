import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { namesBranch } from "../../../src/store/memory/fitting-notes.ts";
import { startupMemory, startupNotes } from "../../../src/store/memory/memory-read.ts";
import { keepUse, noteId, readFacts } from "../../../src/store/memory/note-facts.ts";
import { run } from "../../kit/sandbox.ts";
import { storeAt } from "../../kit/store.ts";
import { NOW, place, quiet } from "./memory-fixture.ts";

async function repository(branch = "feature/login") {
	const made = place();
	await run(["/usr/bin/env", "git", "init", "-q", "-b", branch], { env: { HOME: made.cwd }, cwd: made.cwd });
	mkdirSync(join(made.cwd, "src"));
	writeFileSync(join(made.cwd, "src", "here.ts"), "");
	return { ...made, told: (budget?: number) => startupMemory(storeAt(made.root), made.cwd, NOW, budget) };
}

const notesIn = (text: string | null): string[] =>
	(text ?? "").split("\n").flatMap((line) => (line.startsWith("| - ") ? [line.slice(2)] : []));

describe("what fits the branch and the folder comes first", () => {
	test("the branch in its words, then paths that are there, then the rest", async () => {
		const { told, inProject, root, write } = await repository();
		inProject(
			"MEMORY.md",
			"- on feature/login the form is new\n- see src/here.ts\n- see src/gone.ts\n- plain\n## Build\n- built by `src/here.ts`\n",
		);
		write(join(root, "MEMORY.md"), "- English\n- src/here.ts in all projects\n");
		const text = told()!;
		expect(text.split("\n").slice(1)).toEqual([
			"Project memory, what fits this branch and folder:",
			"| - on feature/login the form is new",
			"| - see src/here.ts",
			"| ## Build",
			"| - built by `src/here.ts`",
			"Global memory, what fits this branch and folder:",
			"| - src/here.ts in all projects",
			"Project memory:",
			"| - see src/gone.ts",
			"| - plain",
			"Global memory:",
			"| - English",
		]);
		expect(told()).toBe(text);
	});

	test("within the budget the branch's before the paths', and both before newer ones", async () => {
		const { told, inProject } = await repository();
		const filler = Array.from({ length: 60 }, (_, i) => `- fact ${i} ${"x".repeat(30)}`);
		inProject("MEMORY.md", ["- on feature/login", "- src/here.ts", ...filler].join("\n"));
		const head = told()!.indexOf("\n");
		const kept = notesIn(told(head + 330));
		expect(kept[0]).toBe("- on feature/login");
		expect(kept.length).toBeLessThan(5);
		expect(notesIn(told(1_000)).slice(0, 2)).toEqual(["- on feature/login", "- src/here.ts"]);
		for (let budget = head; budget < head + 1_000; budget += 50)
			expect((told(budget) ?? "").length).toBeLessThanOrEqual(budget);
	});

	test("what was saved on the branch; on another one the order is another", async () => {
		const { told, save, cwd } = await repository("feature/a");
		save("of a");
		writeFileSync(join(cwd, ".git", "HEAD"), "ref: refs/heads/feature/b\n");
		save("of b");
		expect(notesIn(told())).toEqual(["- of b", "- of a"]);
		writeFileSync(join(cwd, ".git", "HEAD"), "ref: refs/heads/feature/a\n");
		expect(notesIn(told())).toEqual(["- of a", "- of b"]);
	});

	test("a file that goes takes the note's place in line with it; a link out of the folder is no file of it", async () => {
		const { told, inProject, cwd } = await repository();
		inProject("MEMORY.md", "- old\n- src/here.ts\n- linked/hostname is there\n- new\n");
		symlinkSync("/etc", join(cwd, "linked"));
		expect(notesIn(told())).toEqual(["- src/here.ts", "- old", "- linked/hostname is there", "- new"]);
		rmSync(join(cwd, "src", "here.ts"));
		expect(told()).not.toContain("what fits");
	});

	test("of many notes and paths a bounded number is looked at", async () => {
		const { told, inProject } = await repository();
		inProject("MEMORY.md", Array.from({ length: 4_000 }, (_, i) => `- src/f${i}.ts/${i} a/b.c`).join("\n"));
		const began = performance.now();
		told();
		expect(performance.now() - began).toBeLessThan(1_000);
	});
});

describe("a branch is named", () => {
	test.each([
		["feature/login is new", "feature/login", true],
		["see feature/login.", "feature/login", true],
		["feature/login-2 is new", "feature/login", false],
		["my-feature/login", "feature/login", false],
		["the main thing", "main", false],
		["branch main is protected", "main", true],
		["the `main` one", "main", true],
		["on the main branch", "main", true],
		["maintained", "main", false],
		["fix-12 only", "fix-12", true],
	])("%j, %s: %s", (text, branch, expected) => expect(namesBranch(text, branch)).toBe(expected));
});

test("what was told is used that day: kept once, and the text is the same bytes", async () => {
	const { root, cwd, folder, save } = await repository();
	save("one");
	save("x".repeat(5_000));
	const notes = startupNotes(storeAt(root), cwd, NOW)!;
	expect(notes.told).toEqual(new Map([[folder, [noteId("one")]]]));
	keepUse(storeAt(root), notes.told, "start", NOW);
	expect(readFacts(folder, quiet).get(noteId("one"))?.start).toBe("2026-01-31");
	const again = startupNotes(storeAt(root), cwd, NOW)!;
	expect([again.text, again.told.size]).toEqual([notes.text, 0]);
	expect(startupNotes(storeAt(root), cwd, new Date(2026, 1, 5))!.told.size).toBe(1);
});
