import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { at, write } from "../../kit/task-session.ts";

describe("checkpoint", () => {
	test("begins a task where none is, records, and says where", async () => {
		const ran = await at.ccg(
			"checkpoint",
			"--did",
			"wrote the lexer",
			"--outcome",
			"12 tests pass",
			"--next",
			"parser",
		);
		expect(ran).toMatchObject({ code: 0, status: "OK" });
		expect(ran.out).toContain(at.stateFile());
		expect(at.state()).toMatchObject({
			next_action: "parser",
			last_action: { summary: "wrote the lexer", outcome: "12 tests pass" },
			revision: 2,
		});
	});

	test("every flag lands in its field", async () => {
		await at.ccg("ensure");
		await at.ccg(
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
		await at.ccg("checkpoint", "--decision", "by hand", "--why", "speed", "--unblock", "review", "--pressure", "0.1");
		expect(at.state()).toMatchObject({
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
		await at.given(
			'{"decisions":["a"],"invariants":["old files stay readable"]}',
			"checkpoint",
			"--file",
			"-",
			"--next",
			"b",
		);
		expect(at.state()).toMatchObject({ decisions: [{ decision: "a" }], next_action: "b" });
		write(join(at.home, "u.json"), '{"phase":"test"}');
		await at.ccg("checkpoint", "--file", join(at.home, "u.json"), "--pressure", "0");
		expect(at.state().current_phase).toBe("test");
	});

	test("--unblock of what is no blocker lists the blockers and writes nothing", async () => {
		await at.ccg("checkpoint", "--blocker", "review by Ann", "--next", "a");
		expect((await at.ccg("status")).out).toContain("blocker   review by Ann");
		const bytes = readFileSync(at.stateFile(), "utf8");
		const ran = await at.ccg("checkpoint", "--did", "x", "--unblock", "review");
		expect(ran).toMatchObject({ code: 1, out: "" });
		expect(ran.err).toContain('"review" matches none of the blockers, which are: "review by Ann". Nothing was written');
		expect(readFileSync(at.stateFile(), "utf8")).toBe(bytes);
		for (const args of [
			["--unblock", "Review  by ann"],
			["--unblock", "all"],
		])
			expect(await at.ccg("checkpoint", ...args, "--pressure", "0")).toMatchObject({ code: 0 });
		expect(at.state().blockers).toEqual([]);
		at.env = { HOME: at.home, CLAUDE_CODE_SESSION_ID: "s-new" };
		expect((await at.ccg("checkpoint", "--unblock", "x")).err).toContain("which are: none");
		expect(existsSync(join(at.store, "sessions", "s-new", "task-state.json"))).toBe(false);
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
		const ran = await at.ccg("checkpoint", ...args);
		expect(ran.code).toBe(2);
		expect(ran.err).toContain(message);
		expect(existsSync(at.stateFile())).toBe(false);
	});

	test.each([
		["{", "--file -: not JSON"],
		["[]", "--file -: must hold one JSON object"],
		['{"nextAction":"x"}', "nextAction: unknown field"],
		['{"next_action":"x"}', "next_action: given by a flag and in --file"],
	])("stdin %s: %s", async (text, message) => {
		const ran = await at.given(text, "checkpoint", "--file", "-", "--next", "y");
		expect(ran.code).toBe(2);
		expect(ran.err).toContain(message);
		expect(existsSync(at.stateFile())).toBe(false);
	});

	const summaries = (): number => readdirSync(join(at.root, "summaries")).length - 1;
	test.each([
		["low pressure", ["--next", "b", "--pressure", "0.54"], 0],
		["from the warning on", ["--next", "b", "--pressure", "0.55"], 1],
		["a new phase", ["--phase", "test", "--pressure", "0"], 1],
		["a new goal", ["--goal", "other", "--pressure", "0"], 1],
		["the same phase", ["--phase", "start", "--pressure", "0"], 0],
	])("a summary is written or not: %s", async (_, args, more) => {
		await at.ccg("ensure", "--goal", "port");
		const before = summaries();
		await at.ccg("checkpoint", ...args);
		expect(summaries() - before).toBe(more);
	});

	test("a conflict rewrites the summary at low pressure too", async () => {
		await at.ccg("ensure", "--goal", "port");
		write(at.latest(), "nonsense");
		await at.ccg("checkpoint", "--next", "b", "--pressure", "0");
		expect(readFileSync(at.latest(), "utf8")).toContain("- port");
	});
});
