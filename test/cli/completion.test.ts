import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runNow } from "../kit/process.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const home = scratch("home");
const bin = scratch("bin");
symlinkSync(LAUNCHER, join(bin, "ccg"));
const PATH = `${bin}:${process.env.PATH ?? "/usr/bin:/bin"}`;
const ask = (command: string[], env: Record<string, string> = { HOME: home, PATH }) =>
	run(command, { env, cwd: scratch() });
const script = async (shell: string): Promise<string> => {
	const { code, out } = await ask([LAUNCHER, "completion", shell]);
	expect(code).toBe(0);
	const path = join(scratch("completion"), `ccg.${shell}`);
	writeFileSync(path, out);
	return path;
};
const isThere = (program: string): boolean => runNow(["/bin/sh", "-c", `command -v ${program}`]).code === 0;

for (const shell of ["bash", "zsh", "fish"])
	test.skipIf(!isThere(shell))(`${shell} takes the script`, async () => {
		expect(await ask([shell, "-n", await script(shell)])).toMatchObject({ code: 0, err: "" });
	});

test.each<[string, string[]]>([
	["ccg unin", ["uninstall"]],
	["ccg task ch", ["checkpoint"]],
	["ccg task checkpoint --de", ["--decision"]],
	["ccg install --scope ", ["user", "project", "local"]],
	["ccg install --scope local --dry", ["--dry-run"]],
	["ccg memory save --target ", ["memory", "log"]],
	["ccg show --as h", ["handoff"]],
	["ccg memory save x", []],
	["ccg gc --au", []],
])("bash completes %j", async (line, wanted) => {
	const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ccg; printf '%s\\n' "\${COMPREPLY[@]}"`;
	const { out, err } = await ask(["bash", "-c", program, "bash", await script("bash"), ...line.split(" ")]);
	expect([out.split("\n").filter(Boolean), err]).toEqual([wanted, ""]);
});
