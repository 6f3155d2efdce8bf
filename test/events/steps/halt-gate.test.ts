import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { HookInput } from "../../../src/claude/hook-input.ts";
import { haltRule } from "../../../src/core/halt/halt-text.ts";
import { preToolUse } from "../../../src/events/pre-tool-use.ts";
import type { EventHandler, Services } from "../../../src/events/run/event.ts";
import { guarded } from "../../../src/events/steps/halt-gate.ts";
import { type Measurement, measure } from "../../../src/events/steps/measure.ts";
import { catalog } from "../../../src/install/catalog.ts";
import { loadConfig } from "../../../src/store/config/config.ts";
import { logPath, sessionPaths } from "../../../src/store/paths.ts";
import { grantPass, resumeWork } from "../../../src/store/pressure/halt.ts";
import { dropMarker, endCycle } from "../../../src/store/pressure/marker.ts";
import { setCommitted } from "../../../src/store/recovery/pending.ts";
import { scratch } from "../../scratch-home.ts";
import { inBatches, LAUNCHER, linesOf, run } from "../run-entry.ts";

let home: string;
let project: string;
let store: string;
let now: Date;
let failures: unknown[];

beforeEach(() => {
	home = scratch("guard");
	project = join(home, "project");
	store = join(home, ".claude-memory");
	for (const folder of [project, store]) mkdirSync(folder);
	now = new Date();
	failures = [];
});

const mode = (name: string): void =>
	writeFileSync(join(store, "config.json"), JSON.stringify({ guard: { mode: name } }));

/** A measurement of the session: claude-sonnet-4-6 compacts at 167,000, so 141,950 and more is critical. */
function tokens(count: number | null, more: Partial<Measurement> = {}): void {
	measure(store, loadConfig(store).config, { HOME: home }, now, {
		sid: "s-1",
		source: "transcript",
		tokens: count,
		model: "claude-sonnet-4-6",
		reportedWindow: null,
		claudeVersion: "2.1.329",
		cwd: project,
		projectDir: project,
		transcriptPath: "",
		...more,
	});
}

const marker = (): boolean => existsSync(sessionPaths(store, "s-1").haltMarker);

interface Answer {
	systemMessage?: string;
	hookSpecificOutput?: Record<string, string>;
}

function call(tool_name: string, tool_input: object = {}, handler: EventHandler = guarded(() => null)): Answer | null {
	const services: Services = {
		env: { HOME: home, CLAUDE_CODE_SESSION_ID: "s-1", CLAUDE_PROJECT_DIR: project },
		root: store,
		config: loadConfig(store).config,
		now,
		launcher: LAUNCHER,
		log: (reason) => failures.push(reason),
	};
	const input = { session_id: "s-1", cwd: project, tool_name, tool_input } as HookInput & { session_id: string };
	const answer = handler(input, services);
	expect(failures).toEqual([]);
	return answer === null ? null : JSON.parse(answer);
}

const denied = (answer: Answer | null): boolean => answer?.hookSpecificOutput?.permissionDecision === "deny";

describe("the halt marker", () => {
	test.each([
		[141_949, false],
		[141_950, true],
		[200_000, true],
	])("at %d tokens: %s", (count, stands) => {
		tokens(count);
		expect(marker()).toBe(stands);
	});

	test("falls with the pressure, and with the cycle; an unknown pressure changes nothing", () => {
		tokens(150_000);
		tokens(null);
		expect(marker()).toBe(true);
		tokens(140_000);
		expect(marker()).toBe(false);
		tokens(150_000);
		endCycle(store, "s-1");
		expect(marker()).toBe(false);
	});

	test("an unused pass falls with it", () => {
		mode("enforce");
		tokens(150_000);
		grantPass(store, "s-1", now);
		tokens(100_000);
		tokens(150_000);
		expect(denied(call("Edit"))).toBe(true);
	});

	test("a pass is for the task, not for the stop itself", () => {
		mode("enforce");
		tokens(150_000);
		grantPass(store, "s-1", now);
		for (const input of [
			{ command: `env -u CLAUDECODE ${LAUNCHER} task resume --session s-1` },
			{ command: `rm ${store}/run/halt/s-1` },
			{ command: "rm ~/.claude-memory/run/halt/*" },
		])
			expect(denied(call("Bash", input))).toBe(true);
		expect(denied(call("Write", { file_path: join(store, "config.json"), content: "{}" }))).toBe(true);
		expect(denied(call("Edit", { file_path: join(project, "a.ts") }))).toBe(false);
	});

	test("the threshold is the configuration's; off drops none", () => {
		writeFileSync(join(store, "config.json"), '{"task":{"critical":0.95}}');
		tokens(150_000);
		expect(marker()).toBe(false);
		mode("off");
		tokens(166_000);
		expect(marker()).toBe(false);
	});

	test("where nothing compacts by itself the window counts", () => {
		tokens(180_000, { model: "claude-sonnet-4-5" });
		expect(marker()).toBe(true);
	});
});

