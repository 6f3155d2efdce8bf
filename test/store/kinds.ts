import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { emptySnapshot } from "../../src/core/context/session-context.ts";
import { emptyState } from "../../src/core/state/session-state.ts";
import { readMcpReceipt } from "../../src/install/mcp-plan.ts";
import { readReceipt } from "../../src/install/receipt.ts";
import { readSkillsReceipt } from "../../src/install/skills-plan.ts";
import { chosenProfile } from "../../src/store/config/profiles.ts";
import { readFailure } from "../../src/store/last-failure.ts";
import { readFacts } from "../../src/store/memory/note-facts.ts";
import { readHalt, resumedUntil } from "../../src/store/pressure/halt.ts";
import { claimMarker, nudgedAt } from "../../src/store/pressure/marker.ts";
import { observedTriggers } from "../../src/store/pressure/observed-triggers.ts";
import { readUsage } from "../../src/store/pressure/usage-record.ts";
import { loadCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import {
	claimFollowUpMarker,
	readFollowUpInjection,
	readRecoveryInjection,
	readReports,
	readSummary,
} from "../../src/store/recovery/compaction-record.ts";
import { readCommitted, readPending } from "../../src/store/recovery/pending.ts";
import { recentBatch } from "../../src/store/session/batch-record.ts";
import { sessionProject } from "../../src/store/session/session-project.ts";
import { readSnapshot } from "../../src/store/session/session-snapshot.ts";
import { type Store, sessionAt } from "../../src/store/session-handle.ts";
import { tellOf } from "../../src/store/versioned-file.ts";

export const KEY = "precompact_checkpoint_20260301_100000";
export const AT = "2026-03-01T10:00:00.000Z";

/** What one kind of the store's files holds, and what it refuses. */
export interface KindCase {
	/** Below the store's root. */
	file: string;
	read(store: Store): unknown;
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
const loss = { total: 1, verbatim: 0, reworded: 0, dropped: 1, injected: 0, droppedBack: 0, later: 0, reloaded: 0 };
const lines = [{ text: "go", fate: "dropped", injected: false }];
const { version: _, ...snapshot } = { ...emptySnapshot("s", 1), state: { ...emptyState(), order: 3 } };
const workspace = {
	branch: "main",
	modified: [],
	commits: [],
	planSummary: null,
	lastFailure: null,
	selfModelAge: null,
	envModelAge: null,
};

export const CASES: Record<string, KindCase> = {
	"facts of notes": {
		file: "projects/p-12345678/notes.json",
		read: ({ root, tell }) => [...readFacts(join(root, "projects", "p-12345678"), tell).values()],
		whole: { notes: [{ id: 7, saved: AT, branch: "main", start: "2026-03-01" }, { id: 8 }] },
		gives: [{ id: 7, saved: AT, branch: "main", start: "2026-03-01" }, { id: 8 }],
		wrong: [{ notes: {} }, { notes: [{ id: "7" }] }, { notes: [{ saved: AT }] }, { notes: [{ id: 7, shown: 1 }] }],
		nothing: [],
	},
	"session's project": {
		file: join("run", "project", "s"),
		read: (store) => sessionProject(sessionAt(store, "s")),
		whole: { folder: "/home/u/ledger", storeTold: true },
		wrong: [{ folder: 7 }, { storeTold: "yes" }],
	},
	checkpoint: {
		file: session(`checkpoints/${KEY}.json`),
		read: (store) => loadCheckpoint(sessionAt(store, "s"), KEY),
		whole: {
			key: KEY,
			at: AT,
			session: "s",
			trigger: "auto",
			projectDir: "",
			transcriptPath: "",
			...state({ messages: [said] }),
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
			state({ tasks: undefined }),
			{ workspace: { ...workspace, modified: "M" } },
			{ workspace: { branch: "main" } },
			{ leftOut: "files" },
		],
	},
	"session snapshot": {
		file: session("state.json"),
		read: (store) => {
			const read = readSnapshot(sessionAt(store, "s"), new Date());
			tellOf(read, store.tell);
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
		read: (store) => readPending(sessionAt(store, "s")),
		whole: { key: KEY, at: AT, trigger: "" },
		gives: { key: KEY, at: AT, trigger: "" },
		wrong: [{ at: 5 }, { key: "../../x" }, { key: `a_checkpoint_${"1".repeat(300)}` }, { unconfirmed: "yes" }],
	},
	committed: {
		file: session("committed.json"),
		read: (store) => readCommitted(sessionAt(store, "s")),
		whole: { key: KEY, at: AT, trigger: "auto" },
		gives: { key: KEY, at: AT, trigger: "auto" },
		wrong: [{ key: [] }],
	},
	"recovery block": {
		file: session("recovery-block.json"),
		read: (store) => readRecoveryInjection(sessionAt(store, "s")),
		whole: { key: KEY, at: AT, ids: ["a"], chars: 0 },
		gives: { key: KEY, at: AT, ids: ["a"], chars: 0 },
		wrong: [{ at: 7 }, { ids: "a" }, { ids: [1] }],
	},
	"follow-up block": {
		file: session("follow-up-block.json"),
		read: (store) => readFollowUpInjection(sessionAt(store, "s")),
		whole: { key: KEY, text: null, ids: [] },
		gives: { key: KEY, text: null, ids: [] },
		wrong: [{ text: 5 }, { ids: {} }],
	},
	summary: {
		file: session("summary.json"),
		read: (store) => readSummary(sessionAt(store, "s"), AT),
		whole: { at: AT, text: "what was" },
		gives: "what was",
		wrong: [{ text: { a: 1 } }, { at: 5 }],
	},
	report: {
		file: session(`reports/${KEY}.json`),
		read: (store) => readReports(sessionAt(store, "s"))[0] ?? [],
		whole: {
			key: KEY,
			at: "",
			session: "",
			trigger: "",
			tokensBefore: null,
			summaryChars: null,
			injectedChars: { block: 0, followUp: 0 },
			kinds: { request: { ...loss, lines } },
			claims: [],
		},
		wrong: [
			{ kinds: { request: 4 } },
			{ kinds: { request: { total: 1 } } },
			{ kinds: { wish: { ...loss, lines } } },
			{ claims: "none" },
			{ injectedChars: 5 },
		],
		nothing: [],
	},
	measurement: {
		file: session("usage.json"),
		read: (store) => readUsage(sessionAt(store, "s")),
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
		read: (store) => readFailure(sessionAt(store, "s")),
		whole: { at: AT, where: "usage", reason: "" },
		gives: { at: AT, where: "usage", reason: "" },
		wrong: [{ at: 1 }, { reason: {} }],
	},
	"compactions seen": {
		file: "observed-triggers.json",
		read: (store) => observedTriggers(store)("m"),
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
		read: (store) => {
			mkdirSync(join(store.root, "profiles"), { recursive: true });
			return chosenProfile(store.root, { sid: "s", tell: store.tell });
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
		read: (store) => recentBatch(sessionAt(store, "s"), new Date(AT), 1000),
		whole: { atMs: Date.parse(AT), ids: ["a"] },
		gives: ["a"],
		wrong: [{ atMs: AT }, { ids: [7] }, { ids: Array(5_001).fill("a") }],
		nothing: [],
	},
	"halt marker": {
		file: "run/halt/s",
		read: (store) => readHalt(sessionAt(store, "s")),
		whole: { at: AT, tokens: 5, limit: 6, critical: 0.9 },
		wrong: [{ tokens: null }, { limit: "6" }],
		aside: session("halt-marker"),
	},
	"word of a person": {
		file: session("resumed.json"),
		read: (store) => resumedUntil(sessionAt(store, "s"), new Date(AT)),
		whole: { at: AT, until: null },
		gives: { until: null },
		wrong: [{ until: 7 }],
	},
	"flush marker": {
		file: "run/flush/s",
		read: (store) => claimMarker(sessionAt(store, "s"), 3600_000, new Date()),
		whole: marker,
		gives: marker,
		wrong: [{ tokens: "many" }, { distance: "far" }],
		aside: session("flush-marker"),
		taken: true,
	},
	"the nudge that went out": {
		file: session("nudged.json"),
		read: (store) => nudgedAt(sessionAt(store, "s"))?.tokens ?? null,
		whole: marker,
		gives: 5,
		wrong: [{ tokens: {} }],
	},
	"follow-up marker": {
		file: "run/follow-up/s",
		read: (store) => claimFollowUpMarker(sessionAt(store, "s")),
		whole: { key: KEY },
		gives: KEY,
		wrong: [{ key: 5 }, { key: "../x" }],
		aside: session("follow-up-marker"),
		taken: true,
	},
	receipt: {
		file: "install/x/receipt.json",
		read: (store) => readReceipt(join(store.root, "install", "x"), store.tell),
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
	"MCP receipt": {
		file: "install/x/mcp-receipt.json",
		read: (store) => readMcpReceipt(join(store.root, "install", "x"), store.tell),
		whole: { path: "/c", existedBefore: true, hadServers: false, sha256After: "", at: "", launcher: "" },
		wrong: [{ hadServers: "no" }],
	},
	"skills receipt": {
		file: "install/x/skills-receipt.json",
		read: (store) => readSkillsReceipt(join(store.root, "install", "x"), store.tell),
		whole: { root: "/c", files: [{ path: "agents/a.md", sha256: [""] }], made: [], at: "", launcher: "" },
		wrong: [{ files: [{ path: "agents/a.md", sha256: "" }] }],
	},
};
