import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { haltRule } from "../../../src/core/pressure/halt-text.ts";
import { preToolUse } from "../../../src/events/pre-tool-use.ts";
import { withHaltGate } from "../../../src/events/steps/halt-gate.ts";
import { catalog } from "../../../src/install/catalog.ts";
import { logPath } from "../../../src/store/paths.ts";
import { grantPass, resumeWork } from "../../../src/store/session/cycles.ts";
import { endCycleOf as endCycle } from "../../kit/cycle.ts";
import { inBatches, LAUNCHER, linesOf, run } from "../../kit/sandbox.ts";
import { at, denied } from "./halt-session.ts";

describe("enforce", () => {
	beforeEach(() => at.mode("enforce"));

	test("below critical nothing is held back", () => {
		at.tokens(141_000);
		expect(at.call("Edit")).toBeNull();
	});

	test("a change is denied, with the status line, the reason and both ways out; the user is told once", () => {
		at.tokens(150_000);
		const first = at.call("Edit", { file_path: join(at.project, "a.ts") });
		expect(Object.keys(first!.hookSpecificOutput!)).toEqual([
			"hookEventName",
			"permissionDecision",
			"permissionDecisionReason",
		]);
		expect(first!.hookSpecificOutput).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "deny" });
		const reason = first!.hookSpecificOutput!.permissionDecisionReason!;
		expect(reason.split("\n")[0]).toBe("STATUS:HALT_CONTEXT_LIMIT");
		expect(reason).toContain("150,000 of 167,000 tokens (89%, critical from 85%)");
		expect(reason).toContain(`${LAUNCHER} task checkpoint --did`);
		expect(reason).toContain(`\n  ${LAUNCHER} task resume --session s-1\n`);
		expect(reason).toContain(haltRule("enforce"));
		expect(first!.systemMessage).toMatch(/ task resume --session s-1$/);
		const second = at.call("Edit", { file_path: join(at.project, "a.ts") });
		expect(second).toEqual({ hookSpecificOutput: first!.hookSpecificOutput! });
	});

	test("a person's word lifts it, and ends with the cycle", () => {
		at.tokens(150_000);
		resumeWork(at.stored);
		at.tokens(155_000);
		expect(at.call("Edit")).toBeNull();
		endCycle(at.stored);
		at.tokens(150_000);
		expect(denied(at.call("Edit"))).toBe(true);
	});

	test.each([
		["torn", '{"version":1,"at":"2026'],
		["empty", ""],
		["foreign", "[]"],
		["of another shape", '{"version":1,"at":1,"limit":"x"}'],
	])("a marker that is %s stops nothing and goes away", (_, text) => {
		at.tokens(150_000);
		writeFileSync(at.stored.paths.haltMarker, text);
		expect(at.call("Edit")).toBeNull();
		expect(at.marker()).toBe(false);
	});

	test("a denial leaves the nudge for the next call", () => {
		at.tokens(150_000);
		const handler = withHaltGate(preToolUse);
		expect(denied(at.call("Edit", {}, handler))).toBe(true);
		const nudge = at.call("Read", {}, handler);
		expect(nudge!.hookSpecificOutput!.additionalContext).toMatch(/^ccg nudge/);
		expect(Object.keys(nudge!)).toEqual(["hookSpecificOutput"]);
	});
});

test("as installed: of many changes at once one gets through on one checkpoint, and a subagent's is passed over", async () => {
	at.mode("enforce");
	at.tokens(150_000);
	grantPass(at.stored, at.now);
	const preCheck = catalog(LAUNCHER).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
	const change = (more: object = {}) =>
		run(["/bin/sh", "-c", preCheck], {
			env: { HOME: at.home, CLAUDE_CODE_SESSION_ID: "s-1" },
			cwd: at.project,
			input: { session_id: "s-1", cwd: at.project, tool_name: "Edit", tool_input: { file_path: "/x" }, ...more },
		});
	expect(await change({ agent_id: "a1" })).toMatchObject({ code: 0, out: "" });
	const runs = await inBatches(
		Array.from({ length: 24 }, () => () => change()),
		12,
	);
	expect(new Set(runs.map(({ code, err }) => `${code}${err}`))).toEqual(new Set(["0"]));
	expect(runs.filter(({ out }) => out.includes('"deny"'))).toHaveLength(23);
	expect(runs.filter(({ out }) => out.includes("systemMessage"))).toHaveLength(1);
	expect(linesOf(logPath(at.store))).toEqual([]);
});

const beginTask = (): void => {
	mkdirSync(at.stored.paths.folder, { recursive: true });
	writeFileSync(join(at.stored.paths.folder, "task-state.json"), "{}");
};

describe("warn, the default", () => {
	test("the user is told once in a cycle, beside the nudge; no decision, and the halt gate is idle again", () => {
		at.tokens(150_000);
		beginTask();
		const first = at.call("Edit", {}, withHaltGate(preToolUse))!;
		expect(first.systemMessage).toContain("150,000 of 167,000 tokens");
		expect(Object.keys(first.hookSpecificOutput!)).toEqual(["hookEventName", "additionalContext"]);
		expect(at.marker()).toBe(false);
		at.tokens(160_000);
		expect(at.marker()).toBe(false);
		expect(at.call("Edit")).toBeNull();
		endCycle(at.stored);
		at.tokens(150_000);
		expect(at.call("Edit")).toEqual({ systemMessage: expect.stringContaining("ccg: the context is nearly full") });
	});
});

test("warn, to the person, who has no session around: what it means, and a command that does not fail; nothing without a task", () => {
	at.mode("warn");
	at.tokens(150_000);
	expect(at.call("Edit")).toBeNull();
	at.tokens(155_000);
	beginTask();
	const text = at.call("Edit")!.systemMessage!;
	expect(text).not.toContain("critical");
	expect(text).toContain(`${LAUNCHER} task status --session s-1`);
});