describe("enforce", () => {
	beforeEach(() => mode("enforce"));

	test("below critical nothing is held back", () => {
		tokens(141_000);
		expect(call("Edit")).toBeNull();
	});

	test("a change is denied, with the status line, the reason and both ways out; the user is told once", () => {
		tokens(150_000);
		const first = call("Edit", { file_path: join(project, "a.ts") });
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
		expect(reason).toContain(`\n  ${LAUNCHER} task resume\n`);
		expect(reason).toContain(haltRule("enforce"));
		expect(first!.systemMessage).toMatch(/ task resume$/);
		const second = call("Edit", { file_path: join(project, "a.ts") });
		expect(second).toEqual({ hookSpecificOutput: first!.hookSpecificOutput! });
	});

	test("where another session of the project is stopped too, the command names this one", () => {
		tokens(150_000, { sid: "s-2" });
		tokens(150_000);
		const denied = call("Edit", { file_path: join(project, "a.ts") })!;
		expect(denied.hookSpecificOutput!.permissionDecisionReason).toContain(`${LAUNCHER} task resume --session s-1\n`);
	});

	test("the newest measure is told, as long as it is critical", () => {
		tokens(150_000);
		now = new Date(now.getTime() + 1_000);
		tokens(160_000);
		const reason = (): string => call("Edit")!.hookSpecificOutput!.permissionDecisionReason!;
		expect(reason()).toContain("160,000 of 167,000 tokens (95%");
		const marked = readFileSync(sessionPaths(store, "s-1").haltMarker);
		tokens(100_000);
		writeFileSync(sessionPaths(store, "s-1").haltMarker, marked);
		expect(reason()).toContain("150,000 of 167,000 tokens");
	});

	const MEMORY = "/.claude-memory/MEMORY.md";
	test.each([
		["Read", {}, false],
		["Grep", {}, false],
		["Bash", { command: "git status" }, false],
		["Bash", { command: `${LAUNCHER} task checkpoint --did x` }, false],
		["Bash", { command: `${LAUNCHER} memory save "x"` }, false],
		["Write", { file_path: MEMORY }, false],
		["Write", { file_path: "/project/.serena/memories/a.md" }, false],
		["Bash", { command: "npm test" }, true],
		["Bash", { command: `${LAUNCHER} task resume` }, true],
		["Write", {}, true],
		["MultiEdit", {}, true],
		["NotebookEdit", {}, true],
		["Agent", {}, true],
		["mcp__x__y", {}, true],
	])("%s %j is held back: %s", (name, input, held) => {
		tokens(150_000);
		const placed = "file_path" in input ? { file_path: home + input.file_path } : input;
		expect(denied(call(name, placed))).toBe(held);
	});

	test("a checkpoint written while it stands lets one change through, whoever asks", () => {
		tokens(150_000);
		expect(denied(call("Edit"))).toBe(true);
		grantPass(store, "s-1", now);
		call("Read");
		expect(denied(call("Edit"))).toBe(false);
		expect(denied(call("Edit"))).toBe(true);
	});

	test("a person's word lifts it, and ends with the cycle or at its time", () => {
		tokens(150_000);
		resumeWork(store, "s-1", now, null);
		tokens(155_000);
		expect(call("Edit")).toBeNull();
		endCycle(store, "s-1");
		tokens(150_000);
		expect(denied(call("Edit"))).toBe(true);
		resumeWork(store, "s-1", now, new Date(now.getTime() + 60_000));
		tokens(155_000);
		expect(call("Edit")).toBeNull();
		now = new Date(now.getTime() + 61_000);
		tokens(156_000);
		expect(denied(call("Edit"))).toBe(true);
	});

	test("a marker that a late measurement drops after a person's word stops nothing", () => {
		tokens(150_000);
		const text = readFileSync(sessionPaths(store, "s-1").haltMarker, "utf8");
		resumeWork(store, "s-1", now, null);
		writeFileSync(sessionPaths(store, "s-1").haltMarker, text);
		expect(call("Edit")).toBeNull();
		expect(marker()).toBe(false);
	});

	test("a measurement from before the compaction that comes late stops nothing", () => {
		tokens(150_000);
		setCommitted(store, "s-1", {
			key: "precompact_checkpoint_20260101_000000",
			at: new Date(now.getTime() + 5).toISOString(),
			trigger: "auto",
		});
		expect(call("Edit")).toBeNull();
		expect(marker()).toBe(false);
	});

	test.each([
		["torn", '{"at":"2026'],
		["empty", ""],
		["foreign", "[]"],
		["of another shape", '{"at":1,"limit":"x"}'],
	])("a marker that is %s stops nothing and goes away", (_, text) => {
		tokens(150_000);
		writeFileSync(sessionPaths(store, "s-1").haltMarker, text);
		expect(call("Edit")).toBeNull();
		expect(marker()).toBe(false);
	});

	test("a guard that fails is logged and denies nothing", () => {
		tokens(150_000);
		// the pass can't be taken: it is a folder
		mkdirSync(sessionPaths(store, "s-1").changePass, { recursive: true });
		const services = {
			env: { HOME: home },
			root: store,
			config: loadConfig(store).config,
			now,
			launcher: LAUNCHER,
			log: (reason: unknown) => failures.push(reason),
		};
		expect(guarded(() => "inner")({ session_id: "s-1", tool_name: "Edit" }, services)).toBe("inner");
		expect(failures).toHaveLength(1);
	});

	test("a denial leaves the nudge for the next call", () => {
		tokens(150_000);
		const handler = guarded(preToolUse);
		expect(denied(call("Edit", {}, handler))).toBe(true);
		const nudge = call("Read", {}, handler);
		expect(nudge!.hookSpecificOutput!.additionalContext).toMatch(/^ccg nudge/);
		expect(Object.keys(nudge!)).toEqual(["hookSpecificOutput"]);
	});
});

