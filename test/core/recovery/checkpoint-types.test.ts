import { describe, expect, test } from "vitest";
import type { Checkpoint } from "../../../src/core/recovery/checkpoint.ts";
import { checkpointKey, keyParts } from "../../../src/core/recovery/checkpoint-key.ts";
import { differences } from "../../../src/core/recovery/checkpoints/difference.ts";
import { documentState } from "../../../src/core/recovery/checkpoints/document-state.ts";
import { firstLook, phaseChanges } from "../../../src/core/recovery/checkpoints/phase.ts";
import { recoveredOf } from "../../../src/core/recovery/checkpoints/recovered.ts";
import { isCovered, mostImportant, TRIGGERS } from "../../../src/core/recovery/checkpoints/triggers.ts";
import { validate } from "../../../src/core/recovery/checkpoints/validation.ts";
import { workspaceChanges } from "../../../src/core/recovery/checkpoints/workspace-changes.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";

const NOW = new Date("2026-03-01T12:30:45.678Z");
const ago = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();

const state = (more: Partial<SessionState> = {}): SessionState => ({ ...emptyState(), ...more });
const message = (text: string) => ({ at: ago(5), order: 1, source: "typed" as const, text, directives: [] });
const task = (id: string, status: string, changedAt = ago(1)) => ({
	id,
	subject: `task ${id}`,
	status,
	order: 1,
	changedAt,
});

const checkpoint = (more: Partial<Checkpoint> = {}): Checkpoint => ({
	version: 1,
	key: "manual_checkpoint_20260301_123045",
	at: NOW.toISOString(),
	session: "s-1",
	trigger: "manual_request",
	type: "manual",
	projectDir: "/srv/shop",
	project: "shop-00000000",
	transcriptPath: "",
	state: state({ messages: [message("Build the cart.")] }),
	workspace: null,
	memories: [{ category: "serena", key: "phase_plan", bytes: 1, modifiedAt: ago(1) }],
	waves: [],
	...more,
});

test("keys: five types, one second", () => {
	const keys = [checkpointKey(NOW, 1, "time"), checkpointKey(NOW, 2, "time"), checkpointKey(NOW, 1, "wave")];
	expect(keys[0]).toBe("time_checkpoint_20260301_123045");
	expect(keyParts(keys[1]!)).toEqual({ type: "time", at: "2026-03-01T12:30:45.000Z", n: 2 });
	expect([keyParts("other_checkpoint_20260301_123045"), keyParts("manual_checkpoint_../x")]).toEqual([null, null]);
});

describe("triggers", () => {
	test("types, priorities and delays of the document", () => {
		expect(
			Object.entries(TRIGGERS).map(([name, { type, priority, mostSeconds }]) => [name, type, priority, mostSeconds]),
		).toEqual([
			["precompact", "precompact", "critical", 0],
			["high_token_usage", "precompact", "critical", 0],
			["restore_request", "manual", "critical", 0],
			["manual_request", "manual", "high", 60],
			["wave_complete", "wave", "high", 60],
			["phase_transition", "phase", "medium", 300],
			["time_based", "time", "low", null],
		]);
	});

	test("several at once make one, of the most important, for all their reasons", () => {
		expect(
			mostImportant([
				{ trigger: "time_based", reason: "31 minutes" },
				{ trigger: "wave_complete", reason: "a wave" },
				{ trigger: "phase_transition", reason: "commit" },
			]),
		).toEqual({ trigger: "wave_complete", reason: "a wave; commit; 31 minutes" });
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
		const first = firstLook(NOW);
		const commit = { hash: "abcdef0", subject: "Add", at: ago(2), order: 3 };
		const plan = { at: ago(3), order: 2, kind: "plan approved" as const, subject: "plan", words: "" };
		const now = state({ commits: [commit], decisions: [plan], tasks: [task("1", "completed")], branch: "main" });
		const met = phaseChanges(now, first);
		expect(met.reasons).toEqual(["plan approved", "task list finished", "commit abcdef0 made"]);
		expect(phaseChanges({ ...now, branch: "fix" }, met.seen).reasons).toEqual(["branch changed from main to fix"]);
		expect(phaseChanges(now, met.seen).reasons).toEqual([]);
		const old = state({ commits: [{ ...commit, at: ago(90) }] });
		expect(phaseChanges(old, first).reasons).toEqual([]);
		expect(phaseChanges(state({ tasks: [task("1", "completed"), task("2", "pending")] }), first).reasons).toEqual([]);
	});
});

test("the fields of the document, each with a value or a reason", () => {
	const { fields, missing } = documentState(checkpoint());
	expect(Object.keys(fields)).toEqual(FIELDS);
	const untold = Object.entries(fields).filter(([, value]) => value === null || value === "unknown");
	const reasons = new Map(missing.map(({ key, reason }) => [key, reason]));
	// that no wave runs is known
	const named = untold.map(([name]) => name).filter((name) => name !== "current_wave" && name !== "active_wave");
	expect(named.filter((name) => !reasons.get(name))).toEqual([]);
	expect(fields).toMatchObject({
		next_action: "go on with the request: Build the cart.",
		memory_categories: { planning: ["serena/phase_plan"] },
	});
});

