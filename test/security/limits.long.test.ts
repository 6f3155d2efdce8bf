/** What each hostile input cost, told and left. */
import { appendFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { scratch } from "../scratch-home.ts";
import { drive, givenIn, HOSTILE, type Hostile, hostileSandbox, PLANTED, toldIn } from "./limits-fixture.ts";

const MAX_MB = 150;
/** An idle hook takes 40 ms on the processor of a quiet machine; one that is busy takes longer for everything. */
const TIMES_IDLE_CPU = 25;
const TIMES_IDLE = 30;

let limitMs = 1_000;
let limitCpuMs = 1_000;
const median = (values: number[]): number => values.sort((a, b) => a - b)[1]!;
const measureIdle = async (): Promise<void> => {
	const idle: Hostile = { name: "idle", entries: "pre-compact, start compact, stop" };
	const rows = await drive(hostileSandbox(idle, scratch("limits")), idle);
	limitMs = Math.max(limitMs, TIMES_IDLE * median(rows.map(([, { ms }]) => ms)));
	limitCpuMs = Math.max(limitCpuMs, TIMES_IDLE_CPU * median(rows.map(([, { cpuMs }]) => cpuMs)));
};
beforeAll(measureIdle);
// once more where a neighbour took the cores, beside an idle hook of then: what is slow by itself is slow twice
const tried = new Set<Hostile>();

test.each(HOSTILE.map((hostile) => [hostile.name, hostile] as const))("%s", { retry: 1 }, async (_, hostile) => {
	if (tried.has(hostile)) await measureIdle();
	tried.add(hostile);
	const at = hostileSandbox(hostile, scratch("limits"));
	const rows = await drive(at, hostile);
	const words = hostile.entries.includes("start compact") ? givenIn(rows).includes(PLANTED) : null;
	const told = toldIn(at, rows);
	keepRows(hostile, rows, { words, said: hostile.told ? new RegExp(hostile.told, "i").exec(told)?.[0] : "" });
	for (const [entry, { timedOut, ms, cpuMs, peakMb, code }] of rows) {
		expect([entry, timedOut]).toEqual([entry, false]);
		expect(peakMb, `${entry}: memory in MB`).toBeLessThan(MAX_MB);
		expect(cpuMs, `${entry}: time on the processor in ms`).toBeLessThan(limitCpuMs);
		expect(ms, `${entry}: time in ms`).toBeLessThan(limitMs);
		if (!entry.startsWith("ccg ")) expect([entry, code]).toEqual([entry, 0]);
	}
	expect(words).not.toBe(false);
	if (hostile.told) expect(told).toMatch(new RegExp(hostile.told, "i"));
});

/** Rows go to the file that `bench/limits.ts` names. */
function keepRows({ name }: Hostile, rows: Awaited<ReturnType<typeof drive>>, more: object): void {
	const path = process.env.CCG_TEST_LIMITS_ROWS;
	if (!path) return;
	for (const [entry, { ms, cpuMs, peakMb, timedOut }] of rows) {
		const [time, cpu, mb] = [ms, cpuMs, peakMb].map(Math.round);
		appendFileSync(path, `${JSON.stringify({ input: name, entry, ms: time, cpu, mb, killed: timedOut, ...more })}\n`);
	}
}
