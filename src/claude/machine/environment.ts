import { statfsSync } from "node:fs";
import { basename, join } from "node:path";
import type { EnvironmentData, ProcessInfo } from "../../core/context/environment.ts";
import { oneLine, safeText } from "../../core/text/text.ts";
import { readText } from "../../files/json-file.ts";
import { listFolder, tryOrUndefined } from "../../files/quietly.ts";

/** Loads node:os at the first call: most hooks never need it. */
const loadOs = (): typeof import("node:os") => require("node:os");
const POWER = "/sys/class/power_supply";
const MB = 1024 * 1024;

/** A snapshot of the machine in less than a millisecond: no program is started. What a machine does not tell is absent. Never throws. */
export function quickEnvironment(folder: string, now: Date): EnvironmentData {
	const { freemem, totalmem, uptime } = loadOs();
	const count = listFolder("/proc").filter((name) => Number(name) > 0).length;
	const disk = diskUsage(folder || "/");
	const battery = listFolder(POWER).find((name) => name.startsWith("BAT"));
	const charge = Number.parseInt((battery && readText(join(POWER, battery, "capacity"), 100)) ?? "", 10);
	return {
		captured_at: Math.floor(now.getTime() / 1000),
		workspace: oneLine(safeText(folder)),
		...(count > 0 && { process_count: count }),
		memory_used_mb: Math.round((totalmem() - freemem()) / MB),
		memory_total_mb: Math.round(totalmem() / MB),
		...(disk !== undefined && { disk_usage_percent: disk }),
		...(charge >= 0 && { battery_percent: charge }),
		uptime_seconds: Math.floor(uptime()),
	};
}

/** Percent of the disk that is in use, as df counts: of the blocks that a user may fill. */
function diskUsage(folder: string): number | undefined {
	const { blocks = 0, bfree = 0, bavail = 0 } = tryOrUndefined(() => statfsSync(folder)) ?? {};
	const used = blocks - bfree;
	return used + bavail > 0 ? Math.round((1000 * used) / (used + bavail)) / 10 : undefined;
}

const TOP = 20;

/** The whole snapshot, with the 20 busiest processes (by `ps`) and the battery of macOS: it takes too long for a hook, so only people ask for it. */
export function readEnvironment(folder: string, now: Date, pmset = "/usr/bin/pmset"): EnvironmentData {
	const [, charge] =
		/InternalBattery-\d{1,3}(?: \(id=\d{1,12}\))?\s{1,8}(\d{1,3})%/.exec(runProgram(pmset, "-g", "batt")) ?? [];
	const environment = { ...quickEnvironment(folder, now), ...(charge && { battery_percent: Number(charge) }) };
	const list = listProcesses();
	if (list.length === 0) return environment;
	const busiest = list.sort((a, b) => b.cpu_percent - a.cpu_percent || b.memory_mb - a.memory_mb || a.pid - b.pid);
	return { ...environment, process_count: list.length, processes: busiest.slice(0, TOP) };
}

/** The running processes, by name alone: command lines hold secrets. */
const listProcesses = (): ProcessInfo[] =>
	runProgram("/bin/ps", "-Ao", "pid=,pcpu=,rss=,comm=")
		.trim()
		.split("\n")
		.flatMap((line) => {
			const [pid, cpu, kilobytes, ...name] = line.trim().split(/\s+/);
			const one = {
				pid: Number(pid),
				name: safeText(basename(name.join(" "))).slice(0, 60),
				cpu_percent: Number(cpu),
				memory_mb: Math.round(Number(kilobytes) / 1024),
			};
			return one.pid > 0 && one.pid !== process.pid && one.cpu_percent >= 0 ? [one] : [];
		});

/** What a program of the system prints; nothing where there is none. */
const runProgram = (...command: string[]): string =>
	String(tryOrUndefined(() => Bun.spawnSync(command, { stdout: "pipe", env: { LC_ALL: "C" } }).stdout) ?? "");
