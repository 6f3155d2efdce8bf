import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { commanderProgram } from "../../src/cli/program.ts";
import type { Io } from "../../src/cli/support/io.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const text = read("README.md");

test("a reader meets the picture and the way to install on the first screen, and no placeholder", () => {
	const screen = text.split("\n").slice(0, 30).join("\n");
	for (const said of ["![", "In a clone of this repository", "npm install && bin/ccg demo", "bin/ccg install"])
		expect(screen).toContain(said);
	expect(text).not.toMatch(/OWNER|REPO\b/);
});

test("it stays short; what is longer belongs into docs", () => {
	expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(700);
});

test("each command and option that a document names is there", async () => {
	const program = await commanderProgram({ env: {}, launcher: "ccg", colours: {} } as unknown as Io);
	const below = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
	const documents = ["README.md", "SECURITY.md", "ARCHITECTURE.md", ...below.map((name) => `docs/${name}`)];
	const named = documents.flatMap((path) =>
		code(read(path)).flatMap((one) => one.match(/(?<!^\/)\bccg (?=[a-z-]).*/g) ?? []),
	);
	expect(named.length).toBeGreaterThan(50);
	expect(named.filter((line) => !isKnown(line, program))).toEqual([]);
});

/** What stands between backticks on one line, and the lines of fenced blocks without their comments. */
function code(text: string): string[] {
	const fences = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block!.split("\n"));
	const spans = [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
	return [...fences.map((line) => line.replace(/ #.*/, "")), ...spans];
}

function isKnown(line: string, program: Command): boolean {
	const words = line.match(/[a-z][a-z-]*|--[a-z-]+|"[^"]*"|\S/g)!.slice(1);
	let command = program;
	while (command.commands.length > 0 && /^[a-z]/.test(words[0] ?? "")) {
		const found = command.commands.find((one) => one.name() === words[0]);
		// what stands behind a command that does something itself is its argument
		if (!found) return command !== program && command.registeredArguments.length > 0;
		command = found;
		words.shift();
	}
	const options = ["--help", "--version", "--anyway", ...command.options.map(({ long }) => long)];
	return words.filter((word) => word.startsWith("--")).every((word) => options.includes(word));
}
