/**
 * Does the suite find faults? Plants one at a time, builds, runs the short suite and stops at the first test that fails.
 *
 *   npx bun bench/planted.ts draw [COUNT]        draws faults over all rooms, by their lines, into bench/planted.jsonl
 *   npx bun bench/planted.ts run [--from N] [--every N]  runs each whose line is still there; one line of JSON each, on stdout
 *
 * Run it in a worktree of its own: it changes files below src/ and puts them back. A fault counts as found where the build, the types of
 * nothing but a test, or a time limit of ten minutes say so. It takes ten seconds for a fault that is found, minutes for one that is not.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

interface Fault {
	file: string;
	line: string;
	planted: string;
}

const ROOT = join(import.meta.dirname, "..");
const LIST = join(import.meta.dirname, "planted.jsonl");
const LIMIT_MS = 600_000;

/** What is planted: the first that fits a line, beginning with the drawn one. */
const WAYS: [RegExp, string][] = [
	[/ === /, " !== "],
	[/ !== /, " === "],
	[/ && /, " || "],
	[/ \|\| /, " && "],
	[/ \?\? .*?([;,)])/, "$1"],
	[/ < /, " <= "],
	[/ > /, " >= "],
	[/\bif \((?!!)(.+)\) /, "if (!($1)) "],
	[/\breturn true\b/, "return false"],
	[/\breturn false\b/, "return true"],
	[/ \+ 1\b/, ""],
	[/ - 1\b/, ""],
	[/\.slice\(0, /, ".slice(1, "],
	[/\.at\(-1\)/, ".at(0)"],
	[/\.some\(/, ".every("],
	[/\.every\(/, ".some("],
	[/\breturn null;/, "return undefined as never;"],
	[/\bcontinue;/, "break;"],
	[/(\d)_000\b/, "$1"],
];

function sources(folder = join(ROOT, "src")): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".ts"))
		.map((name) => join(folder, name));
}

/** The same draw each time. */
function dice(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return state / 2_147_483_648;
	};
}

function draw(count: number): void {
	const roll = dice(7);
	const all = sources().flatMap((path) => {
		const lines = readFileSync(path, "utf8").split("\n");
		const once = lines.filter((line) => lines.indexOf(line) === lines.lastIndexOf(line));
		return once
			.filter((line) => !/^\s*(?:\*|\/\*|\/\/|import|export \{|type|interface)/.test(line) && line.trim().length > 12)
			.map((line) => ({ file: relative(ROOT, path), line }));
	});
	const faults: Fault[] = [];
	while (faults.length < count) {
		const { file, line } = all[Math.floor(roll() * all.length)]!;
		const first = Math.floor(roll() * WAYS.length);
		const [way] = [...WAYS.slice(first), ...WAYS.slice(0, first)].filter(([from]) => from.test(line));
		if (!way || faults.some((fault) => fault.line === line)) continue;
		const planted = line.replace(way[0], way[1]);
		if (planted !== line) faults.push({ file, line, planted });
	}
	writeFileSync(LIST, faults.map((fault) => `${JSON.stringify(fault)}\n`).join(""));
}

/** Where a fault's line stands today: in its file, or, moved, as the only one of its kind. */
function placeOf({ file, line }: Fault): string | null {
	const holding = sources().filter((path) => readFileSync(path, "utf8").split("\n").includes(line));
	return holding.find((path) => relative(ROOT, path) === file) ?? (holding.length === 1 ? holding[0]! : null);
}

const command = (words: string[], limit: number) =>
	spawnSync(words[0]!, words.slice(1), {
		cwd: ROOT,
		encoding: "utf8",
		timeout: limit,
		killSignal: "SIGKILL",
		env: { ...process.env, CCG_TEST_SHORT: "1" },
		maxBuffer: 1 << 28,
	});

/** The first test that fails, or how else the fault showed; `null` where all passes. */
function foundBy(path: string): string | null {
	if (command(["sh", "scripts/build"], 60_000).status !== 0) return "build";
	const suite = (...words: string[]): string | null => {
		const run = command(
			["sh", "scripts/bun", "--bun", "vitest", ...words, "--run", "--bail", "1", "--maxWorkers", "2"],
			LIMIT_MS,
		);
		if (run.status === 0) return null;
		const name = /FAIL\s+(.+)/.exec(`${run.stdout}${run.stderr}`.replace(/\u001b\[[\d;]*m/g, ""))?.[1];
		return name ?? (run.error ? "time" : "run");
	};
	const projects = ["--project", "unit", "--project", "security", "--project", "faults"];
	return suite("related", path, ...projects) ?? suite("run", ...projects);
}

function run(from: number, every: number): void {
	const faults = readFileSync(LIST, "utf8")
		.trim()
		.split("\n")
		.map((text) => JSON.parse(text) as Fault);
	for (const [i, fault] of faults.entries()) {
		if (i < from || (i - from) % every) continue;
		const path = placeOf(fault);
		let found: string | null | "gone" = "gone";
		if (path) {
			const before = readFileSync(path, "utf8");
			try {
				writeFileSync(
					path,
					before.replace(`\n${fault.line}\n`, () => `\n${fault.planted}\n`),
				);
				found = foundBy(path);
			} finally {
				writeFileSync(path, before);
			}
		}
		console.log(JSON.stringify({ i, found, ...fault }));
	}
}

const [what, ...words] = process.argv.slice(2);
if (what === "draw") draw(Number(words[0] ?? 200));
else if (what === "run") {
	const given = (name: string, usual: number): number =>
		words.includes(name) ? Number(words[words.indexOf(name) + 1]) : usual;
	run(given("--from", 0), given("--every", 1));
} else console.error("bench/planted.ts: 'draw [COUNT]' or 'run [--from N] [--every N]'");
