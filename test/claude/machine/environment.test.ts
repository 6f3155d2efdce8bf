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
	expect(seen.process_count).toBeGreaterThanOrEqual(processes!.length);
	expect(processes!.length).toBeLessThanOrEqual(20);
	for (const one of processes!) expect(Object.keys(one)).toEqual(["pid", "name", "cpu_percent", "memory_mb"]);
	const cpu = processes!.map(({ cpu_percent: percent }) => percent);
	expect(cpu).toEqual(cpu.toSorted((a, b) => b - a));
});

test("a folder that is gone, or none: what depends on it is absent", () => {
	expect(quickEnvironment("/nowhere/at all", NOW)).not.toHaveProperty("disk_usage_percent");
	expect(() => quickEnvironment("", NOW)).not.toThrow();
});

test.each([
	["-InternalBattery-0 (id=4653155)\\t87%%; discharging; 5:12 remaining present: true", 87],
	["-UPS 50%%; AC attached", quickEnvironment("/", NOW).battery_percent],
])("the battery as macOS tells it: %s", (line, charge) => {
	const pmset = join(scratch(), "pmset");
	const printed = `Now drawing from 'AC Power'\\n ${line}\\n`;
	writeFileSync(pmset, `#!/bin/sh\n[ "$*" = "-g batt" ] && printf "${printed}"\n`, { mode: 0o755 });
	expect(readEnvironment("/", NOW, pmset).battery_percent).toBe(charge);
});
