import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { registerAll } from "../../src/cli/commands/all.ts";
import { programOf } from "../../src/cli/program.ts";
import type { Io } from "../../src/cli/support/io.ts";

const text = readFileSync(join(resolve(import.meta.dirname, "../.."), "README.md"), "utf8");

test("a reader meets the two commands, and the way to install, on the first screen", () => {
	const screen = text.split("\n").slice(0, 40).join("\n");
	for (const command of ["git clone ", "npm install && bin/ccg demo", "npm test", "bin/ccg install"])
		expect(screen).toContain(`\n${command}`);
});

test("it stays short; what is longer belongs into docs", () => {
	expect(text.split("\n").length).toBeLessThanOrEqual(105);
	expect(text.length).toBeLessThanOrEqual(7_500);
});

test("the table names every command", () => {
	const named = new Set([...text.matchAll(/^\| (`ccg.*?) \| /gm)].flatMap(([, cell]) => cell!.match(/[a-z]+/g)!));
	const { commands } = programOf({ env: {}, launcher: "/ccg", colours: {} } as unknown as Io, registerAll);
	// those of a long task are in docs/tasks.md
	const all = commands.flatMap((one) => (one.name() === "task" ? [one] : [one, ...one.commands]));
	expect(all.map((one) => one.name()).filter((name) => !named.has(name))).toEqual([]);
});
