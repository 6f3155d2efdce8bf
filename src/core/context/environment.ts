import { nameInBackticks } from "../text/quoted.ts";
import { countWithNoun } from "../text/text.ts";

export interface ProcessInfo {
	pid: number;
	name: string;
	cpu_percent: number;
	memory_mb: number;
}

/**
 * The machine and the workspace at one moment. A source that is missing on a machine leaves its field out. No command lines:
 * they hold secrets.
 */
export interface EnvironmentData {
	/** Unix seconds. */
	captured_at: number;
	workspace: string;
	process_count?: number;
	/** The busiest, at most 20. */
	processes?: ProcessInfo[];
	memory_used_mb?: number;
	memory_total_mb?: number;
	disk_usage_percent?: number;
	battery_percent?: number;
	uptime_seconds?: number;
}

/** An environment snapshot as exactly two lines of text; unknown values are left out. */
export function environmentLines(environment: EnvironmentData): [string, string] {
	const { processes, process_count: count } = environment;
	const top = processes?.slice(0, 2).map(({ name, cpu_percent: cpu }) => `${nameInBackticks(name)} ${cpu}%`);
	const first = [
		`Workspace ${environment.workspace ? nameInBackticks(environment.workspace) : "unknown"}`,
		count === undefined
			? ""
			: `${countWithNoun(count, "process", "processes")}${top?.length ? ` (top: ${top.join(", ")})` : ""}`,
	];
	const { memory_used_mb: used, memory_total_mb: total, uptime_seconds: uptime } = environment;
	const second = [
		used === undefined || total === undefined ? "" : `Memory ${gigabytes(used)}/${gigabytes(total)} GB used`,
		environment.disk_usage_percent === undefined ? "" : `disk ${Math.round(environment.disk_usage_percent)}% used`,
		environment.battery_percent === undefined ? "" : `battery ${environment.battery_percent}%`,
		uptime === undefined ? "" : `up ${duration(uptime)}`,
	].filter(Boolean);
	return [first.filter(Boolean).join(", "), second.length ? second.join(", ") : "Memory, disk and uptime unknown"];
}

const gigabytes = (mb: number): string => (mb / 1024).toFixed(1);
/** A length of time in its two largest units: `3d 4h`, `2h 5m`, `7m`. */
function duration(seconds: number): string {
	const days = Math.floor(seconds / 86_400);
	const hours = Math.floor((seconds % 86_400) / 3600);
	if (days > 0) return `${days}d ${hours}h`;
	const minutes = Math.floor((seconds % 3600) / 60);
	return hours > 0 ? `${hours}h ${minutes}m` : `${minutes}m`;
}
