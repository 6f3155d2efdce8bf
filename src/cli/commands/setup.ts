import { type Command, Option } from "commander";
import type { SetupOptions } from "../acts/setup.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import { EXIT_CODES } from "../support/exit-codes.ts";
import type { Io } from "../support/io.ts";

/** `ccg setup`: the status line of the plugin. `ask` answers in place of the terminal. */
export function registerSetup(program: Command, io: Io, ask?: Ask): void {
	program
		.command("setup")
		.description("with ccg as a plugin: register its status line, which a plugin can't do itself")
		.option("--undo", "take it out again")
		.option("--yes", "do not ask")
		.option("--dry-run", "show the change and write nothing")
		// for hooks of the plugin
		.addOption(new Option("--prepare <data>", "make the copy that starts faster").hideHelp())
		.addOption(new Option("--undo-gone", "take out a status line whose plugin was uninstalled").hideHelp())
		.addHelpText("after", EXAMPLES + EXIT_CODES)
		.action(async (options: SetupOptions) => (await import("../acts/setup.ts")).setup(options, io, ask));
}

const EXAMPLES = `
In Claude Code: /ccg:setup shows the change, /ccg:setup apply makes it. A status line that is there goes on inside ccg's.

Examples:
  ccg setup --dry-run   show what would change in ~/.claude/settings.json
  ccg setup             show it, ask, do it
  ccg setup --undo      take it out again
`;
