import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { buildProgram } from "../../src/cli/program.ts";
import type { Io } from "../../src/cli/support/io.ts";
import { BUILT_IN, DEFAULT_CONFIG } from "../../src/core/config/config.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const markdown = (folder: string): string[] =>
	readdirSync(join(ROOT, folder))
		.filter((name) => name.endsWith(".md"))
		.map((name) => join(folder, name));
const DOCUMENTS = [".", "docs", "bench"].flatMap(markdown);

const prose = (file: string): string => read(file).replace(/^```[\s\S]*?^```/gm, "");
/** Where a link of a document leads: a path and a heading there. */
const links = (file: string): { target: string; anchor: string | undefined }[] =>
	[...prose(file).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(([, path, anchor]) => ({
		target: path ? relative(ROOT, resolve(ROOT, dirname(file), path)) : file,
		anchor,
	}));
/** The names GitHub gives to the headings of a document. */
const anchors = (file: string): string[] =>
	[...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading!
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, "")
			.replaceAll(" ", "-"),
	);

test.each(DOCUMENTS)("%s: each link leads to a file that is there, and to a heading of it", (file) => {
	const broken = links(file).filter(
		({ target, anchor }) => !existsSync(join(ROOT, target)) || (anchor && !anchors(target).includes(anchor)),
	);
	expect(broken).toEqual([]);
});

test("each path of the repository that a document names is there", () => {
	const named = DOCUMENTS.flatMap((file) =>
		[...read(file).matchAll(/`((?:src|test|scripts|bench|hooks|docs)\/[\w./*-]+)`/g)].map(([, path]) => path!),
	);
	expect(named.length).toBeGreaterThan(50);
	const found = (path: string) => [...new Bun.Glob(path.replace(/\/$/, "")).scanSync({ cwd: ROOT, onlyFiles: false })];
	expect(named.filter((path) => found(path).length === 0)).toEqual([]);
});

test("the README leads to every document in docs", () => {
	const linked = ["README.md", ...markdown("docs")].flatMap((file) => links(file).map(({ target }) => target));
	expect(markdown("docs").filter((file) => !linked.includes(file))).toEqual([]);
});

test("the README is short, and shows the picture and the way to install on the first screen, and no placeholder", () => {
	const text = read("README.md");
	expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(700);
	const screen = text.split("\n").slice(0, 30).join("\n");
	for (const said of ["![", "In a clone of this repository", "npm ci --omit=dev && bin/ccg demo", "bin/ccg install"])
		expect(screen).toContain(said);
	expect(text).not.toMatch(/OWNER|REPO\b/);
});

test("each command and option that a document names is there", async () => {
	const program = await buildProgram({ env: {}, launcher: "ccg", colours: {} } as unknown as Io);
	const documents = ["README.md", "SECURITY.md", "ARCHITECTURE.md", ...markdown("docs")];
	const named = documents.flatMap((path) =>
		code(path).flatMap((one) => one.match(/(?<!^\/)\bccg (?=[a-z-]).*/g) ?? []),
	);
	expect(named.length).toBeGreaterThan(50);
	expect(named.filter((line) => !isKnown(line, program))).toEqual([]);
});

/** What stands between backticks on one line, and the lines of fenced blocks without their comments. */
function code(file: string): string[] {
	const fences = [...read(file).matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block!.split("\n"));
	const spans = [...prose(file).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
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

test("each key is told with its default, and no other key; the built-in profiles are named", () => {
	const told = [...read("docs/reference.md").matchAll(/^- `([\w.]+)` = `(.*?)`: ./gm)];
	expect(Object.fromEntries(told.map(([, key, value]) => [key!, value!]))).toEqual(keys(DEFAULT_CONFIG));
	for (const name of Object.keys(BUILT_IN)) expect(read("docs/guide.md")).toContain(`\`${name}\``);
});

/** Every key with its value. */
function keys(value: object, before = ""): Record<string, string> {
	const entries = Object.entries(value).flatMap(([key, inner]) => {
		const name = before + key;
		if (typeof inner === "object") return Object.entries(keys(inner, `${name}.`));
		return [[name, JSON.stringify(inner)]];
	});
	return Object.fromEntries(entries);
}
