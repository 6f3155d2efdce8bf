import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyState } from "../../../src/core/state/session-state.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import {
	checkpointPath,
	jsonPath,
	latestKey,
	loadCheckpoint,
	readablePath,
	saveCheckpoint,
	writeReadable,
} from "../../../src/store/recovery/checkpoints.ts";
import { commitPending, readCommitted, readPending, setPending } from "../../../src/store/recovery/pending.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-03-01T12:30:45.678Z");
const KEY = "precompact_checkpoint_20260301_123045";
const content = (words = "Never push.") => ({
	trigger: "auto",
	projectDir: "/home/ada/shop",
	transcriptPath: "/home/ada/t.jsonl",
	state: {
		...emptyState(),
		tokens: 150_000,
		messages: [{ at: "", order: 1, source: "typed" as const, text: words, directives: [words] }],
	},
	workspace: null,
});
const save = (root: string, now = NOW) => saveCheckpoint(sessionAt(storeAt(root), "s"), now, content());

describe("saving", () => {
	test("JSON, readable form, latest pointer and log line", () => {
		const root = scratch();
		const checkpoint = save(root);
		expect(checkpoint).toMatchObject({ key: KEY, version: 1, session: "s", at: NOW.toISOString() });
		const { sha256, ...stored } = loadCheckpoint(sessionAt(storeAt(root), "s"), KEY)!;
		expect(stored).toEqual(JSON.parse(JSON.stringify(checkpoint)));
		expect(sha256).toMatch(/^[0-9a-f]{64}$/);
		expect(readablePath(sessionAt(storeAt(root), "s"), KEY)).toMatch(/\.json$/);
		writeReadable(sessionAt(storeAt(root), "s"), checkpoint);
		expect(readablePath(sessionAt(storeAt(root), "s"), KEY)).toBe(checkpointPath(sessionAt(storeAt(root), "s"), KEY));
		expect(readFileSync(checkpointPath(sessionAt(storeAt(root), "s"), KEY), "utf8")).toContain("Never push.");
		expect(latestKey(sessionAt(storeAt(root), "s"))).toBe(KEY);
		expect(JSON.parse(readFileSync(sessionPaths(root, "s").checkpointLog, "utf8"))).toEqual({
			key: KEY,
			type: "precompact",
			at: NOW.toISOString(),
			trigger: "auto",
			tokens: 150_000,
			bytes: statSync(jsonPath(sessionAt(storeAt(root), "s"), KEY)).size,
			coverage: expect.any(Number),
		});
	});

	test("two of one second are two", () => {
		const root = scratch();
		expect([save(root).key, save(root).key, save(root).key]).toEqual([KEY, `${KEY}_2`, `${KEY}_3`]);
		expect(loadCheckpoint(sessionAt(storeAt(root), "s"), `${KEY}_2`)?.key).toBe(`${KEY}_2`);
		expect(latestKey(sessionAt(storeAt(root), "s"))).toBe(`${KEY}_3`);
		expect(readFileSync(sessionPaths(root, "s").checkpointLog, "utf8").match(/\n/g)).toHaveLength(3);
	});

	test("private to the user, nothing left behind", () => {
		const root = join(scratch(), "store");
		writeReadable(sessionAt(storeAt(root), "s"), save(root));
		const { folder, checkpoints } = sessionPaths(root, "s");
		expect(readdirSync(folder).sort()).toEqual(["checkpoint-log.jsonl", "checkpoints", "latest"]);
		expect(readdirSync(checkpoints).sort()).toEqual([`${KEY}.json`, `${KEY}.md`]);
		for (const path of [root, folder, checkpoints]) expect(statSync(path).mode & 0o777, path).toBe(0o700);
		for (const path of [
			join(folder, "latest"),
			join(folder, "checkpoint-log.jsonl"),
			checkpointPath(sessionAt(storeAt(root), "s"), KEY),
		])
			expect(statSync(path).mode & 0o777, path).toBe(0o600);
	});

	test("the pointer keeps its checkpoint when the next can't be written", () => {
		const root = scratch();
		save(root);
		const later = new Date(NOW.getTime() + 1000);
		const { checkpoints } = sessionPaths(root, "s");
		// a file where the folder was
		renameSync(checkpoints, `${checkpoints}.aside`);
		writeFileSync(checkpoints, "");
		expect(() => save(root, later)).toThrow();
		expect(latestKey(sessionAt(storeAt(root), "s"))).toBe(KEY);
		unlinkSync(checkpoints);
		renameSync(`${checkpoints}.aside`, checkpoints);
		// the readable form's place is taken by a folder that can't be replaced
		const checkpoint = save(root, later);
		mkdirSync(join(checkpointPath(sessionAt(storeAt(root), "s"), checkpoint.key), "x"), { recursive: true });
		expect(() => writeReadable(sessionAt(storeAt(root), "s"), checkpoint)).toThrow();
		expect(readdirSync(sessionPaths(root, "s").checkpoints).filter((name) => name.endsWith(".tmp"))).toEqual([]);
	});
});

