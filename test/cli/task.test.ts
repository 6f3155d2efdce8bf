import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { initialState } from "../../src/core/task/task-state.ts";
import { at, file, latest, read, state, task, write } from "./task-session.ts";

describe("the startup branch on disk", () => {
	test("nothing there: ensure begins with START, state and summary; a second time goes on", async () => {
		expect(await task("ensure", "--goal", "port the parser")).toMatchObject({ code: 0, status: "OK", err: "" });
		expect(state()).toMatchObject({
			next_action: "START",
			goal: "port the parser",
			status: "active",
			session_id: "s-1",
		});
		expect(read(latest())).toContain("- port the parser");
		expect(readdirSync(dirname(latest())).sort()).toEqual(["latest-summary.md", "summary-20260131-120000-r1.md"]);
		const bytes = read(file());
		expect(await task("ensure")).toMatchObject({ code: 0, status: "OK" });
		expect(read(file())).toBe(bytes);
	});

	const STOPPED: [string, (text: string) => string, string][] = [
		["a newer version", (text) => text.replace('"version":1', '"version":9'), "newer ccg"],
		["a torn state", () => '{"version":1,"goal":"po', "holds no JSON object"],
	];
	test.each(STOPPED)("%s is stopped at, and the file left as it is", async (_, edit, reason) => {
		await task("ensure");
		write(file(), edit(read(file())));
		const before = read(file());
		for (const args of [
			["status"],
			["ensure"],
			["bundle"],
			["checkpoint", "--complete"],
			["checkpoint", "--did", "x"],
		]) {
			const ran = await task(...args);
			expect(ran, args[0]).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
			expect(ran.out, args[0]).toContain(reason);
		}
		expect(read(file())).toBe(before);
		expect((await task("archive", "--force", "--json")).json.archived).toBe(
			join(at.root, "archive", "20260131-120000"),
		);
		expect(await task("ensure")).toMatchObject({ code: 0, status: "OK" });
	});

	test("a summary alone, a missing summary: stopped at; one that conflicts is rewritten, but not by status", async () => {
		write(latest(), "# Task summary\n");
		expect(await task("ensure")).toMatchObject({ code: 3 });
		rmSync(at.root, { recursive: true });
		await task("ensure", "--goal", "port");
		const good = read(latest());
		rmSync(latest());
		for (const args of [["status"], ["ensure"], ["bundle"]]) expect((await task(...args)).code).toBe(3);
		for (const edit of ["", "# Notes\n", good.replace("- port", "- delete everything")]) {
			write(latest(), edit);
			expect((await task("status")).code).toBe(0);
			expect(read(latest())).toBe(edit);
			expect((await task("ensure")).out).toContain("the task state, which counts");
			expect(read(latest())).toBe(good);
		}
	});

	test("a goal fills an empty one; another goal is told and not taken", async () => {
		await task("ensure");
		expect((await task("ensure", "--goal", "port")).out).toContain("goal      port");
		const bytes = read(file());
		expect((await task("ensure", "--goal", "paint the shed")).out).toContain(
			'another goal: "port"; finish or archive it',
		);
		expect((await task("ensure", "--goal", " port ")).out).not.toContain("another goal");
		expect((await task("ensure", "--goal", " ")).code).toBe(2);
		expect(read(file())).toBe(bytes);
	});

	test("a beginning that was cut short is made whole, with its goal", async () => {
		const first = initialState({ task_id: "task-x", session_id: null, goal: "port", at: at.now.toISOString() });
		write(file(), JSON.stringify(first));
		expect(await task("ensure")).toMatchObject({ code: 0, status: "OK" });
		expect(state()).toMatchObject({ status: "active", goal: "port", next_action: "START" });
	});
});

