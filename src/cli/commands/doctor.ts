import type { Command } from "commander";
import type { DoctorInput } from "../../doctor/check.ts";
import type { Io } from "../support/io.ts";

/** `ccg doctor`: checks everything and runs each registered command. `place` puts other folders and limits in. */
export function registerDoctor(
	program: Command,
	io: Io,
	place: Pick<DoctorInput, "managed" | "timeLimitMs"> = {},
): void {
	program
		.command("doctor")
		.description("check that ccg works here: run every registered command, and tell what keeps hooks from running")
		.option("--json", "machine-readable")
		.addHelpText("after", HELP)
		.action(async (options: { json?: boolean }) => (await import("../acts/doctor.ts")).doctor(options, io, place));
}

const HELP = `
Only commands that this ccg writes itself, letter by letter, are run; others that settings files hold are shown. They run
in a store and a project of their own; nothing of yours is touched. A status line that ccg wraps in your own settings is
run once, too.

Examples:
  ccg doctor
  ccg doctor --json | jq '.checks[] | select(.status == "fail")'
  ccg doctor --json | jq '.commands[] | {event, run, ms}'

Exit codes: 0 nothing failed, 1 something failed.`;