describe("warn, the default", () => {
	test("the user is told once in a cycle, beside the nudge; no decision, and the guard is idle again", () => {
		tokens(150_000);
		const first = call("Edit", {}, guarded(preToolUse))!;
		expect(first.systemMessage).toContain("150,000 of 167,000 tokens");
		expect(Object.keys(first.hookSpecificOutput!)).toEqual(["hookEventName", "additionalContext"]);
		expect(marker()).toBe(false);
		tokens(160_000);
		expect(marker()).toBe(false);
		expect(call("Edit")).toBeNull();
		endCycle(store, "s-1");
		tokens(150_000);
		expect(call("Edit")).toEqual({ systemMessage: expect.stringContaining("ccg guard") });
	});
});

test.each([
	["warn", false],
	["warn", true],
])("%s, to the person, who has no session around: no command that fails (task: %s)", (name, hasTask) => {
	mode(name);
	tokens(150_000);
	if (hasTask) writeFileSync(join(sessionPaths(store, "s-1").folder, "task-state.json"), "{}");
	const text = call("Edit")!.systemMessage!;
	expect(text).not.toContain("held back");
	expect(text).not.toContain("checkpoint");
	expect(text.includes(`${LAUNCHER} task status --session s-1`)).toBe(hasTask);
	expect(text.includes("task")).toBe(hasTask);
});

describe("as installed", () => {
	const guard = (): string => catalog(LAUNCHER).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
	const asHook =
		(tool_name: string, more: object = {}) =>
		() =>
			run(["/bin/sh", "-c", guard()], {
				env: { HOME: home, CLAUDE_CODE_SESSION_ID: "s-1" },
				cwd: project,
				input: { session_id: "s-1", cwd: project, tool_name, tool_input: { file_path: "/x" }, ...more },
			});

	test("of many changes at once, one gets through on one checkpoint", async () => {
		mode("enforce");
		tokens(150_000);
		grantPass(store, "s-1", now);
		const runs = await inBatches(
			Array.from({ length: 24 }, () => asHook("Edit")),
			12,
		);
		expect(new Set(runs.map(({ code, err }) => `${code}${err}`))).toEqual(new Set(["0"]));
		expect(runs.filter(({ out }) => out.includes('"deny"'))).toHaveLength(23);
		expect(runs.filter(({ out }) => out.includes("systemMessage"))).toHaveLength(1);
		expect(linesOf(logPath(store))).toEqual([]);
	});

	test("in warn, one of many tells the user", async () => {
		tokens(150_000);
		dropMarker(store, "s-1", { at: now.toISOString(), tokens: 1, distance: 1, trigger: 2 });
		const runs = await inBatches(
			Array.from({ length: 12 }, () => asHook("Edit")),
			12,
		);
		expect(runs.filter(({ out }) => out.includes("systemMessage"))).toHaveLength(1);
		expect(runs.filter(({ out }) => out.includes("permissionDecision"))).toHaveLength(0);
	});

	test("a subagent is passed over", async () => {
		mode("enforce");
		tokens(150_000);
		expect(await asHook("Edit", { agent_id: "a1" })()).toMatchObject({ code: 0, out: "" });
	});

	test.each([["not json"], [""], ["[]"]])("input %j denies nothing", async (input) => {
		mode("enforce");
		tokens(150_000);
		const ran = await run(["/bin/sh", "-c", guard()], {
			env: { HOME: home, CLAUDE_CODE_SESSION_ID: "s-1" },
			cwd: project,
			input,
		});
		expect(ran).toMatchObject({ code: 0, out: "", err: "" });
	});
});
