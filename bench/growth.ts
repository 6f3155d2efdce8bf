/**
 * How costs grow: hooks over transcripts of 1 to 250 MB, hooks and commands over stores of 1 to 10,000 sessions, recall over indexes of
 * 10 to 1,000 MB of transcripts. Prints the median of each as times an empty Bun and the exponent between the smallest and the largest,
 * and how much memory a hook takes at most: 250 MB of transcript, 2 million lines, a line of 1 GB. Ends 1 where one is above its bound.
 * What indexing costs: bench/recall.ts.
 *
 *   npm run bench:growth [-- --runs N] [--json] [--most MB] [--sessions N] [--indexed MB] [--no-memory]
 */
import { Database } from "bun:sqlite";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { setRulesLoader } from "../src/core/redact/lazy-rules.ts";
import { SearchIndex } from "../src/search/search-index.ts";
import { closeDatabase } from "../src/store/database.ts";
import { databasePath, indexPath } from "../src/store/paths.ts";
import { findProject } from "../src/store/project.ts";
import { type BenchSandbox, benchSandbox } from "./latency/bench-sandbox.ts";
import { hook, preCompact, runOnce, transcriptPath } from "./latency/hooks.ts";
import { peakMemoryMb } from "./latency/once.ts";
import { median, type Subject, timePairs } from "./latency/timed.ts";
import { syntheticTranscript } from "./latency/transcripts.ts";

const { values: options } = parseArgs({
	options: {
		runs: { type: "string", default: "7" },
		most: { type: "string", default: "250" },
		sessions: { type: "string", default: "10000" },
		indexed: { type: "string", default: "1000" },
		"no-memory": { type: "boolean", default: false },
		json: { type: "boolean", default: false },
	},
});
const MB = 1024 * 1024;
const runs = Number(options.runs);
const upTo = (all: number[], most: string): number[] => all.filter((one) => one <= Number(most));
const SIZES = upTo([1, 4, 16, 64, 250], options.most);
const STORES = upTo([1, 100, 1_000, 10_000], options.sessions);
const INDEXES = upTo([10, 100, 1_000], options.indexed);
/** Of a hook, which reads what is new alone; of everything else. */
const [HOOK_EXPONENT, EXPONENT] = [0.1, 1.05];
/** Times an empty Bun, of a list of all sessions. */
const LIST_LIMIT = 4;
/** The same, of a recall over the largest index. */
const RECALL_LIMIT = 3.6;
const MOST_MEMORY_MB = 90;

interface Row {
	name: string;
	/** Ratios to an empty Bun, by size. */
	ratios: Record<number, number>;
	exponent: number;
	bound: number;
}

const sandbox = await benchSandbox(resolve(import.meta.dir, "..", "bin", "ccg"));
process.once("exit", sandbox.remove);
const empty = join(sandbox.folder, "empty.js");
writeFileSync(empty, "");
const bun: Subject = {
	name: "bun",
	argv: [process.execPath, "--config=/dev/null", "--no-env-file", empty],
	stdin: "",
	env: sandbox.env("base", sandbox.work),
	cwd: sandbox.work,
};

/** Also at the end of a run that is interrupted: files of gigabytes are among them. */
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const rows = [...(await overTranscripts(sandbox)), ...(await overStores(sandbox)), ...(await overIndexes(sandbox))];
const memory = options["no-memory"] ? [] : await memoryRows(sandbox);
if (options.json) console.log(JSON.stringify({ rows, memory }, null, 2));
else {
	for (const { name, ratios, exponent, bound } of rows) {
		const cells = Object.entries(ratios).map(([size, ratio]) => `${size}: ${ratio.toFixed(1)}`);
		console.log(`${name.padEnd(34)} ${cells.join("  ")}  exponent ${exponent.toFixed(2)} (at most ${bound})`);
	}
	for (const { name, mb } of memory) console.log(`${name.padEnd(50)} ${mb.toFixed(0)} MB (at most ${MOST_MEMORY_MB})`);
}
const last = ({ ratios }: Row): number => ratios[Math.max(...Object.keys(ratios).map(Number))] ?? 0;
const limitOf = ({ name, ratios }: Row): number =>
	ratios[10_000] && name.startsWith("ccg ") ? LIST_LIMIT : name.startsWith("ccg recall") ? RECALL_LIMIT : Infinity;
