import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { registerAll } from "../../../src/cli/commands/all.ts";
import { programOf } from "../../../src/cli/program.ts";
import { TOPICS } from "../../../src/cli/support/help-topics.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { COMMANDS } from "../../../src/cli/support/own-name.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";

const ccg = (args: string[], columns = "80") =>
	run([LAUNCHER, ...args], { env: { HOME: scratch("home"), COLUMNS: columns }, cwd: scratch() });

describe("topics", () => {
	test.each(Object.keys(TOPICS))("ccg help %s, in the width of the terminal", async (name) => {
		for (const columns of [40, 80]) {
			const { code, out } = await ccg(["help", name], String(columns));
			expect(code).toBe(0);
			const topic = TOPICS[name]!.text.split("\n").filter((line) => !line.startsWith(" "));
			expect(out.replace(/\s+/g, " ")).toContain(topic[0]!.slice(0, 60));
			// examples stay as they can be typed
			const prose = out
				.split("\n\nUsage:")[0]!
				.split("\n")
				.filter((line) => !line.startsWith("  "));
			for (const line of prose) expect(line.length).toBeLessThanOrEqual(columns);
		}
	});

	test("ccg help and ccg --help list them all", async () => {
		for (const args of [["help"], ["--help"]]) {
			const { out } = await ccg(args);
			for (const [name, { about }] of Object.entries(TOPICS))
				expect(out).toMatch(new RegExp(`^  ${name} +${about}$`, "m"));
		}
	});

	test.each([
		[["help", "task", "checkpoint"], /^Usage: .* task checkpoint/],
		[["help", "report"], /^Usage: .* report/],
		[["help", "checkpoint"], /^Before each compaction/],
		[["help", "memory"], /^Notes are Markdown[\s\S]*\nUsage: .* memory/],
	])("ccg %j", async (args, text) => {
		expect(await ccg(args)).toMatchObject({ code: 0, out: expect.stringMatching(text) });
	});

	test("what is none is wrong use", async () => {
		const { code, out, err } = await ccg(["help", "nonsense"]);
		expect({ code, out }).toEqual({ code: 2, out: "" });
		expect(err).toContain("there is no command and no topic 'nonsense'");
	});

	test("every command a topic names exists", () => {
		const program = programOf(io(), registerAll);
		for (const { text } of Object.values(TOPICS))
			for (const [, line] of text.matchAll(/^ {2}ccg ([a-z ]+)/gm)) {
				let at = program;
				for (const word of line!.trim().split(/ +/)) {
					const next = at.commands.find((one) => one.name() === word);
					if (!next) {
						// what follows is an argument
						expect(at.commands, line).toHaveLength(0);
						break;
					}
					at = next;
				}
				expect(at, line).not.toBe(program);
			}
	});
});

test("ccg version says what --version does", async () => {
	const { out } = await ccg(["version"]);
	expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
	expect((await ccg(["--version"])).out).toBe(out);
});

test("messages know every command of the program", () => {
	const names = programOf(io(), registerAll).commands.map((one) => one.name());
	expect(names.filter((name) => !COMMANDS.includes(name))).toEqual([]);
});

test.each([
	["sessions", 0],
	["profile", 0],
	["task", 1],
])("a bare ccg %s answers, and an unknown verb is wrong use", async (group, code) => {
	const bare = await ccg([group]);
	expect(bare.code).toBe(code);
	expect(bare.err).not.toContain("Usage:");
	expect((await ccg([group, "nonsense"])).code).toBe(2);
});

function io(): Io {
	return { env: {}, launcher: LAUNCHER, colours: {} } as unknown as Io;
}

describe("every command has examples", () => {
	const program = programOf({ env: {}, launcher: LAUNCHER, colours: {} } as unknown as Io, registerAll);
	const all = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...all(one)]);
	const names = all(program).map((one) => [pathOf(one)]);
	test.each(names)("ccg %s", async (name) => {
		const { out } = await ccg([...name.split(" "), "--help"]);
		expect(out).toMatch(/^Examples?:$/m);
	});
});

function pathOf(command: Command): string {
	return command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

test("install --help says where --scope project is refused, and README too", async () => {
	expect((await ccg(["install", "--help"])).out.replace(/\s+/g, " ")).toContain(
		"project is refused inside a git repository",
	);
	expect(readFileSync("README.md", "utf8")).toContain("`project` is refused inside a git repository");
});
