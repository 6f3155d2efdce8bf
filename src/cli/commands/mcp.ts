import type { Command } from "commander";

/** `ccg mcp`: its help. The launcher starts the server itself from a bundle of its own (`src/mcp/main.ts`). */
export function registerMcp(program: Command): void {
	program
		.command("mcp")
		.description("the MCP server, which Claude Code starts: recall and notes as tools of the session")
		.addHelpText("after", EXAMPLES)
		.action((_: unknown, command: Command) =>
			command.error("error: the server takes no options; Claude Code starts it as: ccg mcp", { exitCode: 2 }),
		);
}

const EXAMPLES = `
It speaks JSON-RPC on stdin and stdout and ends with stdin. Tools: recall, read_passage, save_memory, list_memories; resources: the
project's notes and checkpoints. Only the project it was started in. docs/mcp.md has what it costs in the context.

Examples:
  ccg install --mcp   register it for all projects of this user; ccg uninstall takes it out again`;
