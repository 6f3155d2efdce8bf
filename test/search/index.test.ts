import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { normalisedVector } from "../../src/search/endpoint.ts";
import { readPassages } from "../../src/search/find.ts";
import { forgetSessions, searchPassages } from "../../src/search/recall.ts";
import { SearchIndex } from "../../src/search/search-index.ts";
import { idsWithoutVector, insertVectors, nearestPassages, vectorCounts } from "../../src/search/vectors.ts";
import { indexPath } from "../../src/store/paths.ts";
import { scratch } from "../scratch-home.ts";
import { add, asker, found, passage, recalled, source, using } from "./kit.ts";

/** A text's vector: its first two numbers. */
const vectorOf = (text: string) => normalisedVector(text.split(" ").slice(0, 2).map(Number));

const near = (index: SearchIndex, text: string, filter = {}, most = 9) =>
	nearestPassages(index, { model: "m", vector: vectorOf(text) }, filter, most).map((one) => one.text);

function embedAll(index: SearchIndex, model = "m") {
	const passages = readPassages(index, idsWithoutVector(index, model));
	const embedded = passages.map((one) => ({ id: one.id, vector: vectorOf(one.text) }));
	insertVectors(index, model, embedded);
	return embedded;
}

test.each<[object, string[]]>([
	[{ project: "p" }, ["all", "own", "tool"]],
	[{}, ["all", "other", "own", "tool"]],
	[{ project: "q" }, ["all", "other"]],
	[{ session: "s3" }, ["tool"]],
	[{ project: "p", session: "s2" }, []],
	[{ kinds: ["failure", "note"] }, ["all", "tool"]],
	[{ since: 1_750_000_000 }, ["all", "other", "own"]],
	[{ until: 1_750_000_000 }, ["tool"]],
])("%j is what a search by words and by meaning keeps to", (filter, names) =>
	using((index) => {
		add(index, ["1 0 alpha own"]);
		add(index, ["1 0 alpha other"], source("/t/b.jsonl", "q", "s2"));
		index.add(source("/store/MEMORY.md", "", ""), [passage("1 0 alpha all", 0, { kind: "note" })]);
		const more = { kind: "failure", tool: "Bash", path: "/p/src/x.ts", at: 1_700_000_000 } as const;
		index.add(source("/t/c.jsonl", "p", "s3"), [passage("1 0 alpha tool", 0, more)]);
		embedAll(index);
		const last = (texts: string[]) => texts.map((text) => text.split(" ").at(-1)!).sort();
		expect(last(found(index, "alpha", filter))).toEqual(names);
		expect(last(near(index, "1 0", filter))).toEqual(names);
	}),
);

test("adding twice changes nothing; what is left is marked, and stands again when it comes again", () =>
	using((index) => {
		add(index, ["1 0 kept words", "0 1 dropped words"]);
		embedAll(index);
		add(index, ["1 0 kept words"]);
		expect(index.size()).toMatchObject({ passages: 2 });
		index.add(source(), [passage("1 0 kept words")], { others: "left" });
		expect(searchPassages(index, "words", asker).found.map(({ isAbandoned }) => isAbandoned)).toEqual([false, true]);
		expect(near(index, "0 1")).toEqual(["1 0 kept words"]);
		expect(recalled(index, "dropped")).toContain("on a branch the user left");
		index.add(source(), [passage("0 1 dropped words", 100)]);
		expect(searchPassages(index, "dropped", asker).found).toMatchObject([{ isAbandoned: false }]);
	}));

test("a source can be replaced and dropped with its vectors, and no id is met again", () =>
	using((index) => {
		add(index, ["1 0 old"]);
		const late = embedAll(index);
		index.add(source(), [passage("0 1 new")], { reached: { offset: 9, state: "x" }, others: "go" });
		expect([found(index, "old new"), near(index, "1 0")]).toEqual([["0 1 new"], []]);
		// made of what stood there before
		insertVectors(index, "m", late);
		expect(near(index, "1 0")).toEqual([]);
		expect(index.reachedOf("/t/s1.jsonl")).toEqual({ offset: 9, state: "x", compacted: 0 });
		expect(index.drop("session", "s1")).toBe(1);
		expect(index.size()).toEqual({ passages: 0, sources: 0, sessions: 0 });
	}));

