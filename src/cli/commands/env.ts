import type { Command } from "commander";
import type { Io } from "../support/io.ts";

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
		.action(async (options: { json?: boolean }) => (await import("../acts/env.ts")).environment(options, io));
}
