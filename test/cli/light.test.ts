import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { AGENT_COMMANDS } from "../../src/cli/commands/agents.ts";
import { registerAll } from "../../src/cli/commands/all.ts";
import { programOf } from "../../src/cli/program.ts";
import type { Io, Register } from "../../src/cli/support/io.ts";
import { run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Every file that is loaded as soon as this one is, and the libraries: imports of types and of what runs later are not. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
	if (seen.has(file)) return seen;
	seen.add(file);
	const text = readFileSync(join(ROOT, file), "utf8");
	for (const [, target = ""] of text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?"([^"]+)"/gm))
		if (target.startsWith(".")) loadedBy(relative(ROOT, resolve(ROOT, file, "..", target)), seen);
		else seen.add(target);
	return seen;
}

test("a declared command loads nothing of what it does", () => {
	const loaded = [...loadedBy("src/cli/commands/all.ts")];
	expect(loaded.filter((file) => /^src\/(?:cli\/(?!commands|support)|doctor|claude|events)/.test(file))).toEqual([]);
	expect(loaded.filter((file) => !/^src\/cli/.test(file)).length).toBeLessThan(60);
});

test("the agent's commands start without a library but commander, and without what sets up a terminal or a process", () => {
	const loaded = [...loadedBy("src/cli/agent.ts")].filter((name) => !name.startsWith("src/"));
	expect(loaded.sort()).toEqual(["commander", "node:fs", "node:path", "package.json"]);
	for (const act of ["src/cli/acts/memory.ts", "src/cli/task/checkpoint.ts"])
		expect([...loadedBy(act)].filter((name) => !name.startsWith("src/")).sort()).toEqual(["node:fs", "node:path"]);
});

const helpOf = (register: Register, words: string[]): string => {
	const io = { env: {}, launcher: join(ROOT, "bin/ccg"), colours: {}, cwd: "/" } as unknown as Io;
	let command = programOf(io, register);
	for (const word of words) command = command.commands.find((one) => one.name() === word)!;
	let text = "";
	command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
	return text;
};

const all = programOf({ env: {}, launcher: "/ccg", colours: {} } as unknown as Io, registerAll);
const named = all.commands
	.filter((group) => Object.hasOwn(AGENT_COMMANDS, group.name()))
	.flatMap((group) => [group.name(), ...group.commands.map((one) => `${group.name()} ${one.name()}`)]);

test.each(named)("ccg %s: the same help from the agent's bundle", (command) => {
	const words = command.split(" ");
	expect(helpOf(AGENT_COMMANDS[words[0]!]!(words[1]), words)).toBe(helpOf(registerAll, words));
});

test.each([
	"memory sav",
	"memory save",
	"memory save --globl x",
	"memory save --target x y",
	"memory list more",
	"memory help save",
	"memory --version",
	"memory --no-color show",
	"task bogus",
	"task checkpoint --bogus",
	"task checkpoint --pressure 7",
	"task help ensure",
	"task ensure --version",
	"task --json status",
	"task",
])("ccg %s: the same answer and exit code from the agent's bundle", async (command) => {
	const from = (entry: string) =>
		run([process.execPath, "--config=/dev/null", "--no-env-file", join(ROOT, entry), ...command.split(" ")], {
			env: { HOME: scratch("home"), CCG_CWD: scratch("work"), COLUMNS: "80" },
			cwd: ROOT,
		});
	const strip = ({ code, out, err }: Awaited<ReturnType<typeof from>>) =>
		JSON.stringify([code, out, err]).replace(/\/[^\s"'\\]*\/(?:home|work)-?[^\s"'\\),]*/g, "PLACE");
	expect(strip(await from("src/cli/agent.ts"))).toBe(strip(await from("src/cli/main.ts")));
});

test("the launcher starts the agent's commands from their bundle", () => {
	const launcher = readFileSync(join(ROOT, "bin/ccg"), "utf8");
	expect(launcher).toContain(`${Object.keys(AGENT_COMMANDS).join(" | ")})\n\tentry=src/cli/agent\n`);
});
