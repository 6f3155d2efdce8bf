/**
 * `npm run test:faults`: every write path, struck at every call with every fault. Prints a table; ends 1 when a file was torn,
 * a promise lost, or the in-place writer was not caught. Options: `--only NAME`, `--every N`, `--fault KILL`, `--jobs N`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { enumerate, type Tally } from "./enumerate.ts";
import { type Fault, whyNoStrace } from "./strace.ts";
import { IN_PLACE, WRITE_PATHS } from "./write-paths.ts";

const { values } = parseArgs({
	options: {
		only: { type: "string", default: "" },
		every: { type: "string", default: "1" },
		fault: { type: "string", multiple: true },
		jobs: { type: "string", default: "2" },
	},
});
const FAULTS: Fault[] = ["KILL", "ENOSPC", "EIO", "EACCES"];

const why = whyNoStrace();
if (why) {
	console.error(`NOT RUN: ${why}`);
	process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "ccg-faults-"));
const faults = (values.fault as Fault[] | undefined) ?? FAULTS;
const paths = [...WRITE_PATHS, IN_PLACE].filter(({ name }) => name.includes(values.only));
const jobs = paths.map((path, i) => ({ path, i }));
const tallies: Tally[][] = [];
const started = performance.now();
await Promise.all(
	Array.from({ length: Number(values.jobs) }, async () => {
		for (let job = jobs.shift(); job; job = jobs.shift()) {
			const { path, i } = job;
			tallies[i] = await enumerate(path, join(folder, String(i)), { faults, every: Number(values.every) });
			console.error(`${path.name}: done after ${Math.round((performance.now() - started) / 1000)} s`);
		}
	}),
);
rmSync(folder, { recursive: true, force: true });

const row = (...cells: (string | number)[]): string =>
	cells.map((cell, i) => (i === 0 ? String(cell).padEnd(42) : String(cell).padStart(8))).join("");
console.log(row("path", "fault", "points", "fired", "torn", "lost", "rude"));
const own = tallies.flat().filter(({ path }) => path !== IN_PLACE.name);
for (const { path, fault, points, fired, torn, lost, rude } of tallies.flat())
	console.log(row(path, fault, points, fired, torn.length, lost.length, rude.length));
const sum = (pick: (tally: Tally) => number): number => own.reduce((all, tally) => all + pick(tally), 0);
console.log(
	row(
		"in all, without the in-place writer",
		"",
		sum((t) => t.points),
		sum((t) => t.fired),
		sum((t) => t.torn.length),
		sum((t) => t.lost.length),
		sum((t) => t.rude.length),
	),
);
for (const { path, torn, lost, rude } of own)
	for (const [what, list] of Object.entries({ torn, lost, rude }))
		for (const one of list) console.log(`${what}: ${path}: ${one}`);
const control = tallies.flat().filter(({ path }) => path === IN_PLACE.name);
const isBlind = control.length > 0 && !control.some(({ torn }) => torn.length > 0);
if (isBlind) console.log("the in-place writer was not caught: this run proves nothing");
process.exit(isBlind || sum((t) => t.torn.length + t.lost.length + t.rude.length) > 0 ? 1 : 0);
