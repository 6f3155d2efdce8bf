import type { Command } from "commander";
import type { StatusOptions } from "../acts/status.ts";
import type { Io } from "../support/io.ts";

export function registerStatus(program: Command, io: Io): void {
	program
		.command("status")
		.description("sessions in a table, this project's first: context use, zone, checkpoint, halt gate, task, failures")
		.option("--session <id>", "only this session, with all that is known of it")
		.option("--all", "also sessions not seen for two days")
		.option("--json", "machine-readable")
		.addHelpText("after", HELP)
		.action(async (options: StatusOptions) => {
			(await import("../acts/status.ts")).status(options, io);
		});
}

const HELP = `
Examples:
  ccg status
  ccg status --session 0c0ffee0
  ccg status --json | jq '.[0].distance'`;