if (rows.some((row) => row.exponent > row.bound || last(row) > limitOf(row))) process.exitCode = 1;
if (memory.some(({ mb }) => mb > MOST_MEMORY_MB)) process.exitCode = 1;

/** Hooks of a session whose transcript has grown; all but the last of it was read before. */
async function overTranscripts(at: BenchSandbox): Promise<Row[]> {
	const found = new Map<string, Record<number, number>>();
	for (const size of SIZES) {
		const sid = `grown-${size}`;
		mkdirSync(dirname(transcriptPath(at, sid)), { recursive: true });
		const whole = syntheticTranscript(size * MB, at.work);
		for (const one of [sid, `${sid}-anew`]) writeFileSync(transcriptPath(at, one), whole);
		const stop = hook(at, "Stop", { name: "Stop, nothing new", sid, project: at.work });
		for (let i = 0; i < 4 + size / 2; i++) runOnce(stop);
		const current = preCompact(at, "PreCompact, kept current", sid);
		const subjects = [
			stop,
			{ ...current, prepare: () => forgetCheckpoints(at, sid) },
			preCompact(at, "PreCompact, from nothing", `${sid}-anew`),
		];
		for (const [name, ratio] of await ratiosOf(subjects)) found.set(name, { ...found.get(name), [size]: ratio });
	}
	return [...found].map(([name, ratios]) =>
		rowOf(name, ratios, name.includes("nothing new") || name.includes("current") ? HOOK_EXPONENT : EXPONENT),
	);
}

function forgetCheckpoints({ root }: BenchSandbox, sid: string): void {
	const database = new Database(databasePath(root));
	// (what a hook started beside itself may still write)
	database.run("PRAGMA busy_timeout = 5000");
	for (const table of ["cycles", "checkpoints"]) database.query(`DELETE FROM ${table} WHERE session = ?`).run(sid);
	database.close();
}

/** Commands over a store of ever more sessions, each a copy of one that was compacted. */
async function overStores(at: BenchSandbox): Promise<Row[]> {
	const sid = "first";
	writeFileSync(transcriptPath(at, sid), syntheticTranscript(MB / 4, at.work));
	runOnce(preCompact(at, "PreCompact", sid));
	runOnce(hook(at, "Stop", { name: "Stop", sid, project: at.work }));
	const found = new Map<string, Record<number, number>>();
	for (const size of STORES) {
		copySessions(at, sid, size);
		const subject = (...args: string[]) => command(at, args);
		const commands = [["status"], ["status", "--all"], ["checkpoint", "list"], ["gc", "--dry-run"]];
		const fields = { source: "startup" };
		const start = hook(at, "SessionStart", { name: "SessionStart startup", sid: "started", project: at.work, fields });
		const subjects = [start, ...commands.map((args) => subject(...args))];
		for (const [name, ratio] of await ratiosOf(subjects)) found.set(name, { ...found.get(name), [size]: ratio });
	}
	return [...found].map(([name, ratios]) => rowOf(name, ratios, name.startsWith("ccg") ? EXPONENT : HOOK_EXPONENT));
}

/** A command of a person's. */
function command(at: BenchSandbox, args: string[], cwd = at.work): Subject {
	const none = { CLAUDE_CODE_SESSION_ID: "", CLAUDE_PROJECT_DIR: "", CLAUDECODE: "", CLAUDE_CODE_ENTRYPOINT: "" };
	const env = { ...at.env("", cwd), ...none };
	const installed = join(at.root, "app", "current", "bin", "ccg");
	return { name: `ccg ${args.join(" ")}`, argv: [installed, ...args], stdin: "", env, cwd };
}

/** Recall over ever more of what was said: passages of 700 characters for each 10 KB of transcript, as in real ones. */
async function overIndexes(at: BenchSandbox): Promise<Row[]> {
	setRulesLoader(() => require("../src/core/redact/rules.ts"));
	const ratios: Record<number, number> = {};
	const index = SearchIndex.open(at.root)!;
	const source = { path: "/t/said.jsonl", project: findProject(at.work).key, session: "said" };
	let n = 0;
	for (const size of INDEXES) {
		while (n < size * 100) {
			const passages = Array.from({ length: 1_000 }, (_, i) => saidAt(n + i));
			index.add(source, passages);
			n += passages.length;
		}
		for (const [, ratio] of await ratiosOf([command(at, ["recall", "why", "loader", "retry", "limit", "file7x"])]))
			ratios[size] = ratio;
	}
	closeDatabase(indexPath(index.root));
	return INDEXES.length > 0 ? [rowOf("ccg recall, by MB of transcripts", ratios, EXPONENT)] : [];
}

