import { uptime } from "node:os";
import type { Systeminformation } from "systeminformation";
import type { EnvironmentData, ProcessInfo } from "../../core/context/environment.ts";
import { safeText } from "../../core/text/text.ts";
import { quickEnvironment } from "./environment-quick.ts";

const TOP = 20;
/** A source that takes longer is missing. */
const SOURCE_MS = 4_000;

/**
 * The whole snapshot, with the 20 busiest processes (names only: command lines hold secrets), by systeminformation where
 * the kernel's files do not tell. Starts processes and takes up to seconds: cold paths only. A source that fails or does
 * not answer in time is absent. Never rejects.
 */
export async function readEnvironment(folder: string, now: Date): Promise<EnvironmentData> {
	const found = quickEnvironment(folder, now);
	const si = await inTime(import("systeminformation"));
	if (!si) return found;
	const [processes, memory, battery] = await Promise.all([
		inTime(si.processes()),
		found.memory_total_mb === undefined ? inTime(si.mem()) : null,
		found.battery_percent === undefined ? inTime(si.battery()) : null,
	]);
	if (processes?.list.length) {
		found.process_count = processes.all || processes.list.length;
		found.processes = busiest(processes.list);
	}
	if (memory?.total) {
		found.memory_total_mb = megabytes(memory.total);
		found.memory_used_mb = megabytes(memory.total - memory.available);
	}
	if (battery?.hasBattery && Number.isFinite(battery.percent)) found.battery_percent = battery.percent;
	found.uptime_seconds ??= Math.floor(uptime());
	return found;
}

const MB = 1024 * 1024;
const megabytes = (bytes: number): number => Math.round(bytes / MB);

/** By processor, then by memory. `memRss` is in kB. */
function busiest(list: readonly Systeminformation.ProcessesProcessData[]): ProcessInfo[] {
	return list
		.filter(({ pid }) => pid !== process.pid)
		.map(({ pid, name, cpu, memRss }) => ({
			pid,
			name: safeText(String(name)).replace(/\s+/g, " ").slice(0, 60),
			cpu_percent: Math.round((cpu || 0) * 10) / 10,
			memory_mb: Math.round((memRss || 0) / 1024),
		}))
		.sort((a, b) => b.cpu_percent - a.cpu_percent || b.memory_mb - a.memory_mb || a.pid - b.pid)
		.slice(0, TOP);
}

function inTime<T>(source: Promise<T>): Promise<T | null> {
	const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), SOURCE_MS).unref());
	return Promise.race([source.catch(() => null), late]);
}
