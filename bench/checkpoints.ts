/**
 * `npx bun bench/checkpoints.ts`: what checkpoints cost as whole processes, in their time on the processor, in turns: a save beside the hook before a
 * compaction, a list over 10,000 beside an empty Bun, 100 validated in one run. Exits 1 where a bound is passed. `--runs N`.
 */

import { Database } from "bun:sqlite";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkpointKey } from "../src/core/checkpoint/checkpoint-key.ts";
import { makeSandbox, sessionFields } from "../src/doctor/sandbox.ts";
import { sha256 } from "../src/store/gate.ts";
import { databasePath } from "../src/store/paths.ts";
import { median } from "./latency/timed.ts";
import { SYNTHETIC_BYTES, syntheticTranscript } from "./latency/transcripts.ts";

const { values } = parseArgs({ options: { runs: { type: "string", default: "21" } } });
const launcher = resolve(import.meta.dirname, "../bin/ccg");
const top = realpathSync(mkdtempSync(join(tmpdir(), "ccg-bench-checkpoints-")));
const made = makeSandbox(top, { name: "work" });
const env = { ...made.env, PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: made.home };
writeFileSync(made.transcript, syntheticTranscript(SYNTHETIC_BYTES, made.project));

function timed(argv: string[], input: object | null = null): number {
	const ran = Bun.spawnSync(argv, { env, cwd: made.project, stdin: Buffer.from(input ? JSON.stringify(input) : "") });
	if (ran.exitCode !== 0) throw new Error(`${argv.join(" ")}: ${ran.exitCode} ${ran.stderr}`);
	return Number(ran.resourceUsage.cpuTime.total) / 1000;
}

/** Medians of two that take turns. */
function pair(one: () => number, other: () => number): [number, number] {
	const times: [number[], number[]] = [[], []];
	for (let i = 0; i < Number(values.runs); i++) {
		times[0].push(one());
		times[1].push(other());
	}
	return [median(times[0]), median(times[1])];
}

const hook = (name: string, fields: object) => timed([launcher, "hook", name], { ...sessionFields(made), ...fields });
const ccg = (...args: string[]) => timed([launcher, "checkpoint", ...args]);

const bounds: { name: string; ratio: number; most: number }[] = [];
try {
	hook("stop", { hook_event_name: "Stop" });
	const [save, before] = pair(
		() => ccg("save", "--session", made.sid, "--json"),
		() => hook("pre-compact", { hook_event_name: "PreCompact", trigger: "manual" }),
	);
	console.log(`save ${save.toFixed(1)} ms, PreCompact ${before.toFixed(1)} ms: ${(save / before).toFixed(2)}`);
	bounds.push({ name: "save by PreCompact", ratio: save / before, most: 1.3 });
	fill(100);
	console.log(`validate of 100: ${median(Array.from({ length: 5 }, () => ccg("validate", "--json"))).toFixed(1)} ms`);
	fill(10_000);
	const empty = join(top, "empty.ts");
	writeFileSync(empty, "");
	const [list, bun] = pair(
		() => ccg("list"),
		() => timed([process.execPath, "--config=/dev/null", "--no-env-file", empty]),
	);
	console.log(`list over 10,000: ${list.toFixed(1)} ms, empty Bun ${bun.toFixed(1)} ms: ${(list / bun).toFixed(2)}`);
	console.log(`all 10,000 of them: ${median(Array.from({ length: 5 }, () => ccg("list", "--json"))).toFixed(1)} ms`);
	bounds.push({ name: "list by an empty Bun", ratio: list / bun, most: 3 });
} finally {
	rmSync(top, { recursive: true, force: true });
}
for (const { name, ratio, most } of bounds.filter((one) => one.ratio > one.most)) {
	console.error(`${name}: ${ratio.toFixed(2)}, and ${most} is the most`);
	process.exitCode = 1;
}

/** So many checkpoints, 20 in a session, in place of those there are; each a real one's content, sealed under a key of its own. */
function fill(count: number): void {
	const database = new Database(databasePath(made.store));
	const { about, value, project } = database
		.query("SELECT about, value, project FROM checkpoints WHERE session = ?")
		.get(made.sid) as {
		about: string;
		value: string;
		project: string;
	};
	database.query("DELETE FROM checkpoints WHERE session <> ?").run(made.sid);
	const whole = count <= 100;
	const { sha256: _, ...content } = JSON.parse(value);
	database.transaction(() => {
		for (let n = 0; n < count; n++) {
			const at = new Date(Date.now() - n * 60_000);
			const session = `bench-${String(Math.floor(n / 20)).padStart(5, "0")}`;
			const key = checkpointKey(at, 1, "time");
			const one = { ...content, key, session };
			const sealed = JSON.stringify({ ...one, sha256: sha256(JSON.stringify(one)) });
			database
				.query("INSERT INTO checkpoints(session, key, at, project, about, value) VALUES(?, ?, ?, ?, ?, ?)")
				.run(session, key, at.toISOString(), project, about, whole ? sealed : "{}");
		}
	})();
	database.close();
}
