import { statfsSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentData } from "../../core/context/environment.ts";
import { safeText } from "../../core/text/text.ts";
import { namesIn } from "../../files/names-in.ts";
import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";
import { readText } from "../../store/json-file.ts";

const POWER = "/sys/class/power_supply";

/**
 * The snapshot as far as it costs a hook less than a millisecond: from the kernel's own files, no process started, no
 * library loaded. What a machine does not have is absent, as are the processes by name. Never throws.
 */
export function quickEnvironment(folder: string, now: Date): EnvironmentData {
	const branch = branchOf(folder, 12);
	const memory = readText("/proc/meminfo", 64 * 1024) ?? "";
	const kilobytes = (name: string): number | undefined =>
		numberOf(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(memory)?.[1]);
	const total = kilobytes("MemTotal");
	const free = kilobytes("MemAvailable") ?? kilobytes("MemFree");
	const uptime = numberOf(readText("/proc/uptime", 200)?.split(" ")[0]);
	const load = numberOf(readText("/proc/loadavg", 200)?.split(" ")[0]);
	const count = namesIn("/proc").filter((name) => /^\d+$/.test(name)).length;
	const disk = diskUsage(folder || "/");
	const battery = batteryPercent();
	return {
		captured_at: Math.floor(now.getTime() / 1000),
		workspace: safeText(folder).replace(/\s+/g, " "),
		...(branch && { git: { branch: safeText(branch).replace(/\s+/g, " ") } }),
		...(count > 0 && { process_count: count }),
		...(total !== undefined &&
			free !== undefined && {
				memory_used_mb: Math.round((total - free) / 1024),
				memory_total_mb: Math.round(total / 1024),
			}),
		...(disk !== undefined && { disk_usage_percent: disk }),
		...(battery !== undefined && { battery_percent: battery }),
		...(uptime !== undefined && { uptime_seconds: Math.floor(uptime) }),
		...(load !== undefined && { load_average: load }),
	};
}

/** As df shows it: of what a user may fill. */
function diskUsage(folder: string): number | undefined {
	try {
		const { blocks, bfree, bavail } = statfsSync(folder);
		const used = blocks - bfree;
		return used + bavail > 0 ? Math.round((1000 * used) / (used + bavail)) / 10 : undefined;
	} catch {
		return undefined;
	}
}

function batteryPercent(): number | undefined {
	for (const name of namesIn(POWER))
		if (name.startsWith("BAT")) return numberOf(readText(join(POWER, name, "capacity"), 100)?.trim());
	return undefined;
}

function numberOf(text: string | undefined): number | undefined {
	const value = text === undefined || text === "" ? Number.NaN : Number(text);
	return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The branch that is checked out in a folder, of a detached head the first `digits` of its commit; `null` outside git. Starts no process, never throws. */
export function branchOf(folder: string, digits = 7): string | null {
	try {
		const repository = folder ? repositoryOf(folder) : null;
		const head = repository && readHead(repository);
		return head?.branch ?? head?.commit?.slice(0, digits) ?? null;
	} catch {
		return null;
	}
}
