import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../../src/cli/program.ts";
import type { Io } from "../../src/cli/support/io.ts";
import { COMMAND_NAMES, withTypableCommands } from "../../src/cli/support/own-name.ts";
import { runCcg } from "../kit/ccg.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";
import { sessionStore } from "./session-store.ts";

const io = { env: {}, launcher: LAUNCHER, colours: {}, cwd: "/" } as unknown as Io;
const leaves = (command: Command): Command[] =>
	command.commands.length ? command.commands.flatMap(leaves) : [command];
const pathOf = (one: Command): string[] => (one.parent ? [...pathOf(one.parent), one.name()] : []);
const program = await buildProgram(io);
const all = leaves(program);
const { home, sid, folder } = sessionStore();

test("the size that was set: commands, options; each known to messages, and in the README's table", () => {
	expect(all.length).toBeLessThanOrEqual(42);
	expect(
		new Set(all.flatMap(({ options }) => options.map((one) => one.flags + one.description))).size,
	).toBeLessThanOrEqual(100);
	expect(program.commands.map((one) => one.name()).filter((name) => !COMMAND_NAMES.has(name))).toEqual([]);
});

describe("each command's help", () => {
	test.each([80, 60])("in %d columns: no line is wider, unless it is one word", async (columns) => {
		for (const one of all) {
			const { out } = await runCcg([...pathOf(one), "--help"], { columns, launcher: "/a/long/way/to/ccg" });
			const wide = out.split("\n").filter((line) => line.length > columns && /\S\s/.test(line.replace(/`.*`/, "")));
			expect(wide, one.name()).toEqual([]);
			expect(out.replace(/\s+/g, " ")).toContain(one.description().slice(0, 20));
		}
	});

	test.each(all.map((one) => [pathOf(one).join(" "), one] as const))(
		"ccg %s: examples that the program takes",
		async (_, one) => {
			let help = "";
			one.configureOutput({ writeOut: (part) => (help += part) }).outputHelp();
			const examples = [...help.matchAll(/^ {2}ccg (.+?)(?: {2,}.*)?$/gm)].map((match) => match[1]!);
			expect(help).toMatch(/^Examples?:\n {2}.*\bccg [a-z]/m);
			for (const example of examples) {
				const words = example.replace(/ [|>&].*/, "").match(/"[^"]*"|\S+/g)!;
				const known = leaves(await buildProgram(io)).find((leaf) => pathOf(leaf).every((word, i) => words[i] === word));
				const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split("=")[0]);
				const taken = (known ?? one).options.map(({ long }) => long);
				expect(
					options.filter((option) => !taken.includes(option) && option !== "--anyway"),
					example,
				).toEqual([]);
			}
		},
	);
});

describe("where the answer goes", () => {
	const shell = (line: string, env: Record<string, string> = {}) =>
		run(["/bin/bash", "-c", line, "bash", LAUNCHER], { env: { HOME: home, ...env }, cwd: folder });

	test.each(["--help", `show ${sid} --json`, `task --session ${sid}`])("ccg %s", async (line) => {
		const full = await shell(`"$1" ${line} > /dev/full`);
		const told = "ccg: the answer could not be written to standard output: the disk is full; make room on it";
		expect([full.code, full.err]).toEqual([1, `${told}\n`]);
		const before = (await shell(`"$1" ${line} > /dev/null`)).code;
		const gone = await shell(`"$1" ${line} | head -c 1 > /dev/null; exit \${PIPESTATUS[0]}`);
		expect([gone.code, gone.err]).toEqual([before, expect.not.stringMatching(/EPIPE|^\s+at /m)]);
	});

	// script gives it a terminal
	const onTerminal = 'script -qec "$1 status $2" /dev/null < /dev/null';
	test.each<[string, string, Record<string, string>, boolean]>([
		["piped", '"$1" status', { CI: "1" }, false],
		["piped, forced", '"$1" status', { FORCE_COLOR: "1" }, true],
		["piped, forced and refused", '"$1" status', { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
		["on a terminal", onTerminal, { TERM: "xterm" }, true],
		["on a terminal, NO_COLOR", onTerminal, { TERM: "xterm", NO_COLOR: "1" }, false],
	])("colours %s", async (_, line, env, wanted) => {
		expect((await shell(line, env)).out.includes("\u001b[")).toBe(wanted);
	});

	test("how far an index is stands in one line, on a terminal alone", async () => {
		const projects = join(home, ".claude", "projects", "p");
		mkdirSync(projects, { recursive: true });
		copyFileSync(join(folder, `${sid}.jsonl`), join(projects, `${sid}.jsonl`));
		const { out } = await shell(onTerminal.replace("status", "index --rebuild"), { TERM: "xterm" });
		expect(out).toContain("\r\u001b[Kreading transcripts: 1 of 1\r\u001b[K");
		expect((await shell('"$1" index --rebuild')).err).not.toMatch(/[\r\u001b]/);
	});

	test.each([
		["on PATH", true, "ccg"],
		["not on PATH", false, LAUNCHER],
		["another ccg on PATH", "other", LAUNCHER],
	])("%s: what is printed can be typed", async (_, onPath, name) => {
		const own = scratch("bin");
		if (onPath === true) symlinkSync(LAUNCHER, join(own, "ccg"));
		if (onPath === "other") writeFileSync(join(own, "ccg"), "#!/bin/sh\n", { mode: 0o755 });
		const env = { PATH: `${own}:/usr/bin:/bin`, HOME: scratch("home") };
		expect((await shell('"$1" status x', env)).err).toContain(`'${name} status --all'`);
		expect((await shell('"$1" gc --nonsense', env)).err).toContain(`(${name} gc --help shows what there is)`);
		for (const line of [
			"--help",
			"status",
			"memory delete nothing",
			"install --dry-run",
			"doctor --json",
			"checkpoint",
			"config",
			"task status",
		]) {
			const { out, err } = await shell(`"$1" ${line}`, env);
			const bare = `${out}\n${err}`
				.split("\n")
				.filter((one) => withTypableCommands(one, { env: { PATH: "/nowhere" }, launcher: LAUNCHER }) !== one);
			if (name !== "ccg") expect(bare, line).toEqual([]);
		}
	});
});

test("a relative home is refused by every command that works with it, and nothing is made", async () => {
	for (const line of ["memory save x", "install --yes", "status", "config use quiet"]) {
		const cwd = scratch();
		const { code, err } = await run([LAUNCHER, ...line.split(" ")], { env: { HOME: "home" }, cwd });
		expect([code, err]).toEqual([1, expect.stringMatching(/there is no (?:store|folder to keep the backup in); set/)]);
		expect(readdirSync(cwd)).toEqual([]);
	}
});
