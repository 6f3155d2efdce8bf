/**
 * How costs grow: hooks over transcripts of 1 to 250 MB, commands over stores of 1 to 10,000 sessions. Prints the median of each
 * and the exponent between the smallest and the largest; ends 1 where one is above its bound. What indexes cost: bench/recall.ts.
 *
 *   npm run bench:growth [-- --runs N] [--json] [--most MB] [--sessions N]
 */
import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { databasePath } from "../src/store/paths.ts";
import { type BenchSandbox, benchSandbox } from "./latency/bench-sandbox.ts";
import { hook, preCompact, runOnce, transcriptPath } from "./latency/hooks.ts";
import { median, type Subject, timePairs } from "./latency/timed.ts";
import { syntheticTranscript } from "./latency/transcripts.ts";

const { values: options } = parseArgs({
	options: {
		runs: { type: "string", default: "7" },
		most: { type: "string", default: "250" },
		sessions: { type: "string", default: "10000" },
		json: { type: "boolean", default: false },
	},
});
const MB = 1024 * 1024;
const runs = Number(options.runs);
const upTo = (all: number[], most: string): number[] => all.filter((one) => one <= Number(most));
const SIZES = upTo([1, 4, 16, 64, 250], options.most);
const STORES = upTo([1, 100, 1_000, 10_000], options.sessions);
/** Of a hook, which reads what is new alone; of everything else. */
const [HOOK_EXPONENT, EXPONENT] = [0.1, 1.05];
/** Times an empty Bun, of a list of all sessions. */
const LIST_LIMIT = 4;

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

const rows = [...(await overTranscripts(sandbox)), ...(await overStores(sandbox))];
if (options.json) console.log(JSON.stringify(rows, null, 2));
else
	for (const { name, ratios, exponent, bound } of rows) {
		const cells = Object.entries(ratios).map(([size, ratio]) => `${size}: ${ratio.toFixed(1)}`);
		console.log(`${name.padEnd(34)} ${cells.join("  ")}  exponent ${exponent.toFixed(2)} (at most ${bound})`);
	}
const last = (row: Row): number => row.ratios[STORES.at(-1)!] ?? 0;
const isOver = (row: Row): boolean =>
	row.exponent > row.bound || (row.name.startsWith("ccg ") && STORES.includes(10_000) && last(row) > LIST_LIMIT);
if (rows.some(isOver)) process.exitCode = 1;

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
		const person = {
			...at.env("", at.work),
			CLAUDE_CODE_SESSION_ID: "",
			CLAUDE_PROJECT_DIR: "",
			CLAUDECODE: "",
			CLAUDE_CODE_ENTRYPOINT: "",
		};
		const subject = (...args: string[]): Subject => ({
			name: `ccg ${args.join(" ")}`,
			argv: [at.launcher, ...args],
			stdin: "",
			env: person,
			cwd: at.work,
		});
		const subjects = [["status"], ["status", "--all"], ["checkpoint", "list"], ["gc", "--dry-run"]].map((args) =>
			subject(...args),
		);
		for (const [name, ratio] of await ratiosOf(subjects)) found.set(name, { ...found.get(name), [size]: ratio });
	}
	return [...found].map(([name, ratios]) => rowOf(name, ratios, EXPONENT));
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
