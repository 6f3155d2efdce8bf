import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Passage } from "../../src/search/passage.ts";
import { recallShown, search } from "../../src/search/recall.ts";
import { SearchIndex } from "../../src/search/search-index.ts";
import { placesOf, queryTerms } from "../../src/search/words.ts";
import { scratch } from "../scratch-home.ts";

let root: string;
beforeEach(() => {
	root = join(scratch("forms"), "store");
});

const passage = (text: string, pos = 0, more: Partial<Passage> = {}): Passage => ({
	...{ pos, part: 0, at: 1_800_000_000, kind: "agent", tool: "", path: "", text },
	...more,
});
const source = (path: string, project = "p", session = "s1") => ({ path, project, session });
const asker = { project: "p", session: "s1", now: new Date(1_800_000_100_000) };
const using = <T>(act: (index: SearchIndex) => T): T => SearchIndex.use(root, {}, act)!;
const add = (index: SearchIndex, texts: readonly string[], of = source("/t/s1.jsonl")): void =>
	index.add(
		of,
		texts.map((text, i) => passage(text, i * 100)),
	);
const found = (index: SearchIndex, words: string) =>
	search(index, words, asker, { project: "p" }).found.map(({ text }) => text);
const recalled = (index: SearchIndex, words: string) => recallShown(index, words, asker).text;

test.each([
	// Korean: endings are joined to a word
	["설정", "이 설정을 바꾼다"],
	["설정을", "새로운 설정에서"],
	["값", "이 값을 쓴다"],
	["설정".normalize("NFD"), "이 설정을 바꾼다"],
	["설정", "이 설정을 바꾼다".normalize("NFD")],
	// one text in several forms, on either side
	["résumé.txt", "wrote résumé.txt".normalize("NFD")],
	["résumé.txt".normalize("NFD"), "wrote résumé.txt"],
	["Überblick.md", "see Überblick.md".normalize("NFD")],
	["123", "number １２３ of it"],
	["１２３", "number 123 of it"],
	["parse", "ｐａｒｓｅＤｏｃｕｍｅｎｔ of it"],
	["カナ", "これはｶﾅです"],
	["ｶﾞｲﾄﾞ", "新しいガイドです"],
	["STRASSE", "die Straße dort"],
	["straße", "DIE STRASSE DORT"],
	["strasse", "DIE STRAẞE DORT"],
	["ΟΔΟΣ", "μια οδος εδω"],
	["istanbul", "İstanbul is it"],
	["file", "the ﬁle is there"],
	["oﬀice", "the office is there"],
	["مرحبا", "قال ﻣﺮﺣﺒﺎ له"],
	["x2", "the x² term"],
	["IV", "part Ⅳ of it"],
	["5㎏", "all of 5kg there"],
	["Konfiguration", "die Kon\u00adfiguration dort"],
	["ตั้งค่า", "ไฟล์ตั้งค่าใหม่"],
	["می\u200cخواهم", "من می\u200cخواهم بروم"],
	// by its beginning, where no passage holds it
	["конфигурация", "в файле конфигурации"],
	["настройки", "новая настройка"],
	["ayar", "yeni ayarları kaydet"],
	["3f9c2d1", "commit 3f9c2d1e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e"],
	["3f9c2d1e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e", "commit 3f9c2d1 is it"],
	["8d1f0c52-77aa-4a1e-9a3b-0a1b2c3d4e5f", "the session 8d1f0c52 is it"],
	["सेटिंग", "यह सेटिंग्स है"],
])("%s finds %s, and nothing else", (words, text) =>
	using((index) => {
		add(index, [text, "nothing of it", "completely different matter", "src/c/d.py"]);
		expect(found(index, words)).toEqual([text]);
	}),
);

test("a beginning is looked for where the project holds the word itself nowhere but in what was just asked", () =>
	using((index) => {
		add(index, ["в файле конфигурации"]);
		add(index, ["другая конфигурация"], source("/t/q.jsonl", "q", "s2"));
		index.add(source("/t/s1.jsonl"), [passage("какая конфигурация верна?", 900, { kind: "user" })]);
		expect(recalled(index, "конфигурация")).toMatch(/\| в файле конфигурации\n\(no passage holds: конфигурация\)$/);
		for (const name of ["v1.2.34", "far29x", "port-4711", "src/a/words.ts"]) {
			add(index, [`${name.slice(0, -1)}9 is another name`], source(`/t/${name}.jsonl`));
			expect(recalled(index, name), name).toContain("Nothing in this project holds");
		}
		expect(recalled(index, "зебра")).toContain("Nothing in this project holds: зебра.");
	}));

test("what an excerpt shows is the text as it was written, around the word, however long its folded form is", () =>
	using((index) => {
		for (const [text, word] of [
			[`${"ßßß ".repeat(900)}die Straße dort${" ßßß".repeat(900)}`, "STRASSE"],
			[`${"e\u0301e\u0301 ".repeat(900)}die Straße dort${" x".repeat(900)}`, "strasse"],
			[`${"가나".normalize("NFD").repeat(300)} 설정을 바꾼다 ${"x ".repeat(900)}`, "설정"],
		] as const) {
			index.add(source(`/t/${word}.jsonl`), [passage(text)]);
			expect(recalled(index, word)).toMatch(/^\| … .*(die Straße dort|설정을 바꾼다)/m);
		}
		const [straße] = queryTerms("STRASSE");
		const text = "ßẞ e\u0301 Straßen, ＳＴＲＡＳＳＥ";
		expect(placesOf(text, [straße!]).map((place) => text.slice(...place))).toEqual(["Straßen", "ＳＴＲＡＳＳＥ"]);
		expect(placesOf(text, [])).toEqual([]);
	}));
