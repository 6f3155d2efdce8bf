import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { quickEnvironment, readEnvironment } from "../../../src/claude/machine/environment.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-03-01T10:00:00Z");

test("workspace, disk, memory, and the busiest 20 by name, without command lines", () => {
	const folder = scratch();
	const { processes, ...seen } = readEnvironment(folder, NOW);
	expect(seen).toMatchObject({ captured_at: NOW.getTime() / 1000, workspace: folder });
	expect(seen.disk_usage_percent).toBeLessThanOrEqual(100);
	expect(seen.memory_total_mb).toBeGreaterThan(seen.memory_used_mb!);
	expect(seen.process_count).toBeGreaterThan(0);
	expect(processes!.length).toBeGreaterThan(0);
	expect(processes!.length).toBeLessThanOrEqual(20);
	for (const one of processes!) expect(Object.keys(one)).toEqual(["pid", "name", "cpu_percent", "memory_mb"]);
	const cpu = processes!.map(({ cpu_percent: percent }) => percent);
	expect(cpu).toEqual(cpu.toSorted((a, b) => b - a));
});

test("a folder that is gone, or none: what depends on it is absent", () => {
	const seen = quickEnvironment("/nowhere/at all", NOW);
	expect(seen).not.toHaveProperty("disk_usage_percent");
	expect(() => quickEnvironment("", NOW)).not.toThrow();
});

test.each([
	["-InternalBattery-0 (id=4653155)\\t87%; discharging; 5:12 remaining present: true", 87],
	["-InternalBattery-0 (id=4653155)\\t100%; charged; 0:00 remaining present: true", 100],
	["-UPS 50%; AC attached", undefined],
])("the battery as macOS tells it: %s", (line, charge) => {
	const pmset = join(scratch(), "pmset");
	writeFileSync(
		pmset,
		`#!/bin/sh\n[ "$*" = "-g batt" ] && printf "Now drawing from 'AC Power'\\n ${line}\\n"\n`.replaceAll("%;", "%%;"),
		{
			mode: 0o755,
		},
	);
	const { battery_percent: known } = quickEnvironment("/", NOW);
	expect(readEnvironment("/", NOW, pmset).battery_percent).toBe(charge ?? known);
});
