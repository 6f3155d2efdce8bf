import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Command } from "commander";
import pc from "picocolors";
import { beforeEach, describe, expect, test } from "vitest";
import { registerTask } from "../../../src/cli/commands/task.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { haltRule } from "../../../src/core/halt/halt-text.ts";
import { initialState } from "../../../src/core/task/task-state.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { dropHalt, takePass } from "../../../src/store/pressure/halt.ts";
import { writeUsage } from "../../../src/store/pressure/usage-record.ts";
import { setCommitted } from "../../../src/store/recovery/pending.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { LAUNCHER } from "../../events/run-entry.ts";
import { usage } from "../../kit/usage.ts";
import { scratch } from "../../scratch-home.ts";

let home: string;
let store: string;
let root: string;
let now: Date;
let env: Record<string, string>;

beforeEach(() => {
	home = scratch("task");
	store = join(home, ".claude-memory");
	root = join(store, "sessions", "s-1");
	now = new Date("2026-01-31T12:00:00.000Z");
	env = { HOME: home, CLAUDE_CODE_SESSION_ID: "s-1" };
});

interface Ran {
	code: number;
	out: string;
	err: string;
	/** The first line. */
	status: string;
}

async function ccg(...args: string[]): Promise<Ran> {
	return given("", ...args);
}

async function given(stdin: string, ...args: string[]): Promise<Ran> {
	const out: string[] = [];
	const err: string[] = [];
	let code = 0;
	const io: Io = {
		env,
		cwd: home,
		launcher: LAUNCHER,
		interactive: false,
		colours: pc.createColors(false),
		out: (line) => out.push(line),
		err: (line) => err.push(line),
		exit: (to) => {
			code = to;
		},
	};
	const program = new Command("ccg").exitOverride().configureOutput({ writeErr: (line) => err.push(line) });
	registerTask(program, io, { clock: () => now, stdin: () => stdin });
	// as the program's main does it
	await program.parseAsync(["task", ...args], { from: "user" }).catch((error: Error & { exitCode?: number }) => {
		code = error.exitCode ?? 1;
		if (error.exitCode === undefined) err.push(error.message);
	});
	return { code, out: out.join("\n"), err: err.join("\n"), status: out[0] ?? "" };
}

/** A measurement of the session, as a share of a trigger of 100,000. */
function pressure(share: number | null, at = now, session = "s-1"): void {
	writeUsage(sessionAt(store, session), {
		at: at.toISOString(),
		source: "transcript",
		model: "claude-sonnet-4-6",
		claudeVersion: null,
		cwd: home,
		projectDir: "",
		transcriptPath: "",
		tokens: share === null ? null : share * 100_000,
		window: 133_000,
		trigger: 100_000,
		why: "formula",
		distance: null,
		zone: "calm",
	});
}

/** A session that was measured in a folder. */
function inProject(sid: string, folder: string, at: Date): void {
	mkdirSync(folder, { recursive: true });
	writeUsage(sessionAt(store, sid), usage({ cwd: folder, projectDir: folder, at: at.toISOString(), tokens: null }));
}

const stateFile = (): string => join(root, "task-state.json");
const latest = (): string => join(root, "summaries", "latest-summary.md");
const state = () => JSON.parse(readFileSync(stateFile(), "utf8"));
const write = (path: string, text: string): void => {
	mkdirSync(join(path, ".."), { recursive: true });
	writeFileSync(path, text);
};

