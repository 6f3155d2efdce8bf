import { expect, test } from "vitest";
import { fused } from "../../../src/core/search/fusion.ts";
import type { FoundPassage } from "../../../src/core/search/passage.ts";
import { normalisedVector } from "../../../src/core/search/vector.ts";

const list = (...texts: string[]) => texts.map((text, i) => ({ text, id: `${text}${i}`, score: 9 }) as FoundPassage);
const order = (...lists: FoundPassage[][]) => fused(...lists).map(({ text }) => text);

test.each([
	["what both lists hold comes first", [list("a", "b"), list("c", "b")], ["b", "a", "c"]],
	["second in both is more than first in one", [list("a", "x"), list("c", "x")], ["x", "a", "c"]],
	["one list alone stays as it is", [list("a", "b", "c"), []], ["a", "b", "c"]],
	["equal ranks: the first list first", [list("a"), list("b")], ["a", "b"]],
	["the same text once, in one list and in both", [list("a", "A ", "b"), list("a")], ["a", "b"]],
	["nothing of nothing", [[], []], []],
])("%s", (_, lists, expected) => {
	expect(order(...(lists as FoundPassage[][]))).toEqual(expected);
});

test("the score is the sum of 1 / (60 + rank), and the lists stay as they were", () => {
	const words = list("a", "b");
	const [first] = fused(words, list("b"));
	expect(first!.score).toBeCloseTo(1 / 62 + 1 / 61, 12);
	expect(words[1]!.score).toBe(9);
	expect(fused(list("a", "A ", "b")).map(({ score }) => score)).toEqual([1 / 61, 1 / 62]);
});

test("a vector is made one long", () => {
	expect([...normalisedVector([3, 4])]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
});

test.each<[unknown, number?]>([
	[null],
	["1,2"],
	[[]],
	[{ length: 2, 0: 1, 1: 1 }],
	[[1, Number.NaN]],
	[[1, "2"]],
	[[1, null]],
	[[1e200, 1e200]],
	[[0, 0]],
	[[1, 2], 3],
	[new Array(4_097).fill(1)],
])("%o is no vector", (value, length) => {
	expect(() => normalisedVector(value, length)).toThrow(/^answered /);
});
