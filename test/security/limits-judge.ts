/** Judges what a hostile input cost, told and left: the same for all lists of inputs. */
import { appendFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { scratch } from "../scratch-home.ts";
import { drive, givenIn, type Hostile, hostileSandbox, PLANTED, toldIn } from "./limits-fixture.ts";

const MAX_MB = 150;
/** On the processor: nearly the same whatever else the machine does; neighbours on its cores make each step dearer. */
const MAX_CPU_MS = 1_000;
/** An idle hook takes 40 ms of it on a quiet machine. */
const TIMES_IDLE_CPU = 25;
/** A machine that is busy with other things takes this much longer for everything. */
const TIMES_IDLE = 30;

/** One test for each input. Rows go to the file that `bench/limits.ts` names. */
export function judge(inputs: readonly Hostile[]): void {
	let limitMs = 1_000;
	let limitCpuMs = MAX_CPU_MS;
	beforeAll(async () => {
		const idle: Hostile = { name: "idle", doors: ["pre-compact", "start compact", "stop"] };
		const rows = await drive(hostileSandbox(idle, scratch("limits")), idle);
		const times = rows.map(({ ms }) => ms).sort((a, b) => a - b);
		limitMs = Math.max(limitMs, TIMES_IDLE * times[1]!);
		const cpu = rows.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
		limitCpuMs = Math.max(limitCpuMs, TIMES_IDLE_CPU * cpu[1]!);
	});
	// once more where a neighbour took the cores: what is slow by itself is slow twice
	test.each(inputs.map((hostile) => [hostile.name, hostile] as const))("%s", { retry: 1 }, async (_, hostile) => {
		const at = hostileSandbox(hostile, scratch("limits"));
		const rows = await drive(at, hostile);
		const told = toldIn(at, rows);
		keepRows(hostile, rows, told);
		for (const { door, ms, cpuMs, mb, outcome } of rows) {
			expect([door, outcome.timedOut]).toEqual([door, false]);
			expect(mb, `${door}: memory in MB`).toBeLessThan(MAX_MB);
			expect(cpuMs, `${door}: time on the processor in ms`).toBeLessThan(limitCpuMs);
			expect(ms, `${door}: time in ms`).toBeLessThan(limitMs);
			if (!door.startsWith("ccg ")) expect([door, outcome.code]).toEqual([door, 0]);
		}
		if (!hostile.wordless) expect(givenIn(rows)).toContain(PLANTED);
		if (hostile.told) expect(told).toMatch(hostile.told);
	});
}

function keepRows(hostile: Hostile, rows: Awaited<ReturnType<typeof drive>>, told: string): void {
	const path = process.env.CCG_TEST_LIMITS_ROWS;
	if (!path) return;
	const words = hostile.wordless ? null : givenIn(rows).includes(PLANTED);
	const said = hostile.told ? (hostile.told.exec(told)?.[0] ?? "nothing") : "";
	for (const { input, door, ms, cpuMs, mb, outcome } of rows)
		appendFileSync(
			path,
			`${JSON.stringify({ input, door, ms: Math.round(ms), cpu: Math.round(cpuMs), mb: Math.round(mb), killed: outcome.timedOut, words, said })}\n`,
		);
}
