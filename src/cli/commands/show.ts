import type { Command } from "commander";
import { MAX_INJECTED_CHARS } from "../../core/recovery/budget.ts";
import type { ShowOptions } from "../acts/show.ts";
import type { Io } from "../support/io.ts";
import { wholeNumber } from "../support/number-argument.ts";

export function registerShow(program: Command, io: Io): void {
	program
		.command("show")
		.description("print what would be injected if the conversation were compacted now")
		.option("--session <id>", "of this session, by its id or the beginning of it (default: the one seen last)")
		.option("--transcript <file>", "of this transcript file")
		.option("--at <line>", "as before this line of the transcript, from 1", wholeNumber(1))
		.option(
			"--budget <chars>",
			`characters, 500 to ${2 * MAX_INJECTED_CHARS}`,
			wholeNumber(500, 2 * MAX_INJECTED_CHARS),
		)
		.addHelpText(
			"after",
			"\nExamples:\n  ccg show\n  ccg show --transcript ~/.claude/projects/x/y.jsonl --at 400 --budget 2000",
		)
		.action(async (options: ShowOptions) => (await import("../acts/show.ts")).show(options, io));
}