describe("the startup branch on disk", () => {
	test("nothing there: ensure begins with START, state and summary; a second time goes on", async () => {
		const first = await ccg("ensure", "--goal", "port the parser");
		expect(first).toMatchObject({ code: 0, status: "OK", err: "" });
		expect(state()).toMatchObject({
			version: 1,
			next_action: "START",
			goal: "port the parser",
			status: "active",
			session_id: "s-1",
		});
		expect(readFileSync(latest(), "utf8")).toContain("- port the parser");
		expect(readdirSync(join(root, "summaries")).sort()).toEqual(["latest-summary.md", "summary-20260131-120000-r1.md"]);
		const bytes = readFileSync(stateFile(), "utf8");
		expect(await ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
		expect(readFileSync(stateFile(), "utf8")).toBe(bytes);
	});

	test("a summary without its state", async () => {
		write(latest(), "# Task summary\n");
		for (const command of ["status", "ensure", "bundle", "complete"])
			expect(await ccg(command), command).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
		expect(await ccg("checkpoint", "--did", "x")).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
		expect(existsSync(stateFile())).toBe(false);
	});

	const STOPPED: [string, (text: string) => string, string][] = [
		["a required field that is missing", (text) => text.replace(/"goal":"[^"]*",/, ""), "goal is missing"],
		["next_action empty", (text) => text.replace('"next_action":"START"', '"next_action":""'), "next_action is empty"],
		["a list that is none", (text) => text.replace('"decisions":[]', '"decisions":"x"'), "decisions is no list"],
		["a newer version", (text) => text.replace('"version":1', '"version":9'), "newer ccg"],
		["another tool's shape", () => '{"phase":"build","touched_files":[],"next_action":"go"}', "another tool"],
	];
	test.each(STOPPED)("%s is stopped at, and the file left as it is", async (_, edit, reason) => {
		await ccg("ensure");
		write(stateFile(), edit(readFileSync(stateFile(), "utf8")));
		const before = readFileSync(stateFile(), "utf8");
		for (const args of [["status"], ["ensure"], ["bundle"], ["complete"], ["checkpoint", "--did", "x"]]) {
			const ran = await ccg(...args);
			expect(ran, args[0]).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
			expect(ran.out, args[0]).toContain(reason);
		}
		expect(readFileSync(stateFile(), "utf8")).toBe(before);
	});

	test.each([
		["empty", ""],
		["cut short", '{"version":1,"goal":"po'],
		["no object", "[]"],
		["not text", "\u0000\u0001"],
	])(
		"a state that is %s is stopped at, until somebody takes the version before; the damaged one is kept",
		async (_, text) => {
			await ccg("ensure", "--goal", "port");
			await ccg("checkpoint", "--did", "lexer", "--next", "parser");
			await ccg("checkpoint", "--did", "parser", "--next", "docs");
			write(stateFile(), text);
			const last = readFileSync(`${stateFile()}.last`, "utf8");
			for (const args of [["status"], ["ensure"], ["bundle"], ["complete"], ["checkpoint", "--did", "x"], ["ensure"]]) {
				const stopped = await ccg(...args, ...(args[0] === "complete" ? [] : ["--pressure", "0.1"]));
				expect(stopped, args[0]).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
				expect(stopped.out, args[0]).toContain(
					`${stateFile()}.last, is whole, but may lack what the last checkpoint recorded`,
				);
				expect(stopped.err, args[0]).not.toContain("version before");
				expect(stopped.out, args[0]).toMatch(/task-state\.json\.damaged-\d+/);
				expect(stopped.out, args[0]).toContain('revision 2 of 2026-01-31T12:00:00.000Z, next "parser"');
				expect(stopped.out, args[0]).toContain("ccg task ensure --from-last");
				expect(existsSync(stateFile())).toBe(false);
				expect(readFileSync(`${stateFile()}.last`, "utf8")).toBe(last);
			}
			const ran = await ccg("ensure", "--from-last", "--pressure", "0.1");
			expect(ran).toMatchObject({ code: 0, status: "OK" });
			expect(ran.out).toContain("revision 2, the version before the damaged one, counts now");
			expect(state()).toMatchObject({ goal: "port", next_action: "parser", revision: 2 });
			const kept = readdirSync(root).find((name) => name.includes(".damaged-"))!;
			expect(readFileSync(join(root, kept), "utf8")).toBe(text);
			expect((await ccg("status", "--pressure", "0.1")).err).toBe("");
		},
	);

	test("a damaged state can be archived instead, with the version before it", async () => {
		await ccg("ensure", "--goal", "port");
		await ccg("checkpoint", "--did", "lexer", "--next", "parser");
		write(stateFile(), "{");
		const { archived } = JSON.parse((await ccg("archive", "--json")).out);
		expect(readdirSync(archived)).toEqual(
			expect.arrayContaining([expect.stringContaining(".damaged-"), "task-state.json.last", "summaries"]),
		);
		expect(await ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
	});

	test("a goal fills an empty one; another goal than the task's is told and not taken", async () => {
		await ccg("ensure");
		expect((await ccg("ensure", "--goal", "port")).out).toContain("goal      port");
		expect(state()).toMatchObject({ goal: "port", revision: 2, checkpoint_at: null });
		expect(readFileSync(latest(), "utf8")).toContain("- port\n");
		const bytes = readFileSync(stateFile(), "utf8");
		const other = await ccg("ensure", "--goal", "paint the shed");
		expect(other).toMatchObject({ code: 0, status: "OK" });
		expect(other.out).toContain('the task on disk has another goal: "port"; finish or archive it');
		expect(JSON.parse((await ccg("ensure", "--goal", "paint the shed", "--json")).out).note).toContain("another goal");
		expect((await ccg("ensure", "--goal", " port ")).out).not.toContain("another goal");
		for (const empty of ["", " "]) expect((await ccg("ensure", "--goal", empty)).code).toBe(2);
		expect(readFileSync(stateFile(), "utf8")).toBe(bytes);
	});

	test("a damaged state without a version before it stays a stop, until it is archived", async () => {
		write(stateFile(), "garbage");
		for (const _ of [1, 2]) expect(await ccg("ensure")).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
		expect((await ccg("archive")).code).toBe(0);
		expect(await ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
	});

	test("the summary is missing", async () => {
		await ccg("ensure");
		rmSync(latest());
		for (const args of [["status"], ["ensure"], ["bundle"], ["checkpoint", "--did", "x"]])
			expect(await ccg(...args), args[0]).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
	});

	test.each([
		["another goal", (text: string) => text.replace("- port", "- delete everything")],
		["empty", () => ""],
		["somebody else's", () => "# Notes\n"],
	])("a summary that conflicts (%s) is rewritten from the state; status only tells", async (_, edit) => {
		await ccg("ensure", "--goal", "port");
		const good = readFileSync(latest(), "utf8");
		const durable = readFileSync(stateFile(), "utf8");
		write(latest(), edit(good));
		expect(await ccg("status")).toMatchObject({ code: 0, status: "OK" });
		expect(readFileSync(latest(), "utf8")).not.toBe(good);
		const ran = await ccg("ensure");
		expect(ran).toMatchObject({ code: 0, status: "OK" });
		expect(ran.out).toContain("the task state, which counts");
		expect(readFileSync(latest(), "utf8")).toBe(good);
		expect(readFileSync(stateFile(), "utf8")).toBe(durable);
	});

	test("a beginning that was cut short is made whole, with its goal", async () => {
		const first = initialState({ task_id: "task-x", session_id: null, goal: "port", at: now.toISOString() });
		write(stateFile(), JSON.stringify(first));
		expect(await ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
		expect(state()).toMatchObject({ status: "active", goal: "port", next_action: "START" });
		expect(existsSync(latest())).toBe(true);
	});
});

describe("checkpoint", () => {
	test("begins a task where none is, records, and says where", async () => {
		const ran = await ccg("checkpoint", "--did", "wrote the lexer", "--outcome", "12 tests pass", "--next", "parser");
		expect(ran).toMatchObject({ code: 0, status: "OK" });
		expect(ran.out).toContain(stateFile());
		expect(state()).toMatchObject({
			next_action: "parser",
			last_action: { summary: "wrote the lexer", outcome: "12 tests pass" },
			revision: 2,
		});
	});

	test("every flag lands in its field", async () => {
		await ccg("ensure");
		await ccg(
			"checkpoint",
			"--failed",
			"regex",
			"--why",
			"nesting",
			"--step",
			"lexer",
			"--phase",
			"build",
			"--touched",
			"a.ts",
			"b.ts",
			"--blocker",
			"review",
			"--constraint",
			"no deps",
		);
		await ccg("checkpoint", "--decision", "by hand", "--why", "speed", "--unblock", "review", "--pressure", "0.1");
		expect(state()).toMatchObject({
			failed_attempts: [{ attempt: "regex", reason: "nesting" }],
			completed_steps: [{ step: "lexer" }],
			current_phase: "build",
			artifacts: [{ path: "a.ts" }, { path: "b.ts" }],
			constraints: ["no deps"],
			decisions: [{ decision: "by hand", reason: "speed" }],
			blockers: [],
			status: "active",
		});
	});

	test("JSON from stdin or a file, together with flags", async () => {
		await given(
			'{"decisions":["a"],"invariants":["old files stay readable"]}',
			"checkpoint",
			"--file",
			"-",
			"--next",
			"b",
		);
		expect(state()).toMatchObject({ decisions: [{ decision: "a" }], next_action: "b" });
		write(join(home, "u.json"), '{"phase":"test"}');
		await ccg("checkpoint", "--file", join(home, "u.json"), "--pressure", "0");
		expect(state().current_phase).toBe("test");
	});

	test("--unblock of what is no blocker lists the blockers and writes nothing", async () => {
		await ccg("checkpoint", "--blocker", "review by Ann", "--next", "a");
		expect((await ccg("status")).out).toContain("blocker   review by Ann");
		const bytes = readFileSync(stateFile(), "utf8");
		const ran = await ccg("checkpoint", "--did", "x", "--unblock", "review");
		expect(ran).toMatchObject({ code: 1, out: "" });
		expect(ran.err).toContain('"review" matches none of the blockers, which are: "review by Ann". Nothing was written');
		expect(readFileSync(stateFile(), "utf8")).toBe(bytes);
		for (const args of [
			["--unblock", "Review  by ann"],
			["--unblock", "all"],
		])
			expect(await ccg("checkpoint", ...args, "--pressure", "0")).toMatchObject({ code: 0 });
		expect(state().blockers).toEqual([]);
		env = { HOME: home, CLAUDE_CODE_SESSION_ID: "s-new" };
		expect((await ccg("checkpoint", "--unblock", "x")).err).toContain("which are: none");
		expect(existsSync(join(store, "sessions", "s-new", "task-state.json"))).toBe(false);
	});

	test.each([
		[[], "nothing to record"],
		[["--outcome", "x"], "--outcome: says what came of --did"],
		[["--why", "x"], "--why: is the reason of"],
		[["--did", ""], "last_action: summary must be a text that is not empty"],
		[["--file", "no-such-file"], "--file no-such-file: can't be read"],
		[["--next", "x", "--pressure", "1.2"], "must be a number from 0.0 to 1.0"],
		[["--next", "x", "--pressure", ""], "must be a number from 0.0 to 1.0"],
		[["--did"], "--did"],
		[["--nonsense"], "--nonsense"],
	])("%j is wrong use, named, and nothing is written", async (args, message) => {
		const ran = await ccg("checkpoint", ...args);
		expect(ran.code).toBe(2);
		expect(ran.err).toContain(message);
		expect(existsSync(stateFile())).toBe(false);
	});

	test.each([
		["{", "--file -: not JSON"],
		["[]", "--file -: must hold one JSON object"],
		['{"nextAction":"x"}', "nextAction: unknown field"],
		['{"next_action":"x"}', "next_action: given by a flag and in --file"],
	])("stdin %s: %s", async (text, message) => {
		const ran = await given(text, "checkpoint", "--file", "-", "--next", "y");
		expect(ran.code).toBe(2);
		expect(ran.err).toContain(message);
		expect(existsSync(stateFile())).toBe(false);
	});

	const summaries = (): number => readdirSync(join(root, "summaries")).length - 1;
	test.each([
		["low pressure", ["--next", "b", "--pressure", "0.54"], 0],
		["from the warning on", ["--next", "b", "--pressure", "0.55"], 1],
		["a new phase", ["--phase", "test", "--pressure", "0"], 1],
		["a new goal", ["--goal", "other", "--pressure", "0"], 1],
		["the same phase", ["--phase", "start", "--pressure", "0"], 0],
	])("a summary is written or not: %s", async (_, args, more) => {
		await ccg("ensure", "--goal", "port");
		const before = summaries();
		await ccg("checkpoint", ...args);
		expect(summaries() - before).toBe(more);
	});

	test("a conflict rewrites the summary at low pressure too", async () => {
		await ccg("ensure", "--goal", "port");
		write(latest(), "nonsense");
		await ccg("checkpoint", "--next", "b", "--pressure", "0");
		expect(readFileSync(latest(), "utf8")).toContain("- port");
	});
});

describe("pressure", () => {
	test("measured by ccg, for the session this runs in", async () => {
		await ccg("ensure");
		pressure(0.6);
		expect((await ccg("status")).out).toContain("pressure  0.60 warning (measured)");
		pressure(0.9);
		expect(await ccg("status")).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(await ccg("bundle")).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(await ccg("status", "--pressure", "0.5")).toMatchObject({ code: 0 });
	});

	test("missing: 0.0 in the first turn, critical after the first checkpoint", async () => {
		expect((await ccg("ensure")).out).toContain("0.00 normal (first turn)");
		expect(await ccg("checkpoint", "--next", "b")).toMatchObject({ code: 0 });
		const ran = await ccg("checkpoint", "--next", "c");
		expect(ran).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(ran.out).toContain("missing after the first turn");
		for (const { out } of [ran, await ccg("status"), await ccg("ensure")]) {
			expect(out).toContain("was never measured");
			expect(out).toContain(`\`${LAUNCHER} doctor\``);
			expect(out).not.toContain("the pressure is critical");
		}
		// the halt rule writes before it stops
		expect(state().next_action).toBe("c");
		expect(readFileSync(latest(), "utf8")).toContain("- c\n");
	});

	test("what was measured before a compaction does not count after it", async () => {
		await ccg("ensure");
		await ccg("checkpoint", "--next", "b");
		pressure(0.95);
		setCommitted(sessionAt(store, "s-1"), {
			key: "precompact_checkpoint_20260101_000000",
			at: new Date(now.getTime() + 1_000).toISOString(),
			trigger: "auto",
		});
		expect((await ccg("status")).out).toContain("0.00 normal (not measured since the compaction)");
		pressure(0.9, new Date(now.getTime() + 2_000));
		expect((await ccg("status")).code).toBe(4);
	});

	test("thresholds come from the configuration; wrong ones do not count", async () => {
		await ccg("ensure");
		pressure(0.5);
		write(join(store, "config.json"), '{"task":{"warn":0.2,"compress":0.3,"critical":0.4}}');
		expect((await ccg("status")).code).toBe(4);
		write(join(store, "config.json"), '{"task":{"warn":0.9,"critical":0.4}}');
		expect((await ccg("status")).code).toBe(0);
	});

	test("from compress on, ensure and bundle bring a summary that is behind up to date", async () => {
		for (const command of ["ensure", "bundle"]) {
			await ccg("checkpoint", "--next", `before ${command}`, "--pressure", "0");
			const behind = readFileSync(latest(), "utf8");
			await ccg(command, "--pressure", "0.69");
			expect(readFileSync(latest(), "utf8")).toBe(behind);
			await ccg(command, "--pressure", "0.7");
			expect(readFileSync(latest(), "utf8")).toContain(`- before ${command}\n`);
		}
	});
});

describe("the end of a task", () => {
	test.each(["DONE", "complete", " Finish "])("next_action %j ends it", async (next) => {
		await ccg("ensure");
		expect(await ccg("checkpoint", "--next", next)).toMatchObject({ code: 5, status: "STATUS:COMPLETE" });
		expect(state().status).toBe("complete");
	});

	test("complete writes state and summary; later commands say so and change nothing", async () => {
		await ccg("ensure");
		expect(await ccg("complete", "--outcome", "all tests pass")).toMatchObject({ code: 0, status: "STATUS:COMPLETE" });
		expect(state()).toMatchObject({
			next_action: "DONE",
			status: "complete",
			last_action: { outcome: "all tests pass" },
		});
		expect(readFileSync(latest(), "utf8")).toContain("- DONE");
		const bytes = readFileSync(stateFile(), "utf8");
		for (const args of [["status"], ["ensure"], ["bundle"], ["checkpoint", "--did", "x"], []])
			expect(await ccg(...args), args[0]).toMatchObject({ code: 5, status: "STATUS:COMPLETE" });
		// what was asked for stands
		expect(await ccg("complete")).toMatchObject({ code: 0, status: "STATUS:COMPLETE" });
		expect(readFileSync(stateFile(), "utf8")).toBe(bytes);
	});

	test("a person wrote DONE into the file: the final state and summary are written", async () => {
		await ccg("ensure");
		write(stateFile(), readFileSync(stateFile(), "utf8").replace('"START"', '"DONE"'));
		rmSync(latest());
		expect(await ccg("ensure")).toMatchObject({ code: 5, status: "STATUS:COMPLETE" });
		expect(state().status).toBe("complete");
		expect(existsSync(latest())).toBe(true);
	});
});

describe("archive", () => {
	test("moves a finished task aside whole, and the next one begins fresh", async () => {
		await ccg("ensure", "--goal", "first");
		await ccg("complete");
		const bytes = readFileSync(stateFile(), "utf8");
		const { archived } = JSON.parse((await ccg("archive", "--json")).out);
		expect(archived).toBe(join(root, "archive", "20260131-120000"));
		expect(readFileSync(join(archived, "task-state.json"), "utf8")).toBe(bytes);
		expect(existsSync(join(archived, "summaries", "latest-summary.md"))).toBe(true);
		expect(await ccg("ensure", "--goal", "second")).toMatchObject({ code: 0 });
		expect(state()).toMatchObject({ goal: "second", revision: 1 });
		await ccg("complete");
		expect(JSON.parse((await ccg("archive", "--json")).out).archived).toBe(`${archived}-2`);
	});

	test("a legacy shape needs it, and keeps its bytes", async () => {
		write(stateFile(), '{"phase":"build","next_action":"go on"}\n');
		expect(await ccg("ensure")).toMatchObject({ code: 3 });
		const { archived } = JSON.parse((await ccg("archive", "--json")).out);
		expect(readFileSync(join(archived, "task-state.json"), "utf8")).toBe('{"phase":"build","next_action":"go on"}\n');
		expect(await ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
	});

	test("a task that is not finished only by force; cut short it goes on; nothing is no failure", async () => {
		await ccg("ensure");
		const refused = await ccg("archive");
		expect(refused).toMatchObject({ code: 1 });
		expect(refused.err).toContain("--force");
		expect((await ccg("archive", "--force")).code).toBe(0);
		write(latest(), "left behind");
		expect(await ccg("ensure")).toMatchObject({ code: 3 });
		expect((await ccg("archive")).code).toBe(0);
		expect((await ccg("archive")).code).toBe(0);
		expect(await ccg("ensure")).toMatchObject({ code: 0 });
	});
});

describe("where the task is", () => {
	test("CCG_TASK_ROOT, with or without a session", async () => {
		env = { HOME: home, CCG_TASK_ROOT: join(home, "my tasks") };
		expect(await ccg("ensure")).toMatchObject({ code: 0, err: "" });
		expect(existsSync(join(home, "my tasks", "summaries", "latest-summary.md"))).toBe(true);
		expect(existsSync(store)).toBe(false);
		await ccg("checkpoint", "--next", "b");
		pressure(0.3);
		expect((await ccg("status")).code).toBe(4);
		env.CLAUDE_CODE_SESSION_ID = "s-1";
		expect((await ccg("status")).out).toContain("0.30 normal (measured)");
	});

	test("--session over the environment, --store over CCG_HOME", async () => {
		mkdirSync(join(home, "other", "sessions", "s-2"), { recursive: true });
		await ccg("ensure", "--session", "s-2", "--store", join(home, "other"));
		expect(existsSync(join(home, "other", "sessions", "s-2", "task-state.json"))).toBe(true);
	});

	test("a session nobody knows is refused, unless this runs in it or the task has a folder of its own", async () => {
		for (const args of [["ensure"], ["status"], ["checkpoint", "--did", "x"]]) {
			const ran = await ccg(...args, "--session", "s-typo");
			expect(ran, args[0]).toMatchObject({ code: 1, out: "" });
			expect(ran.err).toContain(`no session s-typo in ${store}; 'ccg status --all' lists those known`);
		}
		expect(existsSync(join(store, "sessions", "s-typo"))).toBe(false);
		expect(await ccg("ensure", "--session", "s-1")).toMatchObject({ code: 0, status: "OK" });
		env.CCG_TASK_ROOT = join(home, "tasks");
		expect(await ccg("ensure", "--session", "s-typo")).toMatchObject({ code: 0, status: "OK" });
	});

	test("--session that is no session id is wrong use", async () => {
		const ran = await ccg("status", "--session", "../../x");
		expect(ran.code).toBe(2);
		expect(ran.err).toContain("a session id has");
	});

	test("the session of this project seen last, which is said", async () => {
		pressure(0.1, new Date(now.getTime() - 60_000), "s-old");
		pressure(0.1, now, "s-new");
		inProject("s-other", scratch("other"), new Date(now.getTime() + 60_000));
		env = { HOME: home };
		const ran = await ccg("ensure");
		expect(ran.err).toContain("s-new");
		expect(existsSync(join(store, "sessions", "s-new", "task-state.json"))).toBe(true);
	});

	test("never a session of another project", async () => {
		const other = scratch("other");
		inProject("s-other", other, now);
		env = { HOME: home };
		for (const args of [["status"], ["ensure"], ["checkpoint", "--did", "x"], ["bundle"], ["archive"], ["resume"]]) {
			const ran = await ccg(...args);
			expect(ran, args[0]).toMatchObject({ code: 1, out: "" });
			expect(ran.err, args[0]).toContain("no session is known of this project");
			expect(ran.err, args[0]).toContain("--session ID");
			expect(ran.err, args[0]).toContain("ccg sessions list");
		}
		expect(existsSync(join(store, "sessions", "s-other", "task-state.json"))).toBe(false);
		expect(await ccg("ensure", "--session", "s-other")).toMatchObject({ code: 0, status: "OK" });
	});

	test.each([
		[{}, ["status"], "CCG_TASK_ROOT"],
		[{ HOME: "/no/such/home" }, ["status"], "no session is known"],
	])("else an error that says what to set: %j %j", async (other, args, message) => {
		env = other;
		const ran = await ccg(...args);
		expect(ran.code).toBe(1);
		expect(ran.err).toContain(message);
	});
});

describe("the stop", () => {
	const halt = (): void =>
		dropHalt(
			sessionAt(store, "s-1"),
			"enforce",
			{ at: now.toISOString(), tokens: 90_000, limit: 100_000, critical: 0.85 },
			now,
		);

	test("a checkpoint while it stands lets one change through; one before it does not", async () => {
		pressure(0.9);
		await ccg("checkpoint", "--next", "a");
		expect(takePass(sessionAt(store, "s-1"))).toBe(false);
		halt();
		const ran = await ccg("checkpoint", "--next", "b");
		expect(ran).toMatchObject({ code: 4, status: "STATUS:HALT_CONTEXT_LIMIT" });
		expect(takePass(sessionAt(store, "s-1"))).toBe(true);
		expect(ran.out).toContain(haltRule("warn"));
		write(join(store, "config.json"), '{"guard":{"mode":"enforce"}}');
		for (const args of [["status"], ["ensure"], ["bundle"]]) {
			const { out, status } = await ccg(...args);
			expect(status, args[0]).toBe("STATUS:HALT_CONTEXT_LIMIT");
			expect(out, args[0]).toContain(`the pressure is critical (from 0.85). ${haltRule("enforce")}`);
		}
		await ccg("checkpoint");
		expect(takePass(sessionAt(store, "s-1"))).toBe(false);
	});

	test("a person lifts it, until the next compaction or for a time", async () => {
		env = { HOME: home };
		pressure(0.9);
		await ccg("ensure", "--session", "s-1");
		halt();
		expect((await ccg("status")).code).toBe(4);
		expect(await ccg("resume", "--session", "s-1")).toMatchObject({ code: 0 });
		expect(existsSync(sessionPaths(store, "s-1").haltMarker)).toBe(false);
		expect((await ccg("status")).out).toContain("lifted by a person until the next compaction");
		expect(await ccg("checkpoint", "--next", "b")).toMatchObject({ code: 0, status: "OK" });
		expect(JSON.parse((await ccg("resume", "--for", "30m", "--json")).out)).toEqual({
			session_id: "s-1",
			until: "2026-01-31T12:30:00.000Z",
			stood: false,
		});
		now = new Date(now.getTime() + 29 * 60_000);
		expect((await ccg("status")).code).toBe(0);
		now = new Date(now.getTime() + 60_000);
		expect((await ccg("status")).code).toBe(4);
	});

	test("'resume' alone lifts the only stop of the project, and asks where there are several", async () => {
		env = { HOME: home };
		const stopped = (sid: string, folder: string): void => {
			inProject(sid, folder, now);
			dropHalt(
				sessionAt(store, sid),
				"enforce",
				{ at: now.toISOString(), tokens: 150, limit: 167, critical: 0.85 },
				now,
			);
		};
		const stands = (sid: string): boolean => existsSync(sessionPaths(store, sid).haltMarker);
		stopped("here", home);
		now = new Date(now.getTime() + 60_000);
		// seen last, and in another project
		stopped("other", join(home, "p"));
		expect(await ccg("resume")).toMatchObject({
			code: 0,
			out: `session here of project ${basename(home)} (${home}) goes on until the next compaction`,
			err: "",
		});
		expect([stands("here"), stands("other")]).toEqual([false, true]);
		// in no project of its own the only one there is
		expect((await ccg("resume")).out).toContain(`session other of project p (${join(home, "p")}) goes on`);
		for (const sid of ["a", "b"]) stopped(sid, home);
		rmSync(sessionPaths(store, "here").resumed);
		const several = await ccg("resume");
		expect(several.code).toBe(1);
		expect(several.err).toContain(`${LAUNCHER} task resume --session a   # ${home}`);
		expect([stands("a"), stands("b")]).toEqual([true, true]);
	});

	test("an agent can't", async () => {
		env.CLAUDECODE = "1";
		const ran = await ccg("resume");
		expect(ran.code).toBe(1);
		expect(ran.err).toContain("outside Claude Code");
		expect(existsSync(sessionPaths(store, "s-1").resumed)).toBe(false);
	});

	test.each(["30", "0m", "1d", "-5m", ""])("--for %j is wrong use", async (time) => {
		env = { HOME: home };
		expect((await ccg("resume", "--session", "s-1", "--for", time)).code).toBe(2);
	});
});

test("--json is one object with the status, and the bundle's has exactly its fields", async () => {
	for (const args of [["status"], ["ensure"], ["checkpoint", "--next", "b"], ["complete"]]) {
		const { out, code } = await ccg(...args, "--json");
		const answer = JSON.parse(out);
		expect(["OK", "STATUS:MISSING_STATE", "STATUS:COMPLETE"]).toContain(answer.status);
		expect(answer.state_path).toBe(stateFile());
		expect(code).toBe({ OK: 0, "STATUS:MISSING_STATE": 3, "STATUS:COMPLETE": 0 }[answer.status as string]);
	}
	rmSync(root, { recursive: true });
	await ccg("ensure");
	expect(Object.keys(JSON.parse((await ccg("bundle", "--json")).out)).sort()).toEqual(
		["goal", "phase", "next_action", "last_successful_action", "constraints", "relevant_artifacts"].sort(),
	);
});

test("the skill is printed, and its file named", async () => {
	const { out } = await ccg("skill");
	expect(out).toMatch(/^---\nname: context-guardian\ndescription: /);
	// the rule of the stop in the words of denial and checkpoint
	const flat = out.replace(/\s+/g, " ");
	for (const sentence of haltRule("enforce").split(/(?<=\.) /)) expect(flat).toContain(sentence);
	for (const word of ["task ensure", "task bundle", "task checkpoint"]) expect(out).toContain(`${LAUNCHER} ${word}`);
	expect(out).toContain("STATUS:HALT_CONTEXT_LIMIT");
	const file = readFileSync((await ccg("skill", "--path")).out, "utf8").trimEnd();
	expect(out.replaceAll(`${LAUNCHER} `, "ccg ")).toBe(file);
});

test("every command has help with examples and the exit codes", async () => {
	for (const command of ["status", "ensure", "checkpoint", "bundle", "complete", "archive", "resume"]) {
		const help = new Command("ccg").exitOverride();
		let text = "";
		help.configureOutput({
			writeOut: (line) => {
				text += line;
			},
		});
		registerTask(help, {} as Io);
		expect(() => help.parse(["task", command, "--help"], { from: "user" })).toThrow();
		expect(text, command).toContain("Examples:\n  ccg task");
		expect(text, command).toContain("4 STATUS:HALT_CONTEXT_LIMIT");
	}
});
