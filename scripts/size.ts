/**
 * How large the house is: one table, side by side with what is held (`scripts/size.json`) and what is the goal.
 *
 *   npm run size                the table
 *   npm run size -- --check     fails where a total is larger than held
 *   npm run size -- --write     holds the totals of now
 *   npm run size -- --json      as JSON
 *
 * A commit may hold more only for what an issue names, with the reason under `why` in the file.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import type { Command } from "commander";
import { commanderProgram } from "../src/cli/program.ts";
import type { Io } from "../src/cli/support/io.ts";
import { sessionPaths } from "../src/store/paths.ts";
import { patternsIn } from "../test/security/linear-patterns.ts";

const ROOT = resolve(import.meta.dirname, "..");
const HELD = join(ROOT, "scripts", "size.json");
const MAX_PATTERN = 200;

interface Held {
	/** Of each figure the most there may be, and where it is to go. */
	figures: Record<string, { held: number; goal?: number }>;
	why?: string[];
}

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const linesOf = (paths: string[]): number => paths.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);

/** Each figure by its name; of bundles only what is built. */
export async function figures(): Promise<Record<string, number>> {
	const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT })
		.toString()
		.split("\0")
		.filter((path) => path && existsSync(join(ROOT, path)));
	const isData = (path: string): boolean => [".json", ".txt"].includes(extname(path));
	const below = (folder: string): string[] => tracked.filter((path) => path.startsWith(folder));
	const src = below("src/").filter((path) => !path.includes(".generated."));
	const code = src.filter((path) => !isData(path));
	const words = tracked.filter(
		(path) => path.endsWith(".md") && !/^(?:skills|agents|plugin|test)\/|CHANGELOG|what-the-model-sees/.test(path),
	);
	const { patterns, longPatterns, types, kinds } = counted(code.filter((path) => path.endsWith(".ts")));
	const program = await commanderProgram({ env: {}, launcher: "ccg", colours: {} } as unknown as Io);
	const commands = commandsOf(program);
	return {
		"lines in src": linesOf(code),
		"files in src": code.length,
		"lines of data in src": linesOf(src.filter(isData)),
		"lines in test": linesOf(below("test/").filter((path) => /\.(?:ts|sh)$/.test(path))),
		"words in Markdown": words.reduce((sum, path) => sum + read(path).split(/\s+/).filter(Boolean).length, 0),
		"regular expressions": patterns,
		[`regular expressions over ${MAX_PATTERN} characters`]: longPatterns,
		types,
		commands: commands.length,
		// one that is declared once and means the same everywhere (src/cli/support/command.ts) is one to learn
		options: new Set([program, ...commands].flatMap(({ options }) => options.map((one) => one.flags + one.description)))
			.size,
		"stored kinds": kinds,
		"paths per session": Object.keys(sessionPaths("/store", "sid")).length,
		...bundles(),
	};
}

const commandsOf = (command: Command): Command[] =>
	command.commands.flatMap((one) => (one.commands.length > 0 ? commandsOf(one) : [one]));

function bundles(): Record<string, number> {
	const built: Record<string, number> = {};
	for (const name of ["stop", "session-start", "pre-compact", "pre-tool-use"]) {
		const path = join(ROOT, "dist", "hooks", `${name}.js`);
		if (existsSync(path)) built[`KB of ${name}`] = Math.round(statSync(path).size / 1024);
	}
	return built;
}

/** Literals and `new RegExp`, interfaces and names of types, constants and tables that declare a stored kind. */
function counted(paths: string[]) {
	const texts = paths.map(read);
	const scanned = texts.map(patternsIn);
	const literals = scanned.flatMap((one) => one.literals);
	const many = (pattern: RegExp): number => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
	return {
		patterns: literals.length + scanned.reduce((sum, { made }) => sum + made, 0),
		longPatterns: literals.filter(({ source }) => source.length > MAX_PATTERN).length,
		types: many(/^(?:export )?(?:interface|type) \w+/gm),
		kinds: many(/^(?:export )?const \w+: FileKind<|^CREATE (?:VIRTUAL )?TABLE /gm),
	};
}

/** Each figure that is larger than held, in words. Bundles count where they are built. */
export function grown(now: Record<string, number>, { figures: held }: Held): string[] {
	return Object.entries(now).flatMap(([name, value]) =>
		value > (held[name]?.held ?? 0) ? [`${name}: ${value}, held are ${held[name]?.held ?? 0}`] : [],
	);
}

export const held = (): Held => JSON.parse(readFileSync(HELD, "utf8"));

if (import.meta.main) {
	const now = await figures();
	const before = existsSync(HELD) ? held() : { figures: {} };
	const [option] = process.argv.slice(2);
	if (option === "--write") {
		for (const [name, value] of Object.entries(now)) before.figures[name] = { ...before.figures[name], held: value };
		writeFileSync(HELD, `${JSON.stringify(before, null, "\t")}\n`);
	} else if (option === "--json") console.log(JSON.stringify(now));
	else if (option === "--check") {
		const wrong = grown(now, before);
		for (const line of wrong)
			console.error(`${line}; make it smaller, or hold it with npm run size -- --write and say why`);
		process.exitCode = wrong.length > 0 ? 1 : 0;
	} else {
		const cell = (value: number | undefined): string =>
			(value === undefined ? "" : value.toLocaleString("en")).padStart(9);
		console.log(`${"".padEnd(44)}${"now".padStart(9)}${"held".padStart(9)}${"goal".padStart(9)}`);
		for (const [name, value] of Object.entries(now))
			console.log(
				`${name.padEnd(44)}${cell(value)}${cell(before.figures[name]?.held)}${cell(before.figures[name]?.goal)}`,
			);
	}
}
