import { expect, test } from "vitest";
import { indexText, queryTerms } from "../../../src/core/search/words.ts";

test.each([
	["parseDocument fails", "parse Document fails\nparseDocument"],
	["HTTPServer", "HTTP Server\nHTTPServer"],
	["v2Beta", "v2 Beta\nv2Beta"],
	["parse_document in src/a/b.ts", "parse_document in src/a/b.ts"],
	["plain words stay", "plain words stay"],
	["解析文档 ok", " 解析 析文 文档  ok"],
	["トークン化", " トー ーク クン ン化 "],
	["字", " 字 "],
])("%s becomes %s", (text, expected) => expect(indexText(text)).toBe(expected));

test.each(["aB", "ABc d2E → XMLHttp_Request2Go", "a.bC/dEF-gHi", `${"aB".repeat(45)} cD`, "A B Cd"])(
	"%s falls apart the same beside a letter beyond ASCII",
	(text) => {
		const [plain, foreign] = [indexText(text), indexText(`é ${text}`)];
		expect(foreign).toBe(`é ${plain}`);
	},
);

test("a name longer than any that is asked for is not taken apart", () => {
	const long = "aB".repeat(60);
	expect(indexText(long)).toBe(long);
});

test.each([
	["why was the retry limit raised", [["retry"], ["limit"], ["raised"]]],
	["parseDocument", [["parse", "document"]]],
	["parse_document", [["parse", "document"]]],
	["src/a/b.ts:12", [["src", "a", "b", "ts", "12"]]],
	["`b.ts`, please.", [["b", "ts"], ["please"]]],
	["文档解析", [["文档"], ["档解"], ["解析"]]],
	["what was it", [["what"], ["was"], ["it"]]],
	['NEAR("x" AND y) OR *', [["near"], ["x"], ["y"]]],
	["\u0000", []],
	["", []],
	["--- … !!", []],
])("%j asks for %j", (query, words) => expect(queryTerms(query).map((term) => term.words)).toEqual(words));

test("each thing once, and a huge query in bounded time", () => {
	expect(queryTerms("Lock lock LOCK")).toHaveLength(1);
	expect(queryTerms(Array.from({ length: 300_000 }, (_, i) => `w${i}`).join(" ")).length).toBeLessThanOrEqual(49);
});