/** Common words, some that few passages hold, and one of its own. */
function saidAt(n: number) {
	const words =
		"the loader reads each file once and keeps what it found in a table until the limit of a retry is met because upload".split(
			" ",
		);
	const some = Array.from({ length: 110 }, (_, i) => words[(n * 7 + i * (1 + (n % 5))) % words.length]);
	const text = `${some.join(" ")} file${n % 997}x word${n}`;
	return { pos: n * 10_000, part: 0, at: 1_790_000_000 + n, kind: "agent" as const, tool: "", path: "", text };
}

/** What hooks take at most where a transcript is as large as it may be. */
async function memoryRows(at: BenchSandbox): Promise<{ name: string; mb: number }[]> {
	const turns = syntheticTranscript(4 * MB, at.work);
	const short = (n: number): string =>
		`${JSON.stringify({ uuid: `s-${n}`, parentUuid: n ? `s-${n - 1}` : null, type: "user", message: { role: "user", content: `line ${n}` } })}\n`;
	const x = Buffer.alloc(16 * MB, "x");
	const shapes: [name: string, write: (fd: number) => void][] = [
		["250 MB", (fd) => void writeSync(fd, syntheticTranscript(250 * MB, at.work))],
		[
			"2 million lines",
			(fd) => {
				for (let n = 0; n < 2_000_000; n += 10_000)
					writeSync(fd, Array.from({ length: 10_000 }, (_, i) => short(n + i)).join(""));
			},
		],
		[
			"a line of 1 GB",
			(fd) => {
				writeSync(fd, turns);
				writeSync(fd, `{"uuid":"long","type":"user","message":{"role":"user","content":"`);
				for (let n = 0; n < 64; n++) writeSync(fd, x);
				writeSync(fd, `"}}\n`);
				writeSync(fd, turns);
			},
		],
	];
	const found: { name: string; mb: number }[] = [];
	for (const [i, [name, write]] of shapes.entries()) {
		const sid = `large-${i}`;
		const path = transcriptPath(at, sid);
		const fd = openSync(path, "w");
		write(fd);
		closeSync(fd);
		for (const one of [hook(at, "Stop", { name: "Stop", sid, project: at.work }), preCompact(at, "PreCompact", sid)])
			found.push({ name: `${one.name}, ${name}`, mb: await peakMemoryMb(one, join(at.folder, "measured"), 1) });
		rmSync(path);
	}
	return found;
}

/** Rows and folders of so many sessions more. */
function copySessions({ root }: BenchSandbox, sid: string, count: number): void {
	const database = new Database(databasePath(root));
	const columns = (table: string): string[] =>
		(database.query(`SELECT name FROM pragma_table_info('${table}')`).values() as string[][])
			.flat()
			.filter((name) => name !== "id");
	database.transaction(() => {
		for (let i = 0; i < count; i++) {
			const id = `copy-${i}`;
			for (const table of ["records", "cycles", "checkpoints"]) {
				const names = columns(table);
				const given = names.map((name) => (name === "session" ? "?1" : name)).join(", ");
				database
					.query(`INSERT OR IGNORE INTO ${table}(${names.join(", ")}) SELECT ${given} FROM ${table} WHERE session = ?2`)
					.run(id, sid);
			}
			mkdirSync(join(root, "sessions", id, "checkpoints"), { recursive: true, mode: 0o700 });
			mkdirSync(join(root, "run", "pressure"), { recursive: true, mode: 0o700 });
			writeFileSync(join(root, "run", "pressure", id), JSON.stringify({ at: new Date().toISOString() }));
		}
	})();
	database.close();
}

async function ratiosOf(subjects: Subject[]): Promise<[string, number][]> {
	const times = await timePairs(
		subjects.map((subject) => ({ subject, base: bun })),
		runs,
		1,
		() => {},
	);
	return subjects.map(({ name }, i) => {
		const { subject, base } = times[i]!;
		return [name, median(subject.map(({ cpu }) => cpu)) / median(base.map(({ cpu }) => cpu))];
	});
}

function rowOf(name: string, ratios: Record<number, number>, bound: number): Row {
	const sizes = Object.keys(ratios).map(Number);
	const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
	const exponent = most > least ? Math.log(ratios[most]! / ratios[least]!) / Math.log(most / least) : 0;
	return { name, ratios, exponent, bound };
}
