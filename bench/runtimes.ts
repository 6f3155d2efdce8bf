/**
 * What a start costs on each runtime: the same three hooks as whole processes, on ccg's own Bun, on one of PATH, and on Node. In turns, so
 * that a slow moment of the machine meets all. Prints a table for docs/measured.md.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { printedBy } from "../test/kit/process.ts";
import { benchSandbox } from "./latency/bench-sandbox.ts";
import { hook, nudge, transcriptPath } from "./latency/hooks.ts";
import { median, type Subject, timePairs } from "./latency/timed.ts";

const HELP = `npx bun bench/runtimes.ts [options]

  --runs N       runs of each (20)
  --node FILE    a Node to measure, also several times`;

const { values: options } = parseArgs({
	options: {
		runs: { type: "string", default: "20" },
		node: { type: "string", multiple: true },
		help: { type: "boolean", default: false },
	},
});
if (options.help) {
	console.log(HELP);
	process.exit(0);
}
const repository = resolve(import.meta.dir, "..");
const top = mkdtempSync(join(tmpdir(), "ccg-runtimes-"));
const removals = [() => rmSync(top, { recursive: true, force: true })];
process.once("exit", () => {
	for (const remove of removals) remove();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

/** A copy of what npm ships. */
function installation(name: string): string {
	const root = join(top, name);
	for (const part of ["bin", "dist", "package.json", "skills"])
		cpSync(join(repository, part), join(root, part), { recursive: true });
	return root;
}

function withoutBytecode(root: string): void {
	for (const name of readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" }))
		if (name.endsWith(".jsc")) unlinkSync(join(root, "dist", name));
}

interface Runtime {
	name: string;
	root: string;
	/** The first folder of PATH. */
	tools: string;
	program: string;
	isCompiled?: boolean;
}

const runtimes: Runtime[] = [];
const bun = process.execPath;
const empty = join(top, "empty");
mkdirSync(empty);
for (const name of ["compiled", "own Bun, bytecode", "own Bun, without"]) {
	const root = installation(name);
	if (name.endsWith("without")) withoutBytecode(root);
	mkdirSync(join(root, "node_modules"));
	symlinkSync(join(repository, "node_modules/@oven"), join(root, "node_modules/@oven"));
	runtimes.push({ name, root, tools: empty, program: bun, isCompiled: name === "compiled" });
}
const tools = join(top, "tools");
mkdirSync(tools);
symlinkSync(bun, join(tools, "bun"));
runtimes.push({ name: "Bun on PATH, bytecode", root: installation("on-path"), tools, program: bun });
for (const node of options.node ?? []) {
	const version = printedBy([node, "--version"]).trim();
	const hasCache = Number(version.slice(1).split(".")[0]) >= 22;
	for (const isCached of hasCache ? [true, false] : [false]) {
		const root = installation(`node ${version} ${isCached}`);
		withoutBytecode(root);
		// a file in the folder's place: nothing is kept
		if (hasCache && !isCached) writeFileSync(join(root, ".node-cache"), "");
		const name = `Node ${version.slice(1)}${isCached ? ", compile cache" : ""}`;
		runtimes.push({ name, root, tools: dirname(resolve(node)), program: node });
	}
}

const script = join(top, "empty.cjs");
writeFileSync(script, "");
const rows: Subject[][] = [];
for (const { name, root, tools: first, program, isCompiled } of runtimes) {
	process.env.PATH = `${first}:/usr/bin:/bin`;
	const sandbox = await benchSandbox(join(root, "bin", "ccg"), ...(isCompiled ? [] : ["--in-place"]));
	removals.push(sandbox.remove);
	mkdirSync(join(sandbox.root, "run", "flush"), { recursive: true });
	cpSync(join(repository, "demo/session.jsonl"), transcriptPath(sandbox, "turn"));
	const start = { name, sid: "new", project: sandbox.remembered, fields: { source: "startup" } };
	rows.push([
		{ name, argv: [program, script], stdin: "", env: { PATH: "/usr/bin:/bin" }, cwd: top },
		hook(sandbox, "SessionStart", start),
		nudge(sandbox),
		hook(sandbox, "Stop", { name, sid: "turn", project: sandbox.work }),
	]);
}
const shell: Subject = { name: "sh", argv: ["/bin/sh", "-c", ":"], stdin: "", env: {}, cwd: top };
const pairs = rows.flat().map((subject) => ({ subject, base: shell }));
const times = await timePairs(pairs, Number(options.runs), 3, (round) => console.error(`round ${round}`));
console.log("| ms, median | empty | session-start | nudge | stop |\n|---|--:|--:|--:|--:|");
for (const [i, { name }] of runtimes.entries()) {
	const cells = times.slice(i * 4, i * 4 + 4).map(({ subject }) => Math.round(median(subject.map(({ wall }) => wall))));
	console.log(`| ${name} | ${cells.join(" | ")} |`);
}