describe("loading", () => {
	const damaged: [string, string | null][] = [
		["missing", null],
		["empty", ""],
		["truncated", '{"version":1,"key":"'],
		["of another version", JSON.stringify({ version: 2, key: KEY, state: {} })],
		["under a foreign key", JSON.stringify({ version: 1, key: "precompact_checkpoint_1", state: {} })],
		["without state", JSON.stringify({ version: 1, key: KEY })],
		["an array", "[]"],
	];
	test.each(damaged)("%s: null", (_, text) => {
		const root = scratch();
		const { checkpoints } = sessionPaths(root, "s");
		mkdirSync(checkpoints, { recursive: true });
		if (text !== null) writeFileSync(join(checkpoints, `${KEY}.json`), text);
		expect(loadCheckpoint(sessionAt(storeAt(root), "s"), KEY)).toBeNull();
	});

	test.each(["../../x", "a/b", "", "precompact_checkpoint_1.json", "\0"])("no path is made of the key %j", (key) =>
		expect(loadCheckpoint(sessionAt(storeAt(scratch()), "s"), key)).toBeNull(),
	);
});

describe("pending and committed", () => {
	const pending = { key: KEY, at: NOW.toISOString(), trigger: "auto" };

	test("one commit per pending", () => {
		const root = scratch();
		expect(commitPending(sessionAt(storeAt(root), "s"), NOW)).toBe(false);
		setPending(sessionAt(storeAt(root), "s"), pending);
		expect([readPending(sessionAt(storeAt(root), "s")), readCommitted(sessionAt(storeAt(root), "s"))]).toEqual([
			pending,
			null,
		]);
		expect([
			commitPending(sessionAt(storeAt(root), "s"), NOW),
			commitPending(sessionAt(storeAt(root), "s"), NOW),
		]).toEqual([true, false]);
		expect([readPending(sessionAt(storeAt(root), "s")), readCommitted(sessionAt(storeAt(root), "s"))]).toEqual([
			null,
			{ ...pending, committedAt: pending.at },
		]);
	});

	test("a PreCompact without compaction is replaced by the next", () => {
		const root = scratch();
		setPending(sessionAt(storeAt(root), "s"), pending);
		setPending(sessionAt(storeAt(root), "s"), { ...pending, key: `${KEY}_2` });
		commitPending(sessionAt(storeAt(root), "s"), NOW);
		expect(readCommitted(sessionAt(storeAt(root), "s"))?.key).toBe(`${KEY}_2`);
	});

	test.each([
		"",
		"{",
		"[]",
		"null",
		"{}",
		'{"version":1,"key":1,"at":"x","trigger":""}',
		`{"version":1,"key":"${KEY}"}`,
	])("a broken file is none: %s", (text) => {
		const root = scratch();
		const { folder, pending: path } = sessionPaths(root, "s");
		mkdirSync(folder, { recursive: true });
		writeFileSync(path, text);
		expect(readPending(sessionAt(storeAt(root), "s"))).toBeNull();
	});
});
