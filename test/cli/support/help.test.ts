import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { registerAll } from "../../../src/cli/commands/all.ts";
import { programOf } from "../../../src/cli/program.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { COMMANDS } from "../../../src/cli/support/own-name.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";

const ccg = (args: string[], columns = "80") =>
	run([LAUNCHER, ...args], { env: { HOME: scratch("home"), COLUMNS: columns }, cwd: scratch() });

test.each([
	[["help"], /^Usage: /],
	[["help", "task", "checkpoint"], /^Usage: .* task checkpoint/],
	[["help", "report"], /^Usage: .* report/],
])("ccg %j", async (args, text) => {
	expect(await ccg(args)).toMatchObject({ code: 0, out: expect.stringMatching(text) });
});

test("what is no command is wrong use", async () => {
	const { code, out, err } = await ccg(["help", "nonsense"]);
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toContain("there is no command 'nonsense'");
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
