/**
 * How large the house is, beside the goals in `scripts/size.json`: lines of each room, and of all. Raising a goal needs an issue that names it.
 *
 *   npm run size                the table; `!` marks what is above its goal
 *   npm run size -- --check     fails where something is
 *   npm run size -- --json      as JSON
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { buildProgram } from "../src/cli/program.ts";
import type { Io } from "../src/cli/support/io.ts";
import { patternsIn } from "../test/security/linear-patterns.ts";

const ROOT = resolve(import.meta.dirname, "..");

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const linesOf = (paths: string[]): number => paths.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);

/** The most there may be of each figure; a row of rooms names their folders. */
export const goals = (): Record<string, number> => JSON.parse(readFileSync(join(ROOT, "scripts", "size.json"), "utf8"));

/** Each figure by its name; of bundles only what is built. */
export async function figures(): Promise<Record<string, number>> {
	const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT })
		.toString()
		.split("\0")
		.filter((path) => path && existsSync(join(ROOT, path)));
	const below = (folder: string): string[] => tracked.filter((path) => path.startsWith(folder));
	const src = below("src/").filter((path) => path.endsWith(".ts") && !path.includes(".generated."));
	const rooms = Object.keys(goals()).filter((name) =>
		src.some((path) => path.startsWith(`src/${name.split(", ")[0]}/`)),
	);
	const isIn = (path: string, name: string): boolean =>
		name.split(", ").some((room) => path.startsWith(`src/${room}/`));
	const words = tracked.filter(
		(path) => path.endsWith(".md") && !/^(?:skills|agents|plugin|test)\/|CHANGELOG|what-the-model-sees/.test(path),
	);
	const program = await buildProgram({ env: {}, launcher: "ccg", colours: {} } as unknown as Io);
	const commands = commandsOf(program);
	return {
		...Object.fromEntries(rooms.map((name) => [name, linesOf(src.filter((path) => isIn(path, name)))])),
		"lines in src": linesOf(src),
		"files in src": src.length,
		"lines in test": linesOf(below("test/").filter((path) => /\.(?:ts|sh)$/.test(path))),
		"words in Markdown": words.reduce((sum, path) => sum + read(path).split(/\s+/).filter(Boolean).length, 0),
		...counted(src),
		commands: commands.length,
		// one that is declared once and means the same everywhere (src/cli/support/command.ts) is one to learn
		options: new Set([program, ...commands].flatMap(({ options }) => options.map((one) => one.flags + one.description)))
			.size,
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

/** Literals and `new RegExp`; interfaces and names of types. */
function counted(paths: string[]): Record<string, number> {
	const texts = paths.map(read);
	const patterns = texts.map(patternsIn).reduce((sum, { literals, made }) => sum + literals.length + made, 0);
	const types = texts.flatMap((text) => text.match(/^(?:export )?(?:interface|type) \w+/gm) ?? []);
	return { "regular expressions": patterns, types: types.length };
}

/** Each figure above its goal, in words. */
export const aboveGoal = (now: Record<string, number>): string[] =>
	Object.entries(goals()).flatMap(([name, goal]) =>
		now[name]! > goal ? `${name}: ${now[name]}, the goal is ${goal}` : [],
	);

if (import.meta.main) {
	const now = await figures();
	const [option] = process.argv.slice(2);
	if (option === "--json") console.log(JSON.stringify(now));
	else if (option === "--check") {
		for (const line of aboveGoal(now)) console.error(line);
		process.exitCode = aboveGoal(now).length > 0 ? 1 : 0;
	} else
		for (const [name, goal] of Object.entries(goals()))
			console.log(
				`${name.padEnd(34)}${(now[name] ?? 0).toLocaleString("en").padStart(8)}${goal.toLocaleString("en").padStart(8)}${now[name]! > goal ? " !" : ""}`,
			);
}
