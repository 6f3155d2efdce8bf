import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { registerTask } from "../../../src/cli/commands/task.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { haltRule } from "../../../src/core/halt/halt-text.ts";
import { at, write } from "../../kit/task-session.ts";

describe("the end of a task", () => {
	test.each(["DONE", "complete", " Finish "])("next_action %j ends it", async (next) => {
		await at.ccg("ensure");
		expect(await at.ccg("checkpoint", "--next", next)).toMatchObject({ code: 5, status: "STATUS:COMPLETE" });
		expect(at.state().status).toBe("complete");
	});

	test("complete writes state and summary; later commands say so and change nothing", async () => {
		await at.ccg("ensure");
		expect(await at.ccg("complete", "--outcome", "all tests pass")).toMatchObject({
			code: 0,
			status: "STATUS:COMPLETE",
		});
		expect(at.state()).toMatchObject({
			next_action: "DONE",
			status: "complete",
			last_action: { outcome: "all tests pass" },
		});
		expect(readFileSync(at.latest(), "utf8")).toContain("- DONE");
		const bytes = readFileSync(at.stateFile(), "utf8");
		for (const args of [["status"], ["ensure"], ["bundle"], ["checkpoint", "--did", "x"], []])
			expect(await at.ccg(...args), args[0]).toMatchObject({ code: 5, status: "STATUS:COMPLETE" });
		// what was asked for stands
		expect(await at.ccg("complete")).toMatchObject({ code: 0, status: "STATUS:COMPLETE" });
		expect(readFileSync(at.stateFile(), "utf8")).toBe(bytes);
	});

	test("a person wrote DONE into the file: the final state and summary are written", async () => {
		await at.ccg("ensure");
		write(at.stateFile(), readFileSync(at.stateFile(), "utf8").replace('"START"', '"DONE"'));
		rmSync(at.latest());
		expect(await at.ccg("ensure")).toMatchObject({ code: 5, status: "STATUS:COMPLETE" });
		expect(at.state().status).toBe("complete");
		expect(existsSync(at.latest())).toBe(true);
	});
});

describe("archive", () => {
	test("moves a finished task aside whole, and the next one begins fresh", async () => {
		await at.ccg("ensure", "--goal", "first");
		await at.ccg("complete");
		const bytes = readFileSync(at.stateFile(), "utf8");
		const { archived } = JSON.parse((await at.ccg("archive", "--json")).out);
		expect(archived).toBe(join(at.root, "archive", "20260131-120000"));
		expect(readFileSync(join(archived, "task-state.json"), "utf8")).toBe(bytes);
		expect(existsSync(join(archived, "summaries", "latest-summary.md"))).toBe(true);
		expect(await at.ccg("ensure", "--goal", "second")).toMatchObject({ code: 0 });
		expect(at.state()).toMatchObject({ goal: "second", revision: 1 });
		await at.ccg("complete");
		expect(JSON.parse((await at.ccg("archive", "--json")).out).archived).toBe(`${archived}-2`);
	});

	test("a legacy shape needs it, and keeps its bytes", async () => {
		write(at.stateFile(), '{"phase":"build","next_action":"go on"}\n');
		expect(await at.ccg("ensure")).toMatchObject({ code: 3 });
		const { archived } = JSON.parse((await at.ccg("archive", "--json")).out);
		expect(readFileSync(join(archived, "task-state.json"), "utf8")).toBe('{"phase":"build","next_action":"go on"}\n');
		expect(await at.ccg("ensure")).toMatchObject({ code: 0, status: "OK" });
	});

	test("a task that is not finished only by force; cut short it goes on; nothing is no failure", async () => {
		await at.ccg("ensure");
		const refused = await at.ccg("archive");
		expect(refused).toMatchObject({ code: 1 });
		expect(refused.err).toContain("--force");
		expect((await at.ccg("archive", "--force")).code).toBe(0);
		write(at.latest(), "left behind");
		expect(await at.ccg("ensure")).toMatchObject({ code: 3 });
		expect((await at.ccg("archive")).code).toBe(0);
		expect((await at.ccg("archive")).code).toBe(0);
		expect(await at.ccg("ensure")).toMatchObject({ code: 0 });
	});
});

test("--json is one object with the status, and the bundle's has exactly its fields", async () => {
	for (const args of [["status"], ["ensure"], ["checkpoint", "--next", "b"], ["complete"]]) {
		const { out, code } = await at.ccg(...args, "--json");
		const answer = JSON.parse(out);
		expect(["OK", "STATUS:MISSING_STATE", "STATUS:COMPLETE"]).toContain(answer.status);
		expect(answer.state_path).toBe(at.stateFile());
		expect(code).toBe({ OK: 0, "STATUS:MISSING_STATE": 3, "STATUS:COMPLETE": 0 }[answer.status as string]);
	}
	rmSync(at.root, { recursive: true });
	await at.ccg("ensure");
	expect(Object.keys(JSON.parse((await at.ccg("bundle", "--json")).out)).sort()).toEqual(
		["goal", "phase", "next_action", "last_successful_action", "constraints", "relevant_artifacts"].sort(),
	);
});

test("the skill says the rule of the stop in the words of denial and checkpoint", () => {
	const text = readFileSync("skills/context-guardian/SKILL.md", "utf8");
	const flat = text.replace(/\s+/g, " ");
	for (const sentence of haltRule("enforce").split(/(?<=\.) /)) expect(flat).toContain(sentence);
	for (const word of ["task ensure", "task bundle", "task checkpoint"]) expect(text).toContain(`ccg ${word}`);
	expect(text).toContain("STATUS:HALT_CONTEXT_LIMIT");
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
