import type { Command } from "commander";
import { readEnvironment } from "../claude/environment.ts";
import { environmentLines } from "../core/context/environment.ts";
import { answerJson } from "./answer-json.ts";
import type { Io } from "./io.ts";
import { isoOf } from "./layout/moment.ts";

/** `ccg env`: the machine and the workspace as a session sees them. */
export function registerEnv(program: Command, io: Io): void {
	program
		.command("env")
		.description(
			"workspace, git, busiest processes, memory, disk, battery, uptime; what a machine does not have is left out",
		)
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nProcesses are named without their command lines: those hold secrets.\n\nExamples:\n  ccg env\n  ccg env --json | jq .memory_used_mb",
		)
		.action(async ({ json }: { json?: boolean }) => {
			const environment = await readEnvironment(io.cwd, new Date());
			if (json) return answerJson(io, { ...environment, captured_at: isoOf(environment.captured_at) });
			for (const line of environmentLines(environment)) io.out(line);
			for (const { pid, name, cpu_percent: cpu, memory_mb: memory } of environment.processes ?? [])
				io.out(
					`  ${String(pid).padStart(7)}  ${`${cpu.toFixed(1)}%`.padStart(7)}  ${`${memory} MB`.padStart(9)}  ${name}`,
				);
		});
}
