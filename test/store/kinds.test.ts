import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { emptySnapshot } from "../../src/core/context/session-context.ts";
import { emptyState } from "../../src/core/state/session-state.ts";
import { readReceipt } from "../../src/install/receipt.ts";
import { withLock } from "../../src/store/kernel-lock.ts";
import { readFailure } from "../../src/store/last-failure.ts";
import { learnedPath, sessionPaths } from "../../src/store/paths.ts";
import { claimMarker, nudgedAt } from "../../src/store/pressure/marker.ts";
import { observedTriggers, recordTriggers } from "../../src/store/pressure/observed-triggers.ts";
import { readUsage, writeUsage } from "../../src/store/pressure/usage-record.ts";
import { onStoreProblem } from "../../src/store/problems.ts";
import { loadCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import {
	claimGiveMarker,
	readFirst,
	readLater,
	readReports,
	readSummary,
} from "../../src/store/recovery/compaction-record.ts";
import { readCommitted, readPending, setPending } from "../../src/store/recovery/pending.ts";
import { sessionProject } from "../../src/store/session/session-project.ts";
import { readSnapshot } from "../../src/store/session/session-snapshot.ts";
import { scratch } from "../scratch-home.ts";

const KEY = "precompact_checkpoint_20260301_100000";
const AT = "2026-03-01T10:00:00.000Z";

interface Case {
	/** Below the store's root. */
	file: string;
	read(root: string): unknown;
	/** As an earlier release wrote it. */
	old: object;
	/** What is read of it. */
	gives: unknown;
	/** Fields of the wrong type: no such file then. */
	wrong: object[];
	/** Where a damaged one is kept, when not beside the file. */
	aside?: string;
	nothing?: unknown;
	/** The claim takes whatever stands there. */
	taken?: boolean;
}

const checkpoint = { version: 1, key: KEY, at: AT, session: "s", trigger: "auto", projectDir: "", transcriptPath: "" };
const snapshot = { ...emptySnapshot("s", 1), state: { ...emptyState(), order: 3 } };
const marker = { at: new Date().toISOString(), tokens: 5 };
const session = (name: string): string => join("sessions", "s", name);

const CASES: Record<string, Case> = {
	"session's project": {
		file: join("run", "project", "s"),
		read: (root) => sessionProject(root, "s"),
		old: { folder: "/home/u/ledger", storeTold: true },
		gives: { version: 1, folder: "/home/u/ledger", storeTold: true },
		wrong: [
			{ folder: "/home/u/ledger" },
			{ folder: 7, storeTold: true },
			{ folder: "/home/u/ledger", storeTold: "yes" },
		],
	},
	checkpoint: {
		file: session(`checkpoints/${KEY}.json`),
		read: (root) => loadCheckpoint(root, "s", KEY),
		old: { ...checkpoint, state: { version: 2, messages: [{ text: "go", at: AT }] } },
		gives: {
			...checkpoint,
			workspace: null,
			state: { ...emptyState(), messages: [{ text: "go", at: AT, order: 0, source: "typed", directives: [] }] },
		},
		wrong: [
			{ ...checkpoint },
			{ ...checkpoint, state: [] },
			{ ...checkpoint, state: { messages: {} } },
			{ ...checkpoint, state: { messages: [null] } },
			{ ...checkpoint, state: { files: [{ path: 7 }] } },
			{ ...checkpoint, state: { identifiers: { a: [1, 2] } } },
			{ ...checkpoint, state: {}, workspace: { status: "M" } },
		],
	},
	"session snapshot": {
		file: session("state.json"),
		read: (root) => {
			const read = readSnapshot(root, "s", new Date());
			if (read.problem) problems.push(read.problem);
			return read.found === "good" ? read.value : null;
		},
		old: snapshot,
		gives: snapshot,
		wrong: [
			{ ...snapshot, state: { ...emptyState(), tasks: {} } },
			{ ...snapshot, state: { ...emptyState(), open: [] } },
			{ ...snapshot, state: { ...emptyState(), tasks: undefined } },
			{ ...snapshot, cursor: { ...snapshot.cursor, transcript_offset: "7" } },
			{ ...snapshot, cursor: undefined },
		],
	},
	pending: {
		file: session("pending.json"),
		read: (root) => readPending(root, "s"),
		old: { key: KEY, at: AT },
		gives: { key: KEY, at: AT, trigger: "" },
		wrong: [
			{ key: KEY, at: 5 },
			{ at: AT },
			{ key: "../../x", at: AT },
			{ key: `a_checkpoint_${"1".repeat(300)}`, at: AT },
			{ key: KEY, at: AT, doubtful: "yes" },
		],
	},
	committed: {
		file: session("committed.json"),
		read: (root) => readCommitted(root, "s"),
		old: { key: KEY, at: AT, trigger: "auto" },
		gives: { key: KEY, at: AT, trigger: "auto" },
		wrong: [{ key: [], at: AT }],
	},
	"first part": {
		file: session("first-giving.json"),
		read: (root) => readFirst(root, "s"),
		old: { key: KEY, at: AT, ids: ["a"] },
		gives: { key: KEY, at: AT, ids: ["a"], chars: 0 },
		wrong: [
			{ key: KEY, at: 7, ids: [] },
			{ key: KEY, at: AT, ids: "a" },
			{ key: KEY, at: AT, ids: [1] },
		],
	},
	"second part": {
		file: session("later-giving.json"),
		read: (root) => readLater(root, "s"),
		old: { key: KEY },
		gives: { key: KEY, text: null, ids: [] },
		wrong: [
			{ key: KEY, text: 5 },
			{ key: KEY, ids: {} },
		],
	},
	summary: {
		file: session("summary.json"),
		read: (root) => readSummary(root, "s", AT),
		old: { at: AT, text: "what was" },
		gives: "what was",
		wrong: [{ at: AT, text: { a: 1 } }, { at: 5, text: "x" }, { text: "x" }],
	},
	report: {
		file: session(`reports/${KEY}.json`),
		read: (root) => readReports(root, "s"),
		old: { version: 1, key: KEY, kinds: { request: { total: 1 } } },
		gives: [
			{
				version: 1,
				key: KEY,
				at: "",
				session: "",
				trigger: "",
				tokensBefore: null,
				summaryChars: null,
				givenChars: { block: 0, later: 0 },
				kinds: { request: { total: 1, verbatim: 0, reworded: 0, dropped: 0, givenBack: 0, lines: [] } },
				claims: [],
			},
		],
		wrong: [
			{ version: 1, key: KEY, kinds: { request: 4 } },
			{ version: 1, key: KEY, kinds: {}, claims: "none" },
			{ version: 1, key: KEY, kinds: {}, givenChars: 5 },
		],
		nothing: [],
	},
	measurement: {
		file: session("usage.json"),
		read: (root) => readUsage(root, "s"),
		old: { at: AT, tokens: 5, model: "m" },
		gives: { version: 1, at: AT, tokens: 5, model: "m" },
		wrong: [{ tokens: "5" }, { transcriptPath: [] }],
	},
	"last failure": {
		file: session("last-failure.json"),
		read: (root) => readFailure(root, "s"),
		old: { at: AT, where: "usage" },
		gives: { at: AT, where: "usage", reason: "" },
		wrong: [{ at: 1 }, { at: AT, reason: {} }],
	},
	"compactions seen": {
		file: "learned.json",
		read: (root) => observedTriggers(root)("m"),
		old: { observed: { m: [{ uuid: "u", preTokens: 5 }] } },
		gives: [5],
		wrong: [{ observed: [] }, { observed: { m: 5 } }, { observed: { m: [{ preTokens: "5" }] } }],
		nothing: [],
	},
	"flush marker": {
		file: "run/flush/s",
		read: (root) => claimMarker(root, "s", 3600_000, new Date()),
		old: marker,
		gives: { ...marker, distance: null, trigger: null },
		wrong: [{ ...marker, tokens: "many" }, { tokens: 5 }],
		aside: session("flush-marker"),
		taken: true,
	},
	"the nudge that went out": {
		file: session("nudged.json"),
		read: (root) => nudgedAt(root, "s")?.tokens ?? null,
		old: marker,
		gives: 5,
		wrong: [{ ...marker, tokens: {} }],
	},
	"give marker": {
		file: "run/give/s",
		read: (root) => claimGiveMarker(root, "s"),
		old: { key: KEY },
		gives: KEY,
		wrong: [{ key: 5 }, {}, { key: "../x" }],
		aside: session("give-marker"),
		taken: true,
	},
	receipt: {
		file: "install/x/receipt.json",
		read: (root) => readReceipt(join(root, "install", "x")),
		old: { settingsPath: "/s", existedBefore: true, sha256After: null },
		gives: {
			version: 1,
			settingsPath: "/s",
			existedBefore: true,
			madeFolder: false,
			sha256Before: null,
			sha256After: null,
			at: "",
			launcher: "",
			inherited: null,
		},
		wrong: [{ settingsPath: "/s", existedBefore: "yes" }, { existedBefore: true }],
	},
};

let problems: string[] = [];
beforeEach(() => {
	problems = [];
	onStoreProblem(({ text }) => problems.push(text));
});

function put(root: string, file: string, text: string): string {
	const path = join(root, file);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	return path;
}

describe.each(Object.entries(CASES))(
	"%s",
	(_, { file, read, old, gives, wrong, aside = file, nothing = null, taken }) => {
		test("an earlier release's file is read, what it lacks filled in", () => {
			const root = scratch();
			put(root, file, JSON.stringify(old));
			expect(read(root)).toEqual(gives);
			expect(problems).toEqual([]);
		});

		test.each(["", "{", "[]", "null", '{"version":"one"}', ...wrong.map((one) => JSON.stringify(one))])(
			"damaged, kept aside with a word: %s",
			(text) => {
				const root = scratch();
				const path = put(root, file, text);
				expect(read(root)).toEqual(nothing);
				expect(existsSync(path)).toBe(false);
				const folder = join(root, dirname(aside));
				const kept = readdirSync(folder).filter((name) => name.includes(".damaged-"));
				expect(kept.map((name) => readFileSync(join(folder, name), "utf8"))).toEqual([text]);
				expect(problems).toEqual([expect.stringContaining(`kept as ${join(folder, kept[0]!)}`)]);
			},
		);

		test("a newer ccg's is left alone, with a word", () => {
			const root = scratch();
			const text = JSON.stringify({ ...old, version: 99 });
			const path = put(root, file, text);
			expect(read(root)).toEqual(nothing);
			if (!taken) expect(readFileSync(path, "utf8")).toBe(text);
			expect(problems).toEqual([expect.stringContaining("written by a newer ccg (version 99")]);
		});
	},
);

test("what is written carries its version in front", () => {
	const root = scratch();
	setPending(root, "s", { key: KEY, at: AT, trigger: "auto" });
	recordTriggers(root, "m", [{ uuid: "u", preTokens: 5 }]);
	writeUsage(root, "s", { at: AT } as Parameters<typeof writeUsage>[2]);
	const { pending, usage } = sessionPaths(root, "s");
	for (const path of [pending, usage, learnedPath(root)])
		expect(readFileSync(path, "utf8"), path).toMatch(/^\{"version":1,/);
});

describe("compactions seen", () => {
	test("a damaged file loses the last one at most", () => {
		const root = scratch();
		for (const n of [1, 2, 3]) recordTriggers(root, "m", [{ uuid: String(n), preTokens: n }]);
		writeFileSync(learnedPath(root), "{");
		expect(observedTriggers(root)("m")).toEqual([1, 2]);
		expect(problems).toEqual([expect.stringContaining("the version before it counts")]);
		recordTriggers(root, "m", [{ uuid: "4", preTokens: 4 }]);
		expect(observedTriggers(root)("m")).toEqual([1, 2, 4]);
	});

	test("what a newer ccg wrote is not replaced", () => {
		const root = scratch();
		put(root, "learned.json", '{"version":9}');
		expect(() => recordTriggers(root, "m", [{ uuid: "u", preTokens: 5 }])).toThrow(
			expect.objectContaining({ code: "ENEWER", message: expect.stringContaining("newer ccg") }),
		);
		expect(readFileSync(learnedPath(root), "utf8")).toBe('{"version":9}');
	});

	test("what found no lock is kept beside, and folded in by the next", () => {
		const root = scratch();
		withLock(join(root, "run", "learned.lock"), () => recordTriggers(root, "m", [{ uuid: "1", preTokens: 1 }]));
		expect(observedTriggers(root)("m")).toEqual([]);
		expect(readdirSync(join(root, "learned-later"))).toHaveLength(1);
		put(root, "learned-later/torn.json", "{");
		recordTriggers(root, "m", [{ uuid: "2", preTokens: 2 }]);
		expect(observedTriggers(root)("m")).toEqual([1, 2]);
		expect(readdirSync(join(root, "learned-later")).filter((name) => name.endsWith(".json"))).toEqual([]);
		expect(problems).toEqual([expect.stringContaining("torn.json: not JSON; kept as")]);
	});

	test("a run that was killed after it folded leaves nothing that counts twice", () => {
		const root = scratch();
		recordTriggers(root, "m", [{ uuid: "1", preTokens: 1 }]);
		put(root, "learned-later/1-a.json", '{"version":1,"key":"m","seen":[{"uuid":"1","preTokens":1}]}');
		recordTriggers(root, "m", [{ uuid: "1", preTokens: 1 }]);
		expect(observedTriggers(root)("m")).toEqual([1]);
		expect(readdirSync(join(root, "learned-later"))).toEqual([]);
	});

	test.each(["__proto__", "constructor", "toString"])("a key that objects have: %s", (key) => {
		const root = scratch();
		expect(observedTriggers(root)(key)).toEqual([]);
		recordTriggers(root, key, [{ uuid: "u", preTokens: 5 }]);
		expect(observedTriggers(root)(key)).toEqual([5]);
	});
});
