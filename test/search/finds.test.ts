import { join } from "node:path";
import { expect, test } from "vitest";
import type { PassageKind } from "../../src/search/passage.ts";
import { searchPassages } from "../../src/search/recall.ts";
import { firstTermOffset, queryTerms } from "../../src/search/words.ts";
import { corpus } from "../kit/corpus.ts";
import { add, asker, found, passage, recalled, source, using } from "./kit.ts";

const CASES = corpus(join(import.meta.dirname, "finds.txt"));

test.each(Object.values(CASES).flat())("%s, and nothing else", (row) => {
	const [words, text] = row.split(" => ") as [string, string];
	// one text in two forms, on either side
	for (const [asked, held] of [
		[words, text.normalize("NFD")],
		[words.normalize("NFD"), text],
	] as const)
		using((index) => {
			add(index, [held, "nothing of it", "completely different matter", "src/c/d.py"]);
			expect(found(index, asked)).toEqual([held]);
		});
});

test.each([
	["Konfiguration", "die Kon\u00adfiguration dort"],
	["می\u200cخواهم", "من می\u200cخواهم بروم"],
])("signs that nobody sees part no word: %j", (words, text) =>
	using((index) => {
		add(index, [text, "nothing of it"]);
		expect(found(index, words)).toEqual([text]);
	}),
);

test("a beginning is looked for where the project holds the word itself nowhere", () =>
	using((index) => {
		add(index, ["в файле конфигурации"]);
		add(index, ["другая конфигурация"], source("/t/q.jsonl", "q", "s2"));
		expect(recalled(index, "конфигурация")).toMatch(/\| в файле конфигурации\n\(no passage holds: конфигурация\)$/);
		for (const name of ["v1.2.34", "far29x", "port-4711", "src/a/words.ts"]) {
			add(index, [`${name.slice(0, -1)}9 is another name`], source(`/t/${name}.jsonl`));
			expect(recalled(index, name), name).toContain("Nothing in this project holds");
		}
	}));

test.each(['"', "a\u0000b", "NEAR(", "* OR", "z".repeat(1_000_000), "'; DROP TABLE words;--", "🚀 👩‍💻", "\ud800"])(
	"a query of %.20j answers or finds nothing",
	(words) =>
		using((index) => {
			add(index, ["something quite usual"]);
			expect(found(index, words)).toEqual([]);
			expect(recalled(index, words)).toMatch(/Nothing in this project|no word to look for/);
			expect(found(index, "usual")).toHaveLength(1);
		}),
);

test("each word is looked for once, and a huge query in bounded time", () => {
	expect(queryTerms("Lock lock LOCK")).toHaveLength(1);
	expect(queryTerms(Array.from({ length: 300_000 }, (_, i) => `w${i}`).join(" ")).length).toBeLessThanOrEqual(49);
});

test("what an excerpt shows is the text as it was written, around the word, however long its folded form is", () =>
	using((index) => {
		for (const [unit, word] of [
			["ßßß ", "STRASSE"],
			["e\u0301e\u0301 ", "strasse"],
		] as const) {
			index.add(source(`/t/${word}.jsonl`), [passage(`${unit.repeat(900)}die Straße dort${" x".repeat(900)}`)]);
			expect(recalled(index, word)).toMatch(/^\| … .*die Straße dort/m);
		}
		const text = "ßẞ e\u0301 Straßen, ＳＴＲＡＳＳＥ";
		expect(text.slice(firstTermOffset(text, queryTerms("STRASSE")))).toMatch(/^Straßen/);
	}));

test("what is said to a message that holds the words is found; a call, who goes on and another session are not", () =>
	using((index) => {
		const sessions: [PassageKind, string][][] = [
			[
				["agent", "Ready."],
				["user", "Who may unlock the gate?"],
				["call", "$ ls"],
				["agent", "Only Maureen and her deputy"],
				["agent", "Nothing else to do."],
			],
			[["agent", "Of another session"]],
			[
				["agent", "The gate may be unlocked at six"],
				["agent", "And I sweep the yard"],
			],
			[["user", "Of the next session"]],
		];
		for (const [n, said] of sessions.entries())
			index.add(
				source(`/t/s${n}.jsonl`, "p", `s${n}`),
				said.map(([kind, text], pos) => passage(text, pos, { kind })),
			);
		const texts = searchPassages(index, "who may unlock the gate", { ...asker, session: "" }).found.map(
			({ text }) => text,
		);
		expect(texts[0]).toBe("Who may unlock the gate?");
		expect(texts).toContain("Only Maureen and her deputy");
		for (const other of ["$ ls", "Of another session", "And I sweep the yard", "Of the next session"])
			expect(texts).not.toContain(other);
	}));

test("the same passage comes once, the asker's own session first", () =>
	using((index) => {
		add(index, ["the parser keeps comments"], source("/t/s2.jsonl", "p", "s2"));
		add(index, ["the parser keeps comments"]);
		add(index, ["The parser  keeps comments"], source("/t/s3.jsonl", "p", "s3"));
		expect(searchPassages(index, "parser comments", asker).found).toMatchObject([{ session: "s1" }]);
	}));
