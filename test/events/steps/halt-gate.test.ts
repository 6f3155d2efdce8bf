import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { haltRule } from "../../../src/core/pressure/halt-text.ts";
import { preToolUse } from "../../../src/events/pre-tool-use.ts";
import type { EventHandler } from "../../../src/events/run/event.ts";
import { withHaltGate } from "../../../src/events/steps/halt-gate.ts";
import { recordMeasurement, sessionTrigger } from "../../../src/events/steps/measure.ts";
import { catalog } from "../../../src/install/catalog.ts";
import { loadConfig } from "../../../src/store/config.ts";
import { logPath } from "../../../src/store/paths.ts";
import { readLastUsage } from "../../../src/store/pressure/flags.ts";
import { readKnownCycle } from "../../../src/store/session/cycles.ts";
import { change as changeCycleOf, endCycleOf as endCycle, markerState, setCommitted } from "../../kit/cycle.ts";
import { inBatches, LAUNCHER, linesOf, run } from "../../kit/sandbox.ts";
import { type EventSession, eventSession, hookOf } from "../../kit/services.ts";

interface Answer {
	systemMessage?: string;
	hookSpecificOutput?: Record<string, string>;
}

let at: EventSession;
beforeEach(() => {
	at = eventSession("guard");
	at.configure({});
});

const chooseMode = (mode: string): void => at.configure({ guard: { mode } });
const isHalted = (): boolean => existsSync(at.stored.paths.haltFlag);

/** A measurement of the session: claude-sonnet-4-6 compacts at 167,000, so 141,950 and more is critical. */
function measureTokens(tokens: number | null, known = readKnownCycle(at.stored)): void {
	const { root, onProblem } = at.stored;
	const where = { root, onProblem, config: loadConfig(root).config, env: at.env, now: at.now };
	const model = { model: "claude-sonnet-4-6", claudeVersion: "2.1.329" };
	const trigger = sessionTrigger(where, at.stored, at.project, model);
	const seen = { ...model, source: "transcript", cwd: at.project, projectDir: at.project, transcriptPath: "" } as const;
	recordMeasurement(at.stored, where, { ...seen, tokens, cycleBefore: known, trigger });
}

function call(tool_name: string, tool_input = {}, handler: EventHandler = () => null): Answer | null {
	const env = { ...at.env, CLAUDE_CODE_SESSION_ID: "s-1", CLAUDE_PROJECT_DIR: at.project };
	const input = { cwd: at.project, tool_name, tool_input };
	const hook = hookOf(at.home, input, { env, now: at.now, launcher: LAUNCHER });
	return withHaltGate(handler)(hook) as Answer | null;
}
const isDenied = (answer: Answer | null): boolean => answer?.hookSpecificOutput?.permissionDecision === "deny";

describe("the halt marker", () => {
	test("falls with the pressure, and with the cycle; an unknown pressure changes nothing", () => {
		const haltedAt = (tokens: number | null): boolean => {
			measureTokens(tokens);
			return isHalted();
		};
		expect([141_949, 141_950, 200_000, null, 140_000, 150_000].map(haltedAt)).toEqual([
			...[false, true, true, true],
			...[false, true],
		]);
		endCycle(at.stored);
		expect(isHalted()).toBe(false);
	});

	test("the threshold is the configuration's; off drops none", () => {
		at.configure({ task: { critical: 0.95 } });
		measureTokens(150_000);
		expect(isHalted()).toBe(false);
		chooseMode("off");
		measureTokens(166_000);
		expect(isHalted()).toBe(false);
	});

	test("a measurement that read before a compaction and ends after it leaves no marker", () => {
		for (const before of ["the first compaction", "a later one"]) {
			const known = readKnownCycle(at.stored);
			setCommitted(at.stored, { key: "precompact_checkpoint_1", at: at.now.toISOString(), trigger: "auto" });
			endCycle(at.stored);
			measureTokens(160_000, known);
			expect([before, markerState(at.stored), isHalted()]).toEqual([before, "none", false]);
			expect(readLastUsage(at.stored)?.tokens ?? null).toBeNull();
		}
		measureTokens(160_000);
		expect([markerState(at.stored), isHalted()]).toEqual(["marker", true]);
	});
});