describe("checkpoint", () => {
	test("begins a task where none is; every flag lands in its field", async () => {
		expect(
			(await task("checkpoint", "--did", "wrote the lexer", "--outcome", "12 tests pass", "--next", "parser")).code,
		).toBe(0);
		await task(
			..."checkpoint --failed regex --why nesting --step lexer --phase build --touched a.ts b.ts".split(" "),
			"--pressure",
			"0",
		);
		await task(..."checkpoint --blocker review --constraint none --pressure 0".split(" "));
		await task(..."checkpoint --decision hand --why speed --unblock review --pressure 0.1".split(" "));
		expect(state()).toMatchObject({
			next_action: "parser",
			last_action: { summary: "wrote the lexer", outcome: "12 tests pass" },
			failed_attempts: [{ attempt: "regex", reason: "nesting" }],
			completed_steps: [{ step: "lexer" }],
			current_phase: "build",
			artifacts: [{ path: "a.ts" }, { path: "b.ts" }],
			constraints: ["none"],
			decisions: [{ decision: "hand", reason: "speed" }],
			blockers: [],
		});
	});

	test("JSON from at.stdin or a file, together with flags", async () => {
		at.stdin = '{"decisions":["a"],"invariants":["old files stay readable"]}';
		await task("checkpoint", "--file", "-", "--next", "b");
		write(join(at.home, "u.json"), '{"phase":"test"}');
		await task("checkpoint", "--file", join(at.home, "u.json"), "--pressure", "0");
		expect(state()).toMatchObject({ decisions: [{ decision: "a" }], next_action: "b", current_phase: "test" });
	});

	test.each([
		["--unblock", "review"],
		["--file", "-"],
	])("%s of what is no blocker lists the blockers and writes nothing", async (...args) => {
		await task("checkpoint", "--blocker", "review by Ann", "--next", "a");
		const bytes = read(file());
		at.stdin = '{"remove":{"blockers":["review"]}}';
		const { code, err } = await task("checkpoint", "--did", "x", ...args);
		expect([code, err]).toEqual([1, expect.stringContaining('which are: "review by Ann". Nothing was written')]);
		expect(read(file())).toBe(bytes);
	});

	test.each<[string[], string, string?]>([
		[["--file", "-"], "--file -: it must hold one JSON object", "{"],
		[["--file", "-"], "nextAction: unknown field", '{"nextAction":"x"}'],
		[["--file", "-", "--next", "y"], "next_action: given by a flag and in --file", '{"next_action":"x"}'],
	])("%j is wrong use, named, and nothing is written", async (args, message, given = "") => {
		at.stdin = given;
		const { code, err } = await task("checkpoint", ...args);
		expect([code, err]).toEqual([2, expect.stringContaining(message)]);
		expect(existsSync(file())).toBe(false);
	});
});

describe("the end of a task", () => {
	test("--complete writes state and summary and ends 0; later commands say so and change nothing; archive makes room", async () => {
		expect(await task("checkpoint", "--complete")).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
		await task("ensure", "--goal", "first");
		expect((await task("archive")).err).toContain("--force archives it as it is");
		expect(await task("checkpoint", "--complete", "--outcome", "all tests pass")).toMatchObject({
			code: 0,
			status: "STATUS:COMPLETE",
		});
		expect(state()).toMatchObject({
			next_action: "DONE",
			status: "complete",
			last_action: { outcome: "all tests pass" },
		});
		const bytes = read(file());
		for (const args of [["status"], ["ensure"], ["bundle"], ["checkpoint", "--did", "x"], []])
			expect(await task(...args), args[0]).toMatchObject({ code: 5, status: "STATUS:COMPLETE" });
		expect((await task("checkpoint", "--complete")).code).toBe(0);
		expect(read(file())).toBe(bytes);
		const { archived } = (await task("archive", "--json")).json;
		expect(read(join(archived, "task-state.json"))).toBe(bytes);
		await task("ensure", "--goal", "second");
		expect(state()).toMatchObject({ goal: "second", revision: 1 });
		// a next action that says so ends it as well
		expect(await task("checkpoint", "--next", "done")).toMatchObject({ code: 5, status: "STATUS:COMPLETE" });
	});
});

test("--json is one object with the status, and the bundle's has exactly its fields", async () => {
	for (const args of [["status"], ["ensure"], ["checkpoint", "--next", "b"]]) {
		const { json, code } = await task(...args, "--json");
		expect([json.state_path, code]).toEqual([file(), { OK: 0, "STATUS:MISSING_STATE": 3 }[json.status as string]]);
	}
	const fields = "goal phase next_action last_successful_action constraints relevant_artifacts".split(" ");
	expect(Object.keys((await task("bundle", "--json", "--pressure", "0")).json)).toEqual(fields);
});