const FIELDS =
	"checkpoint_timestamp checkpoint_type checkpoint_trigger session_id project_id project_name active_phase phase_progress current_wave total_waves memory_keys memory_categories current_focus in_progress_files in_progress_tasks pending_tasks blocked_tasks completed_waves active_wave pending_waves key_decisions mcps_active tools_active personas_active modes_active validation_status tests_passing known_issues technical_debt next_action continuation_context restoration_instructions".split(
		" ",
	);

describe("phases and next actions", () => {
	const workspace = {
		branch: "",
		modified: [],
		commits: [],
		planSummary: null,
		lastFailure: null,
		selfModelAge: null,
		envModelAge: null,
	};
	const file = { path: "a.ts", edits: 1, reads: 0, order: 3, at: "" };
	const check = {
		kind: "test" as const,
		command: "npm test",
		result: "worked" as const,
		outcome: "",
		at: "",
		order: 4,
	};
	test.each([
		["unknown", {}],
		["analysis", { searches: [{ what: "x", found: "", at: "", order: 1 }] }],
		["planning", { plan: { text: "p", path: "", at: "", approved: false } }],
		["implementation", { files: [file] }],
		["testing", { files: [file], checks: [check] }],
	] as [string, Partial<SessionState>][])("%s", (phase, more) => {
		expect(documentState(checkpoint({ state: state(more) })).fields.active_phase).toBe(phase);
	});
	test("the task's own phase and next action come first", () => {
		const own = { ...workspace, task: { goal: "g", nextAction: "ship it", phase: "release" } };
		const { fields } = documentState(checkpoint({ workspace: own }));
		expect([fields.active_phase, fields.next_action]).toEqual(["deployment", "ship it"]);
	});
});

describe("validation", () => {
	const around = { now: NOW, freshHours: 24, goneFiles: [], memories: new Set(["serena/phase_plan"]) };
	const file = (more: Partial<Checkpoint> = {}, seal: "good" | "none" | "broken" = "good") => {
		const one = checkpoint(more);
		return { key: "manual_checkpoint_20260301_123045", session: "s-1", checkpoint: one, seal };
	};
	const failed = (made: ReturnType<typeof validate>): string[] =>
		made.integrity.checks.flatMap(({ ok, must, name }) => (ok ? [] : [`${must ? "failed" : "warning"} ${name}`]));

	test.each([
		["whole", file(), true, ["warning has_phase"]],
		["of before checksums", file({}, "none"), true, ["warning has_phase"]],
		["changed", file({}, "broken"), false, ["failed checksum", "warning has_phase"]],
		[
			"of another key",
			file({ key: "time_checkpoint_20260301_123045" }),
			false,
			["failed has_key", "warning has_phase"],
		],
		["of another session", file({ session: "s-2" }), false, ["failed has_session", "warning has_phase"]],
		["of no time", file({ at: "soon" }), false, ["failed has_timestamp", "warning has_phase"]],
		["torn", { ...file(), checkpoint: null, problem: "not JSON" }, false, ["failed schema"]],
	] as const)("%s", (_, one, valid, names) => {
		const made = validate(one, around);
		expect([made.valid, failed(made)]).toEqual([valid, names]);
		for (const check of made.integrity.checks) expect(Boolean(check.reason)).toBe(!check.ok);
	});

	test("a day makes it stale, a clock that was set back does not", () => {
		const at = (hours: number) =>
			validate(file({ at: new Date(NOW.getTime() - hours * 3_600_000).toISOString() }), around);
		expect([23, 25, -1].map((hours) => at(hours).freshness.fresh)).toEqual([true, false, true]);
	});

	test("coverage names memories that are gone, and recovery warns of them", () => {
		const memories = ["a", "b"].map((key) => ({ category: "serena" as const, key, bytes: 1, modifiedAt: "" }));
		const one = checkpoint({ memories });
		const made = validate(file({ memories }), { ...around, memories: new Set(["serena/a"]) });
		expect(made.coverage.memories).toEqual({ found: 1, of: 2 });
		expect(made.coverage.missing[0]).toEqual({ key: "serena/b", reason: "this memory is gone" });
		expect(recoveredOf(one, new Set(["serena/a"]))).toMatchObject({ percent: 66, missing: ["memory serena/b"] });
		expect(recoveredOf(one, new Set(["serena/a", "serena/b"])).percent).toBe(100);
	});
});

test("what changed between two, and what is not as it was, in words", () => {
	const a = checkpoint({ state: state({ tasks: [task("1", "pending")] }) });
	const b = checkpoint({
		state: state({ tasks: [task("1", "completed")], messages: [message("Ship it.")], tokens: 5_000 }),
	});
	const said = differences(a, b).map(({ about, says }) => `${about}: ${says}`);
	expect(said).toContain('message of the user: new: "Ship it."');
	expect(said).toContain("task: `task 1`: pending, now completed");
	expect(said).toContain("tokens: unknown, now 5,000");
	expect(differences(a, a)).toEqual([]);
	const then = {
		branch: "main",
		modified: [],
		commits: ["abc Add"],
		planSummary: null,
		lastFailure: null,
		selfModelAge: null,
		envModelAge: null,
	};
	const now = { ...then, branch: "fix", commits: ["def Fix"] };
	const files = [
		{ path: "gone.ts", changedAt: null },
		{ path: "old.ts", changedAt: ago(60) },
	];
	expect(workspaceChanges(checkpoint({ workspace: then }), now, files).map(({ says }) => says)).toEqual([
		"branch: `main` then, `fix` now",
		"last commit: `abc Add` then, `def Fix` now",
		"`gone.ts` is gone",
	]);
});
