import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { initialState } from "../../../src/core/task/task-state.ts";
import { at, write } from "../../kit/task-session.ts";

describe("the startup branch on disk", () => {
	test("nothing there: ensure begins with START, state and summary; a second time goes on", async () => {
		const first = await at.ccg("ensure", "--goal", "port the parser");
		expect(first).toMatchObject({ code: 0, status: "OK", err: "" });
		expect(at.state()).toMatchObject({
			version: 1,
			next_action: "START",
			goal: "port the parser",
			status: "active",
			session_id: "s-1",
		});
		expect(readFileSync(at.latest(), "utf8")).toContain("- port the parser");
		expect(readdirSync(join(at.root, "summaries")).sort()).toEqual([
			"latest-summary.md",
			"summary-20260131-120000-r1.md",
		]);
		const bytes = readFileSync(at.stateFile(), "utf8");
		expect(await at.ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
		expect(readFileSync(at.stateFile(), "utf8")).toBe(bytes);
	});

	test("a summary without its state", async () => {
		write(at.latest(), "# Task summary\n");
		for (const command of ["status", "ensure", "bundle", "complete"])
			expect(await at.ccg(command), command).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
		expect(await at.ccg("checkpoint", "--did", "x")).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
		expect(existsSync(at.stateFile())).toBe(false);
	});

	const STOPPED: [string, (text: string) => string, string][] = [
		["a required field that is missing", (text) => text.replace(/"goal":"[^"]*",/, ""), "goal is missing"],
		["next_action empty", (text) => text.replace('"next_action":"START"', '"next_action":""'), "next_action is empty"],
		["a list that is none", (text) => text.replace('"decisions":[]', '"decisions":"x"'), "decisions is no list"],
		["a newer version", (text) => text.replace('"version":1', '"version":9'), "newer ccg"],
		["another tool's shape", () => '{"phase":"build","touched_files":[],"next_action":"go"}', "another tool"],
	];
	test.each(STOPPED)("%s is stopped at, and the file left as it is", async (_, edit, reason) => {
		await at.ccg("ensure");
		write(at.stateFile(), edit(readFileSync(at.stateFile(), "utf8")));
		const before = readFileSync(at.stateFile(), "utf8");
		for (const args of [["status"], ["ensure"], ["bundle"], ["complete"], ["checkpoint", "--did", "x"]]) {
			const ran = await at.ccg(...args);
			expect(ran, args[0]).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
			expect(ran.out, args[0]).toContain(reason);
		}
		expect(readFileSync(at.stateFile(), "utf8")).toBe(before);
	});

	test.each([
		["empty", ""],
		["cut short", '{"version":1,"goal":"po'],
		["no object", "[]"],
		["not text", "\u0000\u0001"],
	])(
		"a state that is %s is stopped at, until somebody takes the version before; the damaged one is kept",
		async (_, text) => {
			await at.ccg("ensure", "--goal", "port");
			await at.ccg("checkpoint", "--did", "lexer", "--next", "parser");
			await at.ccg("checkpoint", "--did", "parser", "--next", "docs");
			write(at.stateFile(), text);
			const last = readFileSync(`${at.stateFile()}.last`, "utf8");
			for (const args of [["status"], ["ensure"], ["bundle"], ["complete"], ["checkpoint", "--did", "x"], ["ensure"]]) {
				const stopped = await at.ccg(...args, ...(args[0] === "complete" ? [] : ["--pressure", "0.1"]));
				expect(stopped, args[0]).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
				expect(stopped.out, args[0]).toContain(
					`${at.stateFile()}.last, is whole, but may lack what the last checkpoint recorded`,
				);
				expect(stopped.err, args[0]).not.toContain("version before");
				expect(stopped.out, args[0]).toMatch(/task-state\.json\.damaged-\d+/);
				expect(stopped.out, args[0]).toContain('revision 2 of 2026-01-31T12:00:00.000Z, next "parser"');
				expect(stopped.out, args[0]).toContain("ccg task ensure --from-last");
				expect(existsSync(at.stateFile())).toBe(false);
				expect(readFileSync(`${at.stateFile()}.last`, "utf8")).toBe(last);
			}
			const ran = await at.ccg("ensure", "--from-last", "--pressure", "0.1");
			expect(ran).toMatchObject({ code: 0, status: "OK" });
			expect(ran.out).toContain("revision 2, the version before the damaged one, counts now");
			expect(at.state()).toMatchObject({ goal: "port", next_action: "parser", revision: 2 });
			const kept = readdirSync(at.root).find((name) => name.includes(".damaged-"))!;
			expect(readFileSync(join(at.root, kept), "utf8")).toBe(text);
			expect((await at.ccg("status", "--pressure", "0.1")).err).toBe("");
		},
	);

	test("a damaged state can be archived instead, with the version before it", async () => {
		await at.ccg("ensure", "--goal", "port");
		await at.ccg("checkpoint", "--did", "lexer", "--next", "parser");
		write(at.stateFile(), "{");
		const { archived } = JSON.parse((await at.ccg("archive", "--json")).out);
		expect(readdirSync(archived)).toEqual(
			expect.arrayContaining([expect.stringContaining(".damaged-"), "task-state.json.last", "summaries"]),
		);
		expect(await at.ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
	});

	test("a goal fills an empty one; another goal than the task's is told and not taken", async () => {
		await at.ccg("ensure");
		expect((await at.ccg("ensure", "--goal", "port")).out).toContain("goal      port");
		expect(at.state()).toMatchObject({ goal: "port", revision: 2, checkpoint_at: null });
		expect(readFileSync(at.latest(), "utf8")).toContain("- port\n");
		const bytes = readFileSync(at.stateFile(), "utf8");
		const other = await at.ccg("ensure", "--goal", "paint the shed");
		expect(other).toMatchObject({ code: 0, status: "OK" });
		expect(other.out).toContain('the task on disk has another goal: "port"; finish or archive it');
		expect(JSON.parse((await at.ccg("ensure", "--goal", "paint the shed", "--json")).out).note).toContain(
			"another goal",
		);
		expect((await at.ccg("ensure", "--goal", " port ")).out).not.toContain("another goal");
		for (const empty of ["", " "]) expect((await at.ccg("ensure", "--goal", empty)).code).toBe(2);
		expect(readFileSync(at.stateFile(), "utf8")).toBe(bytes);
	});

	test("a damaged state without a version before it stays a stop, until it is archived", async () => {
		write(at.stateFile(), "garbage");
		for (const _ of [1, 2]) expect(await at.ccg("ensure")).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
		expect((await at.ccg("archive")).code).toBe(0);
		expect(await at.ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
	});

	test("the summary is missing", async () => {
		await at.ccg("ensure");
		rmSync(at.latest());
		for (const args of [["status"], ["ensure"], ["bundle"], ["checkpoint", "--did", "x"]])
			expect(await at.ccg(...args), args[0]).toMatchObject({ code: 3, status: "STATUS:MISSING_STATE" });
	});

	test.each([
		["another goal", (text: string) => text.replace("- port", "- delete everything")],
		["empty", () => ""],
		["somebody else's", () => "# Notes\n"],
	])("a summary that conflicts (%s) is rewritten from the state; status only tells", async (_, edit) => {
		await at.ccg("ensure", "--goal", "port");
		const good = readFileSync(at.latest(), "utf8");
		const durable = readFileSync(at.stateFile(), "utf8");
		write(at.latest(), edit(good));
		expect(await at.ccg("status")).toMatchObject({ code: 0, status: "OK" });
		expect(readFileSync(at.latest(), "utf8")).not.toBe(good);
		const ran = await at.ccg("ensure");
		expect(ran).toMatchObject({ code: 0, status: "OK" });
		expect(ran.out).toContain("the task state, which counts");
		expect(readFileSync(at.latest(), "utf8")).toBe(good);
		expect(readFileSync(at.stateFile(), "utf8")).toBe(durable);
	});

	test("a beginning that was cut short is made whole, with its goal", async () => {
		const first = initialState({ task_id: "task-x", session_id: null, goal: "port", at: at.now.toISOString() });
		write(at.stateFile(), JSON.stringify(first));
		expect(await at.ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
		expect(at.state()).toMatchObject({ status: "active", goal: "port", next_action: "START" });
		expect(existsSync(at.latest())).toBe(true);
	});
});
