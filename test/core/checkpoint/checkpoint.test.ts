import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diffCheckpoints } from "../../../src/core/block/views.ts";
import type { Checkpoint } from "../../../src/core/checkpoint/checkpoint.ts";
import { coverageOf, documentState } from "../../../src/core/checkpoint/document-state.ts";
import { validateCheckpoint, workspaceChanges } from "../../../src/core/checkpoint/fit.ts";
import {
	type DueTrigger,
	isCovered,
	mergeDueTriggers,
	type PhaseLook,
	phaseChanges,
} from "../../../src/core/checkpoint/triggers.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";
import { minuteText } from "../../../src/core/text/text.ts";
import { corpus } from "../../kit/corpus.ts";

const CASES = corpus(join(import.meta.dirname, "checkpoint.txt"));
const NOW = new Date("2026-03-01T12:30:45.678Z");
const ago = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();

const state = (more: Partial<SessionState> = {}): SessionState => ({ ...emptyState(), ...more });
const message = (text: string) => ({ at: ago(5), order: 1, source: "typed" as const, text });
const task = (id: string, status: string) => ({ id, subject: `task ${id}`, status, order: 1, changedAt: ago(1) });
const memory = (key: string) => ({ category: "serena" as const, key, bytes: 1, modifiedAt: ago(1) });

const WORKSPACE = {
	...{ branch: "", modified: [], commits: [] },
	...{ planSummary: null, lastFailure: null, selfModelAge: null, envModelAge: null },
};

const KEY = "manual_checkpoint_20260301_123045";
const checkpoint = (more: Partial<Checkpoint> = {}): Checkpoint => ({
	...{ version: 1, key: KEY, at: NOW.toISOString(), session: "s-1", trigger: "manual_request", type: "manual" },
	...{ projectDir: "/srv/shop", project: "shop-00000000", transcriptPath: "" },
	...{ state: state({ messages: [message("Build the cart.")] }), workspace: null },
	...{ memories: [memory("phase_plan")], waves: [] },
	...more,
});

describe("triggers", () => {
	test("several at once make one, of the most important, for all their reasons", () => {
		const due = { time_based: "31 minutes", wave_complete: "a wave", phase_transition: "commit" } as const;
		const all = Object.entries(due).map(([trigger, reason]) => ({ trigger: trigger as keyof typeof due, reason }));
		expect(mergeDueTriggers(all)).toEqual({ trigger: "wave_complete", reason: "a wave; commit; 31 minutes" });
		expect(mergeDueTriggers([])).toBe(null);
	});

	test.each(Object.values(CASES)[0]!)("%s", (row) => {
		const [, asked, trigger, seconds, covered] = /^(\S+) after (\S+) of (\S+): (.*)$/.exec(row)!;
		const at = new Date(NOW.getTime() - Number(seconds) * 1_000).toISOString();
		expect(String(isCovered(asked as DueTrigger["trigger"], NOW, { trigger: trigger!, at }))).toBe(covered!);
	});

	test("phases: each once, none of before the first look", () => {
		const reasonsOf = (one: SessionState, seen?: PhaseLook): string[] => phaseChanges(one, seen, NOW).reasons;
		const commit = { hash: "abcdef0", subject: "Add", at: ago(2), order: 3 };
		const plan = { at: ago(3), order: 2, kind: "plan approved" as const, tool: "", subject: "plan", words: "" };
		const now = state({ commits: [commit], decisions: [plan], tasks: [task("1", "completed")], branch: "main" });
		expect(reasonsOf(now)).toEqual(["plan approved", "task list finished", "commit abcdef0 made"]);
		const { seen } = phaseChanges(now, undefined, NOW);
		expect(reasonsOf(now, seen)).toEqual([]);
		// by its place, whatever the clock says
		const later = { ...commit, hash: "abcdef1", at: ago(600), pos: 900 };
		expect(reasonsOf({ ...now, commits: [commit, later] }, seen)).toEqual(["commit abcdef1 made"]);
		expect(reasonsOf({ ...now, branch: "fix" }, seen)).toEqual(["branch changed from main to fix"]);
		expect(reasonsOf(state({ commits: [{ ...commit, at: ago(90) }] }))).toEqual([]);
		expect(reasonsOf(state({ tasks: [task("1", "completed"), task("2", "pending")] }))).toEqual([]);
	});
});

