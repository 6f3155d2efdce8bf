import { type Command, InvalidArgumentError, Option } from "commander";
import { SCOPES } from "../../install/settings-path.ts";
import { isVersion } from "../../install/version-text.ts";
import type { InstallOptions } from "../acts/install.ts";
import type { Ask, AskText } from "../support/ask-on-terminal.ts";
import { EXIT_CODES } from "../support/exit-codes.ts";
import type { Io } from "../support/io.ts";

/** `ccg install`: registers hooks and status line in a settings file. `ask` answers in place of the terminal. */
export function registerInstall(program: Command, io: Io, ask?: Ask, askText?: AskText): void {
	program
		.command("install")
		.description("register ccg's hooks and status line in Claude Code's settings")
		.addOption(
			new Option("--scope <scope>", "which settings file; project is refused inside a git repository")
				.choices(SCOPES)
				.default("user"),
		)
		.option("--yes", "do not ask")
		.option("--dry-run", "show the change and write nothing")
		.option("--claude-version <version>", "register for this Claude Code instead of the one that is found", version)
		.option("--allow-memory", "also let the agent run `ccg memory save` without asking")
		.option("--allow-recall", "also let the agent run `ccg recall` without asking: it reads, and only this project")
		.option("--mcp", "also register the MCP server: recall and notes as tools of the model")
		.option("--in-place", "register this folder itself instead of a copy in the store: for work on ccg")
		.option("--skills", "also slash commands (/ccg:checkpoint, /ccg:restore, ...) and the agent context-guardian")
		.addHelpText("after", EXAMPLES + EXIT_CODES)
		.action(async (options: InstallOptions) => (await import("../acts/install.ts")).install(options, io, ask, askText));
}

const EXAMPLES = `
Examples:
  ccg install --dry-run              show what would change in ~/.claude/settings.json
  ccg install                        show it, ask, do it
  ccg install --yes --allow-memory   without a question, with the permission for \`ccg memory save\`
  ccg install --mcp                  also the MCP server, in ~/.claude.json
  ccg install --skills               also slash commands and an agent, in ~/.claude/commands/ccg and ~/.claude/agents
  ccg install --scope local          for this repository only, in .claude/settings.local.json
  ccg install --claude-version 2.1.100   for a Claude Code that is not on PATH

Claude Code up to 2.1.100 skips a settings file whole when it holds an event it does not know. So the version is asked for
with \`claude --version\`, and only events it knows are registered; after an update run \`ccg install\` again.
`;

function version(text: string): string {
	if (isVersion(text)) return text;
	throw new InvalidArgumentError("it must be three numbers, as `claude --version` prints them");
}
