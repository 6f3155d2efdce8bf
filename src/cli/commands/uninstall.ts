import { type Command, Option } from "commander";
import { SCOPES } from "../../install/settings-path.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import { EXIT_CODES } from "../support/exit-codes.ts";
import type { Io } from "../support/io.ts";
import type { ChangeOptions } from "../support/settings-change.ts";

/** `ccg uninstall`: takes ccg's entries out of a settings file again. `ask` answers in place of the terminal. */
export function registerUninstall(program: Command, io: Io, ask?: Ask): void {
	program
		.command("uninstall")
		.description("take ccg's entries out of Claude Code's settings; what ccg has saved stays")
		.addOption(new Option("--scope <scope>", "which settings file").choices(SCOPES).default("user"))
		.option("--yes", "do not ask")
		.option("--dry-run", "show the change and write nothing")
		.addHelpText("after", EXAMPLES + EXIT_CODES)
		.action(async (options: ChangeOptions) => (await import("../acts/uninstall.ts")).uninstall(options, io, ask));
}

const EXAMPLES = `
Examples:
  ccg uninstall --dry-run         show what would change in ~/.claude/settings.json
  ccg uninstall --yes             do it without a question
  ccg uninstall --scope project   from .claude/settings.json of this folder
`;
