import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Passage } from "../../../src/core/search/passage.ts";
import { normalisedVector } from "../../../src/core/search/vector.ts";
import { SearchIndex } from "../../../src/store/search/search-index.ts";
import {
	keepVectors,
	nearest,
	passagesNumbered,
	vectorCounts,
	withoutVector,
} from "../../../src/store/search/vectors.ts";
import { scratch } from "../../scratch-home.ts";

let index: SearchIndex;
beforeEach(() => {
	index = SearchIndex.open(join(scratch("vectors"), "store"))!;
	return () => index.close();
});

const passage = (text: string, pos: number, more: Partial<Passage> = {}): Passage => ({
	pos,
	part: 0,
	at: 1_800_000_000,
	kind: "agent",
	tool: "",
	path: "",
	text,
	...more,
});
const source = (path: string, project = "p", session = "s1") => ({ path, project, session });
const add = (path: string, texts: string[], project = "p", session = "s1") =>
	index.add(
		source(path, project, session),
		texts.map((text, i) => passage(text, i)),
	);

/** A text's vector: its first two numbers. */
const vectorOf = (text: string) => normalisedVector(text.split(" ").slice(0, 2).map(Number));
const embedAll = (model = "m") => {
	const passages = passagesNumbered(index, withoutVector(index, model));
	keepVectors(
		index,
		model,
		passages.map((one) => ({ ...one, vector: vectorOf(one.text) })),
	);
};
const near = (text: string, filter = {}, most = 9) =>
	nearest(index, "m", vectorOf(text), filter, most).map((one) => one.text);

test("the nearest come first, as an exact comparison orders them, over many blocks", () => {
	const texts = Array.from({ length: 1_300 }, (_, i) => `${Math.cos(i)} ${Math.sin(i)}`);
	add("/t/a.jsonl", texts);
	embedAll();
	expect(vectorCounts(index, "m")).toEqual({ vectors: 1_300, passages: 1_300 });
	const asked = vectorOf("0.3 0.7");
	const cosine = (text: string) => vectorOf(text).reduce((sum, one, i) => sum + one * asked[i]!, 0);
	expect(near("0.3 0.7", {}, 20)).toEqual(texts.sort((a, b) => cosine(b) - cosine(a)).slice(0, 20));
});

test("a filter holds for vectors as for words", () => {
	add("/t/a.jsonl", ["1 0 own"]);
	add("/t/b.jsonl", ["1 0 other project"], "q", "s2");
	add("/store/MEMORY.md", ["1 0 of all"], "", "");
	index.add(source("/t/c.jsonl", "p", "s3"), [
		passage("1 0 tool", 0, { kind: "call", tool: "Bash", path: "/x/y", at: 5 }),
	]);
	embedAll();
	const found = (filter: object) =>
		near("1 0", filter)
			.map((text) => text.slice(4))
			.sort();
	expect(found({})).toEqual(["of all", "other project", "own", "tool"]);
	expect(found({ project: "p" })).toEqual(["of all", "own", "tool"]);
	expect(found({ project: "p", session: "s1" })).toEqual(["own"]);
	expect(found({ tool: "bash" })).toEqual(["tool"]);
	expect(found({ kinds: ["call"], path: "x/y", until: 9 })).toEqual(["tool"]);
	expect(found({ since: 1_900_000_000 })).toEqual([]);
});

test("the newest lack theirs first; what is there is not made again", () => {
	add("/t/a.jsonl", ["1 0", "0 1"]);
	embedAll();
	add("/t/a.jsonl", ["1 0", "0 1", "1 1", "2 1"]);
	expect(passagesNumbered(index, withoutVector(index, "m", 1)).map(({ text }) => text)).toEqual(["2 1"]);
	const [first] = withoutVector(index, "m");
	embedAll();
	expect(withoutVector(index, "m")).toEqual([]);
	const again = passagesNumbered(index, [first!]).map((one) => ({ ...one, vector: vectorOf(one.text) }));
	keepVectors(index, "m", again);
	expect(vectorCounts(index, "m").vectors).toBe(4);
});

test("what is deleted or replaced leaves no vector, and the next passage of its number gets none of it", () => {
	add("/t/a.jsonl", ["1 0"]);
	add("/t/b.jsonl", ["0 1"], "p", "s2");
	const late = passagesNumbered(index, withoutVector(index, "m")).map((one) => ({
		...one,
		vector: vectorOf(one.text),
	}));
	embedAll();
	index.drop({ session: "s2" });
	expect(near("0 1")).toEqual(["1 0"]);
	index.replace(source("/t/b.jsonl", "p", "s2"), [passage("1 1", 0)], { reached: 1, state: "" });
	// made of what stood there before
	keepVectors(index, "m", late);
	expect(near("0 1")).toEqual(["1 0"]);
	embedAll();
	expect(near("0 1")).toEqual(["1 1", "1 0"]);
});

test("another model takes the place of the one before; a vector of another length is refused", () => {
	add("/t/a.jsonl", ["1 0"]);
	expect([near("1 0"), vectorCounts(index, "m").vectors]).toEqual([[], 0]);
	embedAll("old");
	expect(near("1 0")).toEqual([]);
	embedAll();
	expect(near("1 0")).toEqual(["1 0"]);
	expect(vectorCounts(index, "old").vectors).toBe(0);
	expect(() => nearest(index, "m", normalisedVector([1, 2, 3]), {}, 9)).toThrow("3 numbers, those in the index 2");
	const [one] = passagesNumbered(index, [1]);
	expect(() => keepVectors(index, "m", [{ ...one!, vector: normalisedVector([1, 2, 3]) }])).toThrow("3 numbers");
});

test("what the user went back behind is not found by its meaning", () => {
	add("/t/a.jsonl", ["1 0", "0 1"]);
	embedAll();
	index.add(source("/t/a.jsonl"), [passage("0 1", 1)], { leavesRest: true });
	expect(near("1 0")).toEqual(["0 1"]);
});
