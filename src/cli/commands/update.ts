import { type Command, Option } from "commander";
import type { UpdateOptions } from "../acts/update.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import { EXIT_CODES } from "../support/exit-codes.ts";
import type { Io } from "../support/io.ts";

/** `ccg update`: the newest version in place of the installed one. `ask` answers in place of the terminal. */
export function registerUpdate(program: Command, io: Io, ask?: Ask): void {
	program
		.command("update")
		.description("bring the newest version with npm and put it to work; running sessions go on")
		.option("--check", "only say whether there is a newer one")
		.option("--from <package>", "take this instead: a version as 0.3.0, or a tarball")
		.option("--yes", "do not ask")
		.addOption(new Option("--bytecode", "only make bytecode of the copy at work").hideHelp())
		.option("--json", "print what was found and done as JSON")
		.addHelpText("after", EXAMPLES + EXIT_CODES)
		.action(async (options: UpdateOptions) => (await import("../acts/update.ts")).update(options, io, ask));
}

const EXAMPLES = `
Examples:
  ccg update --check            is there a newer version?
  ccg update                    bring it, after a question
  ccg update --from 0.2.0       go to this version, also back to an older one
  ccg update --from ./claude-context-guard-0.3.0.tgz

This asks the npm registry, with your npm, and not from within a session of Claude Code. A clone is updated with git; a plugin by Claude Code. The version before stays on
the disk for a week, for sessions that use it.
`;
