import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { emptySnapshot } from "../../src/core/context/session-context.ts";
import { emptyState } from "../../src/core/state/session-state.ts";
import { readReceipt } from "../../src/install/receipt.ts";
import { chosenProfile } from "../../src/store/config/profiles.ts";
import { readFailure } from "../../src/store/last-failure.ts";
import { readHalt, resumedUntil } from "../../src/store/pressure/halt.ts";
import { claimMarker, nudgedAt } from "../../src/store/pressure/marker.ts";
import { observedTriggers } from "../../src/store/pressure/observed-triggers.ts";
import { readUsage } from "../../src/store/pressure/usage-record.ts";
import { storeProblem } from "../../src/store/problems.ts";
import { loadCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import {
	claimFollowUpMarker,
	readFirst,
	readFollowUp,
	readReports,
	readSummary,
} from "../../src/store/recovery/compaction-record.ts";
import { readCommitted, readPending } from "../../src/store/recovery/pending.ts";
import { recentBatch } from "../../src/store/session/batch-record.ts";
import { sessionProject } from "../../src/store/session/session-project.ts";
import { readSnapshot } from "../../src/store/session/session-snapshot.ts";
import { sessionAt } from "../../src/store/session-handle.ts";

export const KEY = "precompact_checkpoint_20260301_100000";
export const AT = "2026-03-01T10:00:00.000Z";

/** What one kind of the store's files holds, and what it refuses. */
export interface Case {
	/** Below the store's root. */
	file: string;
	read(root: string): unknown;
	/** What stands in the file beside its version. */
	whole: Record<string, unknown>;
	/** What is read of it; the whole of it with its version where nothing else is said. */
	gives?: unknown;
	/** Of the wrong type: with these fields instead there is no such file. */
	wrong: Record<string, unknown>[];
	/** Where a damaged one is kept, when not beside the file. */
	aside?: string;
	nothing?: unknown;
	/** The claim takes whatever stands there. */
	taken?: boolean;
}

const marker = { at: new Date().toISOString(), tokens: 5, distance: null, trigger: 7 };
export const session = (name: string): string => join("sessions", "s", name);
const said = { text: "go", at: AT, order: 0, source: "typed", directives: [] };
const state = (changes: object) => ({ state: { ...emptyState(), ...changes } });
const loss = { total: 1, verbatim: 0, reworded: 0, dropped: 1, givenBack: 0, droppedBack: 0, reloaded: 0 };
const lines = [{ text: "go", fate: "dropped", givenBack: false }];
const { version: _, ...snapshot } = { ...emptySnapshot("s", 1), state: { ...emptyState(), order: 3 } };
const workspace = {
	branch: "main",
	status: [],
	commits: [],
	planSummary: null,
	lastFailure: null,
	selfModelAge: null,
	envModelAge: null,
};

export const CASES: Record<string, Case> = {
	"session's project": {
		file: join("run", "project", "s"),
		read: (root) => sessionProject(root, "s"),
		whole: { folder: "/home/u/ledger", storeTold: true },
		wrong: [{ folder: 7 }, { storeTold: "yes" }],
	},
	checkpoint: {
		file: session(`checkpoints/${KEY}.json`),
		read: (root) => loadCheckpoint(sessionAt(root, "s"), KEY),
		whole: {
			key: KEY,
			at: AT,
			session: "s",
			trigger: "auto",
			projectDir: "",
			transcriptPath: "",
			...state({ messages: [said], identifiers: { a: [1, 2, 3] } }),
			workspace,
		},
		wrong: [
			{ key: "../../x" },
			{ state: [] },
			{ state: {} },
			state({ version: 2 }),
			state({ messages: {} }),
			state({ messages: [null] }),
			state({ messages: [{ ...said, source: "heard" }] }),
			state({ messages: [{ ...said, text: "x".repeat(20_001) }] }),
			state({ messages: Array(5_001).fill(said) }),
			state({ files: [{ path: 7 }] }),
			state({ identifiers: { a: [1, 2] } }),
			state({ tasks: undefined }),
			{ workspace: { ...workspace, status: "M" } },
			{ workspace: { branch: "main" } },
			{ leftOut: "files" },
		],
	},
	"session snapshot": {
		file: session("state.json"),
		read: (root) => {
			const read = readSnapshot(sessionAt(root, "s"), new Date());
			if (read.problem) storeProblem({ text: read.problem, lasting: false });
			return read.found === "good" ? read.value : null;
		},
		whole: snapshot,
		wrong: [
			state({ tasks: {} }),
			state({ open: [] }),
			state({ tasks: undefined }),
			{ approvals: [{ kind: "nodded" }] },
			{ cursor: { ...snapshot.cursor, transcript_offset: "7" } },
			{ cursor: { ...snapshot.cursor, transcript_offset: -1 } },
			{ tool_stats: { total_calls: 1, by_tool: { Bash: -1 }, failures: 0 } },
		],
	},
	pending: {
		file: session("pending.json"),
		read: (root) => readPending(sessionAt(root, "s")),
		whole: { key: KEY, at: AT, trigger: "" },
		gives: { key: KEY, at: AT, trigger: "" },
		wrong: [{ at: 5 }, { key: "../../x" }, { key: `a_checkpoint_${"1".repeat(300)}` }, { doubtful: "yes" }],
	},
	committed: {
		file: session("committed.json"),
		read: (root) => readCommitted(sessionAt(root, "s")),
		whole: { key: KEY, at: AT, trigger: "auto" },
		gives: { key: KEY, at: AT, trigger: "auto" },
		wrong: [{ key: [] }],
	},
	"first part": {
		file: session("first-giving.json"),
		read: (root) => readFirst(sessionAt(root, "s")),
		whole: { key: KEY, at: AT, ids: ["a"], chars: 0 },
		gives: { key: KEY, at: AT, ids: ["a"], chars: 0 },
		wrong: [{ at: 7 }, { ids: "a" }, { ids: [1] }],
	},
	"second part": {
		file: session("later-giving.json"),
		read: (root) => readFollowUp(sessionAt(root, "s")),
		whole: { key: KEY, text: null, ids: [] },
		gives: { key: KEY, text: null, ids: [] },
		wrong: [{ text: 5 }, { ids: {} }],
	},
	summary: {
		file: session("summary.json"),
		read: (root) => readSummary(sessionAt(root, "s"), AT),
		whole: { at: AT, text: "what was" },
		gives: "what was",
		wrong: [{ text: { a: 1 } }, { at: 5 }],
	},
	report: {
		file: session(`reports/${KEY}.json`),
		read: (root) => readReports(sessionAt(root, "s"))[0] ?? [],
		whole: {
			key: KEY,
			at: "",
			session: "",
			trigger: "",
			tokensBefore: null,
			summaryChars: null,
			givenChars: { block: 0, later: 0 },
			kinds: { request: { ...loss, lines } },
			claims: [],
		},
		wrong: [
			{ kinds: { request: 4 } },
			{ kinds: { request: { total: 1 } } },
			{ kinds: { wish: { ...loss, lines } } },
			{ claims: "none" },
			{ givenChars: 5 },
		],
		nothing: [],
	},
	measurement: {
		file: session("usage.json"),
		read: (root) => readUsage(sessionAt(root, "s")),
		whole: {
			at: AT,
			source: "transcript",
			model: "m",
			claudeVersion: null,
			cwd: "/c",
			projectDir: "/c",
			transcriptPath: "/t",
			tokens: 5,
			window: 200_000,
			trigger: 167_000,
			why: "formula",
			distance: 166_995,
			zone: "calm",
		},
		wrong: [{ tokens: "5" }, { transcriptPath: [] }, { zone: "blue" }, { source: "guess" }],
	},
	"last failure": {
		file: session("last-failure.json"),
		read: (root) => readFailure(sessionAt(root, "s")),
		whole: { at: AT, where: "usage", reason: "" },
		gives: { at: AT, where: "usage", reason: "" },
		wrong: [{ at: 1 }, { reason: {} }],
	},
	"compactions seen": {
		file: "learned.json",
		read: (root) => observedTriggers(root)("m"),
		whole: { observed: { m: [{ uuid: "u", preTokens: 5 }] } },
		gives: [5],
		wrong: [
			{ observed: [] },
			{ observed: { m: 5 } },
			{ observed: { m: [{ preTokens: 5 }] } },
			{ observed: { m: [{ uuid: "u", preTokens: "5" }] } },
		],
		nothing: [],
	},
	"chosen profile": {
		file: session("profile.json"),
		read: (root) => {
			mkdirSync(join(root, "profiles"), { recursive: true });
			return chosenProfile(root, { sid: "s" });
		},
		whole: { name: "careful", compiled_at: AT, source: "built-in", config: { guard: { mode: "off" } } },
		gives: {
			version: 1,
			name: "careful",
			compiled_at: AT,
			source: "built-in",
			config: { guard: { mode: "off" } },
			by: "session",
		},
		wrong: [{ name: "../x" }, { name: "x".repeat(41) }, { config: [] }],
	},
	"last batch": {
		file: session("batch.json"),
		read: (root) => recentBatch(sessionAt(root, "s"), new Date(AT), 1000),
		whole: { atMs: Date.parse(AT), ids: ["a"] },
		gives: ["a"],
		wrong: [{ atMs: AT }, { ids: [7] }, { ids: Array(5_001).fill("a") }],
		nothing: [],
	},
	"halt marker": {
		file: "run/halt/s",
		read: (root) => readHalt(sessionAt(root, "s")),
		whole: { at: AT, tokens: 5, limit: 6, critical: 0.9 },
		wrong: [{ tokens: null }, { limit: "6" }],
		aside: session("halt-marker"),
	},
	"word of a person": {
		file: session("resumed.json"),
		read: (root) => resumedUntil(sessionAt(root, "s"), new Date(AT)),
		whole: { at: AT, until: null },
		gives: { until: null },
		wrong: [{ until: 7 }],
	},
	"flush marker": {
		file: "run/flush/s",
		read: (root) => claimMarker(sessionAt(root, "s"), 3600_000, new Date()),
		whole: marker,
		gives: marker,
		wrong: [{ tokens: "many" }, { distance: "far" }],
		aside: session("flush-marker"),
		taken: true,
	},
	"the nudge that went out": {
		file: session("nudged.json"),
		read: (root) => nudgedAt(sessionAt(root, "s"))?.tokens ?? null,
		whole: marker,
		gives: 5,
		wrong: [{ tokens: {} }],
	},
	"give marker": {
		file: "run/give/s",
		read: (root) => claimFollowUpMarker(sessionAt(root, "s")),
		whole: { key: KEY },
		gives: KEY,
		wrong: [{ key: 5 }, { key: "../x" }],
		aside: session("give-marker"),
		taken: true,
	},
	receipt: {
		file: "install/x/receipt.json",
		read: (root) => readReceipt(join(root, "install", "x")),
		whole: {
			settingsPath: "/s",
			existedBefore: true,
			madeFolder: false,
			sha256Before: null,
			sha256After: null,
			at: "",
			launcher: "",
			inherited: null,
		},
		wrong: [{ existedBefore: "yes" }],
	},
};
