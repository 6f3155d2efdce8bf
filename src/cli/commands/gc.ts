import { type Command, Option } from "commander";
import type { GcOptions } from "../acts/gc.ts";
import type { Io } from "../support/io.ts";
import { wholeNumber } from "../support/number-argument.ts";

/** `ccg gc`: deletes what retention does not keep. */
export function registerGc(program: Command, io: Io): void {
	program
		.command("gc")
		.description("delete old sessions, checkpoints, reports and leftovers of the store; says what and why")
		.option("--dry-run", "say it and delete nothing")
		.option("--older-than <days>", "age instead of retention.maxAgeDays of config.json", wholeNumber())
		.option("--keep <n>", "sessions instead of retention.maxSessions", wholeNumber())
		.option("--max-bytes <n>", "bytes of all sessions instead of retention.maxBytes", wholeNumber())
		.option("--json", "machine-readable")
		.addOption(new Option("--auto").hideHelp())
		.addHelpText("after", HELP)
		.action(async (options: GcOptions) => (await import("../acts/gc.ts")).gc(options, io));
}

const HELP = `
Never deleted: a session touched within 24 hours, the one that asks, MEMORY.md and the daily logs.
It also runs by itself once a day, when a session starts (retention.enabled in config.json); then it tells log/gc.log.

Examples:
  ccg gc --dry-run                       what would go, and why
  ccg gc --older-than 30 --keep 200      less than config.json keeps
  ccg gc --json | jq '.deleted[].path'

Exit codes: 0 done, 1 something could not be deleted (it is named), or another ccg is at work.`;
