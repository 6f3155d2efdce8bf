import { describe, expect, test } from "vitest";
import { checkpointDifferences } from "../../../src/core/block/views.ts";
import type { Checkpoint } from "../../../src/core/checkpoint/checkpoint.ts";
import { coverageOf, documentState } from "../../../src/core/checkpoint/document-state.ts";
import { validate, workspaceChanges } from "../../../src/core/checkpoint/fit.ts";
import { isCovered, mostImportant, phaseChanges, type Seen } from "../../../src/core/checkpoint/triggers.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";
import { minuteOf } from "../../../src/core/text/text.ts";

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
		expect(mostImportant(all)).toEqual({ trigger: "wave_complete", reason: "a wave; commit; 31 minutes" });
		expect(mostImportant([])).toBe(null);
	});

	test.each([
		["time_based", "phase_transition", 1, true],
		["wave_complete", "phase_transition", 1, false],
		["phase_transition", "auto", 1, true],
		["phase_transition", "phase_transition", 10, false],
		["time_based", "time_based", -3_600, false],
		["manual_request", "manual_request", 0, false],
		["precompact", "high_token_usage", 0, false],
	] as const)("%s after %s of %d seconds ago: covered %s", (asked, last, seconds, covered) => {
		const at = new Date(NOW.getTime() - seconds * 1_000).toISOString();
		expect(isCovered(asked, NOW, { trigger: last, at })).toBe(covered);
	});

	test("phases: each once, none of before the first look", () => {
		const reasonsOf = (one: SessionState, seen?: Seen): string[] => phaseChanges(one, seen, NOW).reasons;
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

const FIELDS =
	"checkpoint_timestamp checkpoint_type checkpoint_trigger session_id project_id project_name active_phase phase_progress current_wave total_waves memory_keys memory_categories current_focus in_progress_files in_progress_tasks pending_tasks blocked_tasks completed_waves active_wave pending_waves key_decisions mcps_active tools_active personas_active modes_active validation_status tests_passing known_issues technical_debt next_action continuation_context restoration_instructions";

test("the fields of the document, null where nothing tells", () => {
	const fields = documentState(checkpoint());
	expect(Object.keys(fields)).toEqual(FIELDS.split(" "));
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
	const file = (more: Partial<Checkpoint> = {}, seal: "good" | "none" | "broken" = "good") => ({
		...{ key: KEY, session: "s-1", checkpoint: checkpoint(more), seal },
	});

	test.each([
		["whole", file(), []],
		["without a checksum", file({}, "none"), []],
		["changed", file({}, "broken"), ["its content is not what was saved: the checksum differs"]],
		["of another key", file({ key: "time_checkpoint_1" }), ["it says that it is time_checkpoint_1"]],
		["of another session", file({ session: "s-2" }), ["it says that it is of session `s-2`"]],
		["of no time", file({ at: "soon" }), ["its time is `soon`"]],
		["torn", { ...file(), checkpoint: null, problem: "not JSON" }, ["not JSON"]],
	])("%s", (_, one, problems) => {
		const { valid, integrity } = validate(one, around);
		expect([valid, integrity.problems]).toEqual([problems.length === 0, problems]);
	});

	test("a day makes it stale, a clock that was set back does not", () => {
		const at = (hours: number) => validate(file({ at: ago(hours * 60) }), around).freshness.fresh;
		expect([23, 25, -1].map(at)).toEqual([true, false, true]);
	});
});

test("what changed between two, and what is not as it was, in words", () => {
	const a = checkpoint({ state: state({ tasks: [task("1", "pending")] }) });
	const b = checkpoint({
		state: state({ tasks: [task("1", "completed")], messages: [message("Ship the parser.")], tokens: 5_000 }),
	});
	const said = checkpointDifferences(a, b);
	for (const one of [
		`new: Request: Last message (${minuteOf(ago(5))}): > Ship the parser.`,
		"no longer there: What is left: [pending] `task 1`",
		"new: What is done: [done] `task 1`",
		"new: Tokens: 5,000",
	])
		expect(said).toContain(one);
	expect(checkpointDifferences(a, a)).toEqual([]);
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