test("the fields of the document, null where nothing tells", () => {
	const fields = documentState(checkpoint());
	expect(Object.keys(fields)).toEqual(CASES["the fields of the document"]!.join(" ").split(" "));
	expect(coverageOf(fields)).toEqual({
		missing: ["active_phase", "phase_progress", "next_action", "continuation_context"],
		percent: 82,
	});
	expect(fields.memory_categories).toMatchObject({ planning: ["serena/phase_plan"] });
	const own = { ...WORKSPACE, task: { goal: "g", nextAction: "ship it", phase: "release" } };
	const told = documentState(checkpoint({ workspace: own }));
	expect([told.active_phase, told.next_action]).toEqual(["release", "ship it"]);
	const plan = { text: "p", path: "", at: "", approved: false };
	expect(documentState(checkpoint({ state: state({ plan }) })).active_phase).toBe("planning");
});

describe("validation", () => {
	const around = { now: NOW, freshHours: 24, gone: ["the memory `serena/c`"] };
	const file = ({ seal = "good", ...more }: Partial<Checkpoint> & { seal?: "good" | "none" | "broken" } = {}) => ({
		...{ key: KEY, session: "s-1", checkpoint: checkpoint(more), seal },
	});
	const problemsOf = (one: Parameters<typeof validateCheckpoint>[0]) => {
		const { valid, integrity } = validateCheckpoint(one, around);
		expect(valid).toBe(integrity.problems.length === 0);
		return integrity.problems;
	};

	test.each(CASES["a file with other fields, and what is wrong with it"]!)("%s", (row) => {
		const [, fields, problems] = /: (\{.*) => (.*)$/.exec(row)!;
		expect(problemsOf(file(JSON.parse(fields!)))).toEqual(JSON.parse(problems!));
	});

	test("torn", () => expect(problemsOf({ ...file(), checkpoint: null, problem: "not JSON" })).toEqual(["not JSON"]));

	test("a day makes it stale, a clock that was set back does not", () => {
		const at = (hours: number) => validateCheckpoint(file({ at: ago(hours * 60) }), around).freshness.fresh;
		expect([23, 25, -1].map(at)).toEqual([true, false, true]);
	});
});

test("what changed between two, and what is not as it was, in words", () => {
	const a = checkpoint({ state: state({ tasks: [task("1", "pending")] }) });
	const b = checkpoint({
		state: state({ tasks: [task("1", "completed")], messages: [message("Ship the parser.")], tokens: 5_000 }),
	});
	const said = diffCheckpoints(a, b);
	for (const one of [
		`new: Request: Last message (${minuteText(ago(5))}): > Ship the parser.`,
		"no longer there: What is left: [pending] `task 1`",
		"new: What is done: [done] `task 1`",
		"new: Tokens: 5,000",
	])
		expect(said).toContain(one);
	expect(diffCheckpoints(a, a)).toEqual([]);
	const then = { ...WORKSPACE, branch: "main", commits: ["abc Add"] };
	const now = { ...then, branch: "fix", commits: ["def Fix"] };
	const files = [
		{ path: "gone.ts", changedAt: null },
		{ path: "old.ts", changedAt: ago(60) },
	];
	expect(workspaceChanges(checkpoint({ workspace: then }), now, files)).toEqual([
		"branch: `main` then, `fix` now",
		"last commit: `abc Add` then, `def Fix` now",
		"`gone.ts` is gone",
	]);
});
