import { expect, test } from "vitest";
import { environmentLines } from "../../../src/core/context/environment.ts";

test.each([
	[
		"everything",
		{
			captured_at: 1,
			workspace: "/p",
			process_count: 142,
			processes: [
				{ pid: 1, name: "firefox", cpu_percent: 2.3, memory_mb: 1 },
				{ pid: 2, name: "chrome", cpu_percent: 1.8, memory_mb: 1 },
				{ pid: 3, name: "x", cpu_percent: 1, memory_mb: 1 },
			],
			memory_used_mb: 8_400,
			memory_total_mb: 16_384,
			disk_usage_percent: 45.2,
			battery_percent: 78,
			uptime_seconds: 2 * 86_400 + 5 * 3600,
		},
		"Workspace `/p`, 142 processes (top: `firefox` 2.3%, `chrome` 1.8%)",
		"Memory 8.2/16.0 GB used, disk 45% used, battery 78%, up 2d 5h",
	],
	["nothing", { captured_at: 1, workspace: "" }, "Workspace unknown", "Memory, disk and uptime unknown"],
	["a young machine", { captured_at: 1, workspace: "/p", uptime_seconds: 3_900 }, "Workspace `/p`", "up 1h 5m"],
])("%s", (_, environment, first, second) => {
	expect(environmentLines(environment)).toEqual([first, second]);
});