// (what is held back, and what a checkpoint lets through: test/e2e/guard.test.ts, test/security/guard.test.ts)
describe("enforce", () => {
	beforeEach(() => {
		chooseMode("enforce");
		measureTokens(150_000);
	});

	test("a change is denied, with the status line, the reason and both ways out; the user is told once", () => {
		const { hookSpecificOutput, systemMessage } = call("Edit", { file_path: join(at.project, "a.ts") })!;
		const { permissionDecisionReason: reason, ...rest } = hookSpecificOutput!;
		expect(rest).toEqual({ hookEventName: "PreToolUse", permissionDecision: "deny" });
		expect(reason!.split("\n")[0]).toBe("STATUS:HALT_CONTEXT_LIMIT");
		expect(reason).toContain("150,000 of 167,000 tokens (89%, critical from 85%)");
		expect(reason).toContain(`${LAUNCHER} task checkpoint --did`);
		expect(reason).toContain(`\n  ${LAUNCHER} task resume --session s-1\n`);
		expect(reason).toContain(haltRule("enforce"));
		expect(systemMessage).toMatch(/ task resume --session s-1$/);
		expect(call("Edit", { file_path: join(at.project, "a.ts") })).toEqual({ hookSpecificOutput });
	});

	test("a compaction that is put off opens nothing, and takes no person's word back", () => {
		at.env.CLAUDE_CODE_AUTO_COMPACT_WINDOW = "190000";
		for (const tokens of [157_500, 158_000]) {
			measureTokens(tokens);
			const { systemMessage, ...answer } = call("Edit") as Answer & { systemMessage?: string };
			// the user is told of each trigger
			expect([isDenied(answer), Boolean(systemMessage)]).toEqual([true, true]);
		}
		expect(readLastUsage(at.stored)).toMatchObject({ trigger: 167_000, why: "put off" });
		setCommitted(at.stored, { key: "precompact_checkpoint_1", at: at.now.toISOString(), trigger: "auto" });
		endCycle(at.stored);
		at.later(1);
		measureTokens(157_500);
		changeCycleOf(at.stored, { resumed: true });
		measureTokens(158_000);
		expect(readLastUsage(at.stored)).toMatchObject({ trigger: 167_000, why: "put off" });
		expect(call("Edit")).toBeNull();
	});

	test("a person's word lifts it, and ends with the cycle", () => {
		changeCycleOf(at.stored, { resumed: true });
		measureTokens(155_000);
		expect(call("Edit")).toBeNull();
		endCycle(at.stored);
		measureTokens(150_000);
		expect(isDenied(call("Edit"))).toBe(true);
	});

	test.each([
		["torn", '{"version":1,"at":"2026'],
		["of another shape", '{"version":1,"at":1,"limit":"x"}'],
	])("a marker that is %s stops nothing and goes away", (_, text) => {
		writeFileSync(at.stored.paths.haltFlag, text);
		expect([call("Edit"), isHalted()]).toEqual([null, false]);
	});

	test("a denial leaves the nudge for the next call", () => {
		expect(isDenied(call("Edit", {}, preToolUse))).toBe(true);
		const nudge = call("Read", {}, preToolUse);
		expect(nudge!.hookSpecificOutput!.additionalContext).toMatch(/^ccg nudge/);
		expect(Object.keys(nudge!)).toEqual(["hookSpecificOutput"]);
	});

	test("an unused pass falls with the pressure", () => {
		changeCycleOf(at.stored, { passAt: at.now.toISOString() });
		measureTokens(100_000);
		at.now = new Date(at.now.getTime() + 1);
		measureTokens(150_000);
		expect(isDenied(call("Edit"))).toBe(true);
	});

	test("a pass is for the task, not for the stop itself nor for what only reads, and is used once", () => {
		changeCycleOf(at.stored, { passAt: at.now.toISOString() });
		for (const command of [
			`env -u CLAUDECODE ${LAUNCHER} task resume --session s-1`,
			`rm ${at.store}/run/halt/s-1`,
			"rm ~/.claude-memory/run/halt/*",
		])
			expect(isDenied(call("Bash", { command }))).toBe(true);
		expect(isDenied(call("Write", { file_path: join(at.store, "config.json"), content: "{}" }))).toBe(true);
		const change = () => isDenied(call("Edit", { file_path: join(at.project, "a.ts") }));
		expect([isDenied(call("Read")), change(), change()]).toEqual([false, false, true]);
	});

	test("as installed: of many changes at once one gets through on one checkpoint, and a subagent's is passed over", async () => {
		changeCycleOf(at.stored, { passAt: at.now.toISOString() });
		const preCheck = catalog(LAUNCHER).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
		const change = (more: object = {}) =>
			run(["/bin/sh", "-c", preCheck], {
				env: { ...at.env, CLAUDE_CODE_SESSION_ID: "s-1" },
				cwd: at.project,
				input: { session_id: "s-1", cwd: at.project, tool_name: "Edit", tool_input: { file_path: "/x" }, ...more },
			});
		expect(await change({ agent_id: "a1" })).toMatchObject({ code: 0, out: "" });
		const runs = await inBatches(Array<typeof change>(24).fill(change), 12);
		expect(new Set(runs.map(({ code, err }) => `${code}${err}`))).toEqual(new Set(["0"]));
		expect(runs.filter(({ out }) => out.includes('"deny"'))).toHaveLength(23);
		expect(runs.filter(({ out }) => out.includes("systemMessage"))).toHaveLength(1);
		expect(linesOf(logPath(at.store))).toEqual([]);
	});
});

test("warn, the default: of a task the user is told once in a cycle, beside the nudge, with a command; no decision", () => {
	measureTokens(150_000);
	expect(call("Edit")).toBeNull();
	mkdirSync(at.stored.paths.folder, { recursive: true });
	writeFileSync(join(at.stored.paths.folder, "task-state.json"), "{}");
	measureTokens(155_000);
	const { systemMessage, hookSpecificOutput } = call("Edit", {}, preToolUse)!;
	expect(systemMessage).toMatch(/^ccg: the context is nearly full.*155,000 of 167,000 tokens/);
	expect(systemMessage).not.toContain("critical");
	expect(systemMessage).toContain(`${LAUNCHER} task status --session s-1`);
	expect(Object.keys(hookSpecificOutput!)).toEqual(["hookEventName", "additionalContext"]);
	// the halt gate is idle again
	measureTokens(160_000);
	expect([isHalted(), call("Edit")]).toEqual([false, null]);
	endCycle(at.stored);
	measureTokens(150_000);
	expect(call("Edit")).toEqual({ systemMessage: expect.any(String) });
});
