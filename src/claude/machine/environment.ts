import type { EnvironmentData, ProcessInfo } from "../../core/context/environment.ts";
import { safeText } from "../../core/text/text.ts";
import { megabytes, quickEnvironment } from "./environment-quick.ts";
import { readWorkspace } from "./workspace.ts";

const TOP = 20;
/** A source that takes longer is missing. */
const SOURCE_MS = 4_000;

/**
 * The whole snapshot, with the 20 busiest processes (names only: command lines hold secrets), by systeminformation where
 * the kernel's files do not tell. Starts processes and takes up to seconds: cold paths only. A source that fails or does
 * not answer in time is absent. Never rejects.
 */
export async function readEnvironment(folder: string, now: Date): Promise<EnvironmentData> {
	const quick = quickEnvironment(folder, now);
	const workspace = attempt(() => readWorkspace(folder, now));
	const found: EnvironmentData = {
		...quick,
		...(workspace?.branch && { git: { branch: workspace.branch } }),
	};
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
	if (found.uptime_seconds === undefined) {
		const uptime = attempt(() => si.time().uptime);
		if (uptime !== null && Number.isFinite(uptime)) found.uptime_seconds = Math.floor(uptime);
	}
	return found;
}

interface ListedProcess {
	pid: number;
	name: string;
	cpu: number;
	memRss: number;
}

/** By processor, then by memory. `memRss` is in kB. */
function busiest(list: readonly ListedProcess[]): ProcessInfo[] {
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

async function inTime<T>(source: Promise<T>): Promise<T | null> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<null>((resolve) => {
		timer = setTimeout(() => resolve(null), SOURCE_MS);
	});
	try {
		return await Promise.race([source, late]);
	} catch {
		return null;
	} finally {
		clearTimeout(timer);
	}
}

function attempt<T>(act: () => T): T | null {
	try {
		return act();
	} catch {
		return null;
	}
}