test("the nearest come first, as an exact comparison orders them, over many blocks", () =>
	using((index) => {
		const texts = Array.from({ length: 1_300 }, (_, i) => `${Math.cos(i)} ${Math.sin(i)}`);
		add(index, texts);
		embedAll(index);
		expect(vectorCounts(index, "m")).toEqual({ vectors: 1_300, passages: 1_300 });
		const asked = vectorOf("0.3 0.7");
		const cosine = (text: string) => vectorOf(text).reduce((sum, one, i) => sum + one * asked[i]!, 0);
		expect(near(index, "0.3 0.7", {}, 20)).toEqual(texts.sort((a, b) => cosine(b) - cosine(a)).slice(0, 20));
	}));

test("the newest lack vectors first; another model takes the place of the one before, and keeps to its length", () =>
	using((index) => {
		add(index, ["1 0", "0 1"]);
		embedAll(index, "old");
		expect(near(index, "1 0")).toEqual([]);
		embedAll(index);
		expect([near(index, "1 0"), vectorCounts(index, "old").vectors]).toEqual([["1 0", "0 1"], 0]);
		add(index, ["1 0", "0 1", "1 1", "2 1"]);
		expect(readPassages(index, idsWithoutVector(index, "m", 1)).map(({ text }) => text)).toEqual(["2 1"]);
		const other = normalisedVector([1, 2, 3]);
		expect(() => nearestPassages(index, { model: "m", vector: other }, {}, 9)).toThrow(
			"3 numbers, those in the index 2",
		);
		expect(() => insertVectors(index, "m", [{ id: 3, vector: other }])).toThrow("3 numbers");
	}));

const filesIn = (root: string) =>
	readdirSync(root).flatMap((name) => (name.startsWith("index.sqlite") ? [join(root, name)] : []));
const holds = (root: string, pattern: RegExp) =>
	filesIn(root).some((path) => pattern.test(readFileSync(path, "latin1")));

test("of a session that is forgotten no word stays in the file", () => {
	const root = join(scratch("index"), "store");
	const many = (textOf: (n: number) => string) => Array.from({ length: 1_500 }, (_, n) => textOf(n));
	using((index) => {
		add(
			index,
			many((n) => `kept ${n} ${"filler words here ".repeat(20)}`),
		);
		add(
			index,
			many((n) => `xyloquux${n}y short`),
			source("/t/b.jsonl", "p", "s2"),
		);
		index.tidy();
	}, root);
	expect(holds(root, /quux/)).toBe(true);
	forgetSessions(root, ["s2"]);
	expect(holds(root, /quux/)).toBe(false);
	using((index) => {
		expect(index.size()).toMatchObject({ passages: 1_500, sources: 1 });
		expect(found(index, "kept 700")[0]).toContain("kept 700");
	}, root);
});

test("secrets do not reach the files, and these are the user's alone", () =>
	using((index) => {
		const secret = `ghp_${"a1B2".repeat(9)}`;
		add(index, [`short ${secret}`, `${"long text ".repeat(40)} ${secret}`]);
		index.add(source("/t/x.jsonl"), [passage("x", 0, { path: `/home/${secret}/f`, tool: secret })]);
		index.tidy();
		expect(holds(index.root, /a1B2a1B2/)).toBe(false);
		for (const path of filesIn(index.root)) expect(statSync(path).mode & 0o777).toBe(0o600);
	}));

test("one of a newer version is left alone, as by an MCP server that was started before an update", () => {
	const root = join(scratch("index"), "store");
	using((index) => {
		add(index, ["before"]);
		index.database.run("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)");
	}, root);
	// (a file of its own, as the newer one makes it)
	copyFileSync(indexPath(root), join(root, "newer"));
	renameSync(join(root, "newer"), indexPath(root));
	expect(() => using(() => {}, root)).toThrow(/written by a newer ccg \(99\)/);
	expect(holds(root, /before/)).toBe(true);
});

test("without an index nothing is made where none is asked for", () => {
	const root = join(scratch("index"), "store");
	expect(SearchIndex.use(root, { create: false }, () => 1)).toBeNull();
	expect(existsSync(root)).toBe(false);
});
