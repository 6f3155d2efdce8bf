/**
 * How long ccg keeps Claude Code waiting: whole processes, started as Claude Code starts them, beside an empty shell, an
 * empty Bun and other status lines. What is measured and how to read it: bench/README.md.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { benchSandbox } from "./latency/bench-sandbox.ts";
import { measure } from "./latency/measure.ts";
import { isWithin, table } from "./latency/table.ts";

const HELP = `npm run bench:latency -- [options]

  --runs N       runs per row (40)
  --data DIR     transcripts, *.jsonl or *.jsonl.gz: the largest is taken (without: a synthetic one of 4 MB)
  --only TEXT    only rows whose name contains TEXT
  --no-peers     without the other status lines
  --launcher F   bin/ccg of another installation (without: this one's)
  --json         the result as JSON
  --check        exit code 1 when a limit is exceeded (0 otherwise)`;

const { values: options } = parseArgs({
	options: {
		runs: { type: "string", default: "40" },
		data: { type: "string" },
		only: { type: "string", default: "" },
		"no-peers": { type: "boolean", default: false },
		launcher: { type: "string" },
		json: { type: "boolean", default: false },
		check: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	},
});
if (options.help) {
	console.log(HELP);
	process.exit(0);
}
const runs = Number(options.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs ${options.runs} is no number of runs`);
const repository = resolve(import.meta.dir, "..");
const launcher = resolve(options.launcher ?? join(repository, "bin", "ccg"));
const say = (line: string): void => console.error(line);
warnOfOldBundle(resolve(dirname(launcher), ".."));

const sandbox = await benchSandbox(launcher);
process.once("exit", sandbox.remove);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
const rows = await measure(sandbox, {
	runs,
	data: options.data,
	only: options.only,
	peerCache: options["no-peers"] ? undefined : join(repository, ".cache"),
	say,
});
const failures = join(sandbox.root, "log", "ccg.log");
if (existsSync(failures))
	say(`hooks failed meanwhile, so these figures are not theirs:\n${readFileSync(failures, "utf8")}`);
if (options.json) {
	const machine = { platform: process.platform, cpus: availableParallelism(), bun: Bun.version };
	const judged = rows.map((row) => ({ ...row, ok: isWithin(row) }));
	console.log(JSON.stringify({ runs, machine, rows: judged }, null, 2));
} else console.log(table(rows));
if (options.check && rows.some((row) => isWithin(row) === false)) process.exitCode = 1;

/** The hooks run from `dist/` where it is there: an old one would be measured in place of the source. */
function warnOfOldBundle(root: string): void {
	const bundle = join(root, "dist", "hooks", "pre-compact.js");
	if (!existsSync(bundle)) return say("there is no dist/: TypeScript as it is gets measured; npm run build makes it");
	const built = statSync(bundle).mtimeMs;
	const newer = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).some(
		(name) => statSync(join(root, "src", name)).mtimeMs > built,
	);
	if (newer) say("dist/ is older than src/: npm run build makes it anew");
}
