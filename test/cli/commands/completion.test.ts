import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { registerAll } from "../../../src/cli/commands/all.ts";
import { programOf } from "../../../src/cli/program.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { runNow } from "../../kit/process.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";
import { sessionStore } from "../session-store.ts";

const { home, sid } = sessionStore();
const bin = scratch("bin");
symlinkSync(LAUNCHER, join(bin, "ccg"));
const PATH = `${bin}:${process.env.PATH ?? "/usr/bin:/bin"}`;
const ask = (command: string[]) => run(command, { env: { HOME: home, PATH }, cwd: scratch() });
const script = async (shell: string): Promise<string> => {
	const { code, out, err } = await ask([LAUNCHER, "completion", shell]);
	expect({ code, err }).toEqual({ code: 0, err: "" });
	const path = join(scratch("completion"), `ccg.${shell}`);
	writeFileSync(path, out);
	return path;
};
const isThere = (program: string): boolean => {
	return runNow(["/bin/sh", "-c", `command -v ${program}`]).code === 0;
};

/** Every command and option of the program. */
function words(command: Command): string[] {
	const options = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long!.slice(2));
	return [...options, ...command.commands.flatMap((one) => [one.name(), ...words(one)])];
}

describe.each(["bash", "zsh", "fish"])("%s", (shell) => {
	test("every command and option is in it", async () => {
		const { out } = await ask([LAUNCHER, "completion", shell]);
		const found = new Set(out.match(/[a-z][a-z-]*/g));
		const program = programOf({ env: {}, launcher: LAUNCHER, colours: {} } as unknown as Io, registerAll);
		expect(words(program).length).toBeGreaterThan(60);
		expect(words(program).filter((word) => !found.has(word) && !out.includes(`-${word}`))).toEqual([]);
		// what is hidden stays so
		expect(out).not.toContain("--auto");
	});

	test.skipIf(!isThere(shell))("the shell takes it", async () => {
		expect(await ask([shell, "-n", await script(shell)])).toMatchObject({ code: 0, err: "" });
	});
});

describe("bash completes", () => {
	const completed = async (...line: string[]): Promise<string[]> => {
		const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ccg; printf '%s\\n' "\${COMPREPLY[@]}"`;
		const { out, err } = await ask(["bash", "-c", program, "bash", await script("bash"), ...line]);
		expect(err).toBe("");
		return out.split("\n").filter(Boolean);
	};
	test.each([
		[["ccg", "unin"], ["uninstall"]],
		[["ccg", "task", "ch"], ["checkpoint"]],
		[["ccg", "task", "checkpoint", "--de"], ["--decision"]],
		[
			["ccg", "install", "--scope", ""],
			["user", "project", "local"],
		],
		[["ccg", "install", "--scope", "local", "--dry"], ["--dry-run"]],
		[["ccg", "profile", "use", "care"], ["careful"]],
		[["ccg", "status", "--session", "0c"], [sid]],
		[["ccg", "sessions", "delete", "0c"], [sid]],
		[["ccg", "completion", "z"], ["zsh"]],
		[["ccg", "show", "--transcript", "/et"], ["/etc"]],
		[["ccg", "memory", "save", "x"], []],
		[
			["ccg", "memory", "save", "--target", ""],
			["memory", "log"],
		],
		[["ccg", "statusline", "preview", "--zone", "imm"], ["imminent"]],
	])("%j", async (line, wanted) => expect(await completed(...line)).toEqual(wanted));
});

test.skipIf(!isThere("fish"))("fish completes", async () => {
	const path = await script("fish");
	const { out } = await ask(["fish", "--no-config", "-c", `source ${path}; complete -C 'ccg task checkpoint --de'`]);
	expect(out).toContain("--decision");
});

test("without a store there is nothing to choose from, and no failure", async () => {
	const { code, out, err } = await run([LAUNCHER, "completion", "--names", "sessions"], { env: {}, cwd: scratch() });
	expect({ code, out, err }).toEqual({ code: 0, out: "", err: "" });
});

test("a shell it does not know, and none, are wrong use", async () => {
	for (const args of [["tcsh"], []]) expect((await ask([LAUNCHER, "completion", ...args])).code).toBe(2);
});
