import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { indexFiles } from "../../../src/claude/machine/index-files.ts";
import { SearchIndex } from "../../../src/store/search/search-index.ts";
import { hook, ccg as launched, sandbox } from "../../kit/sandbox.ts";
import { place } from "./memory-place.ts";

describe("age and last use", () => {
	test("list --notes: each note of both, whether dated, saved or of unknown age", async () => {
		const { ccg, folder, home } = place();
		await ccg("save", "a fact");
		await ccg("save", "--global", "for all");
		const memory = join(folder, "MEMORY.md");
		writeFileSync(memory, `${readFileSync(memory, "utf8")}- 2026-01-29: by hand\n- by hand\n`);
		expect((await ccg("list", "--notes")).split("\n")).toEqual([
			memory,
			"    1  saved 2026-01-31, today; no use known",
			"       - a fact",
			"    2  dated 2026-01-29, 2 days ago; no use known",
			"       - 2026-01-29: by hand",
			"    3  age unknown; no use known",
			"       - by hand",
			join(home, ".claude-memory", "MEMORY.md"),
			"    1  saved 2026-01-31, today; no use known",
			"       - for all",
		]);
		expect(JSON.parse(await ccg("list", "--notes", "--json"))[2]).toEqual({
			scope: "project",
			path: memory,
			number: 3,
			text: "- by hand",
			saved_at: null,
			dated: null,
			branch: null,
			last_used: null,
		});
	});

	test("show NUMBER prints one note with both, and is a use; so is showing the file", async () => {
		const { ccg } = place();
		await ccg("save", "a fact\nin two lines");
		await ccg("save", "another");
		expect(await ccg("show", "1")).toBe("| - a fact\n|   in two lines\n(saved 2026-01-31, today; no use known)");
		expect(await ccg("show", "1")).toContain("last used 2026-01-31, shown");
		expect(JSON.parse(await ccg("show", "2", "--json"))).toMatchObject({ number: 2, last_used: null });
		await ccg("show");
		expect(JSON.parse(await ccg("list", "--notes", "--json"))[1].last_used).toEqual({
			day: "2026-01-31",
			how: "shown",
		});
		expect(await ccg("list")).toContain("  used 2026-01-31  ");
		expect(JSON.parse(await ccg("list", "--json"))[0].last_used).toBe("2026-01-31");
		await expect(ccg("show", "3")).rejects.toThrow("this project's MEMORY.md has 2");
	});

	test("recall, search and a session's start are uses of what they show", async () => {
		const at = sandbox();
		const root = join(at.home, ".claude-memory");
		const call = async (...args: string[]) => (await launched(at, args)).out;
		const uses = async () =>
			JSON.parse(await call("memory", "list", "--notes", "--json")).map(
				({ last_used: last }: { last_used: { how: string } | null }) => last?.how ?? null,
			);
		for (const text of ["the parser keeps every comment", `the printer ${"drops blank lines and ".repeat(60)}ends`])
			await call("memory", "save", text);
		const index = SearchIndex.open(root)!;
		indexFiles(index, { root, claudeRoot: null, folder: at.project });
		index.close();
		expect(await call("recall", "nothingOfThis")).toContain("Nothing in this project");
		expect(await uses()).toEqual([null, null]);
		expect(await call("recall", "comment")).toContain("the parser keeps every comment");
		expect((await uses())[0]).toBe("found");
		await call("search", "printer");
		expect(await uses()).toEqual(["found", "found"]);
		await call("memory", "save", "a third");
		const { out } = await hook(at, "session-start", { source: "startup" });
		expect(out).toContain("a third");
		expect((await uses())[2]).toBe("start");
	});
});

describe("check", () => {
	test("nothing wrong: 0; something: 1, each note with what is not there", async () => {
		const { ccg, codes, cwd } = place();
		await ccg("save", "a plain fact");
		expect(await ccg("check")).toBe("1 note checked: nothing wrong found");
		expect(codes).toEqual([]);
		mkdirSync(join(cwd, "src"));
		writeFileSync(join(cwd, "src", "a.ts"), "export const kept = 1;\n");
		await ccg("save", "see `src/a.ts`, `src/b.ts` and `goneName()`");
		await ccg("save", "The port is 3000");
		await ccg("save", "--global", "The port is 4000");
		expect((await ccg("check")).split("\n")).toEqual([
			"note 2: - see `src/a.ts`, `src/b.ts` and `goneName()`",
			"  src/b.ts is not in the project",
			"  goneName is in no file of the project's code",
			"these contradict each other about: The port",
			"  note 3: - The port is 3000",
			"  global note 1: - The port is 4000",
			"",
			"4 notes checked, 1 file searched: 1 names what is not there, 1 contradiction",
		]);
		expect(codes).toEqual([1]);
		expect(JSON.parse(await ccg("check", "--json"))).toMatchObject({
			ok: false,
			notes: 4,
			files_searched: 1,
			unseen: [],
			gone: [{ number: 2, paths: ["src/b.ts"], symbols: ["goneName"] }],
			contradictions: [{ key: "The port" }],
		});
	});

	test("what a note holds can't steer the terminal", async () => {
		const { ccg, folder } = place();
		await ccg("save", "x");
		writeFileSync(join(folder, "MEMORY.md"), "- \u001b[2Jsee `src/\u0007gone.ts` and src/b.ts\n");
		expect(await ccg("check")).not.toMatch(/[\u0007\u001b]/);
	});
});

test("inventory: the keys by who keeps them", async () => {
	const { ccg, cwd } = place();
	await ccg("save", "a fact");
	mkdirSync(join(cwd, ".serena", "memories"), { recursive: true });
	writeFileSync(join(cwd, ".serena", "memories", "style.md"), "# Names\nShort.\n");
	const lines = (await ccg("inventory")).split("\n");
	expect(lines.map((line) => line.replace(/, \d+ B, \S+ \S+/, ""))).toEqual([
		"Claude Code's own memory (only read): none",
		"Serena's memories, .serena/memories (only read): 1 key",
		"  style   1 note  Names",
		"ccg's notes and daily logs: 1 key",
		"  MEMORY  1 note",
		"CLAUDE.md (only read): none",
	]);
	const { categories } = JSON.parse(await ccg("inventory", "--json"));
	expect(categories.map(({ category }: { category: string }) => category)).toEqual([
		"claude",
		"serena",
		"ccg",
		"claude_md",
	]);
	expect(categories[1].keys).toMatchObject([{ key: "style", notes: 1, headings: ["Names"] }]);
});
