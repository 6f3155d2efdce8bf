import fc from "fast-check";
import { expect, test } from "vitest";
import { type Change, coreWith } from "../kit/sync-core.ts";
import { histories } from "../kit/sync-histories.ts";
import { byGit, inFolders, inMemory, type MakeWay, SMALL_SEGMENTS, STEPS_OF_GIT } from "../kit/sync-ways.ts";

/** So many of each in `npm test`. */
const SHORT = process.env.CCG_TEST_SHORT ? 10 : undefined;
const WAYS: [name: string, way: MakeWay, runs: number, length: number, ...changes: Change[]][] = [
	["in memory", inMemory, 10_000, 80],
	["in folders that are carried", inFolders, 200, 80, SMALL_SEGMENTS],
	["by a git repository", byGit, 200, 30, STEPS_OF_GIT, SMALL_SEGMENTS],
];

test.each(WAYS)(
	"whatever happens on the way, all replicas are equal in the end and nothing is lost: %s",
	{
		timeout: 3_600_000,
	},
	async (_, way, runs, length, ...changes) => {
		const wanted = Number(process.env.CCG_TEST_HISTORIES ?? SHORT ?? runs);
		const found = await histories(await coreWith(...changes), way, wanted, length);
		expect(found.failed, `${found.errorInstance}\n${fc.defaultReportMessage(found)}`).toBe(false);
		expect(found.numRuns).toBe(wanted);
	},
);

/** Faults of a kind that such code has had. The histories must find each. */
const PLANTED: [what: string, way: MakeWay, ...Change[]][] = [
	[
		"what is replaced before it comes is forgotten",
		inMemory,
		[
			"log.ts",
			"AND EXISTS (SELECT 1 FROM heads WHERE machine = live.machine AND seq >= CAST(substr(id, 34) AS INTEGER))",
			"",
		],
	],
	[
		"what was sent once is not offered again",
		inMemory,
		[
			"exchange.ts",
			"for (let next = held + 1; ; ) {",
			"const mark = ((log.rows as unknown as { sent?: { at: number } }).sent ??= { at: 0 }); const begin = Math.max(held, mark.at) + 1; mark.at = held + all; for (let next = begin; ; ) {",
		],
	],
	[
		"the newest of two texts takes the other's place",
		inMemory,
		[
			"log.ts",
			"const value = isOfSpace ?",
			"log.rows.query('DELETE FROM live WHERE item = ? AND field = ? AND clock < ? AND project IS NOT NULL AND value IS NOT NULL').run(op.item as never, op.field as never, clock as never); const value = isOfSpace ?",
		],
	],
	[
		"a half line stays where it came",
		inFolders,
		SMALL_SEGMENTS,
		[
			"folder.ts",
			"let lines = wholeOf(machine, first);",
			"let lines = openInside(folder, pathOf(machine, first), { maxBytes: MAX_SEGMENT })?.bytes ?? Buffer.alloc(0);",
		],
	],
]; // prettier-ignore

test.each(PLANTED)("a planted fault is found: %s", { timeout: 300_000 }, async (_, way, ...changes) => {
	const found = await histories(await coreWith(...changes), way, 300);
	expect(String(found.errorInstance)).toMatch(/^Error: .+ (?:is\n|is lost$|does not follow on)/);
});
