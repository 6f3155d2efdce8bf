import type { Spec } from "../support/command.ts";
import { WrongUse } from "../support/io.ts";

/** `ccg mcp`: its help. The launcher starts the server itself from a bundle of its own (`src/mcp/main.ts`). */
export const mcp: Spec = {
	about: "the MCP server, which Claude Code starts: recall and notes as tools for the model",
	help: `
It speaks JSON-RPC on stdin and stdout and ends with stdin. Tools: recall, read_passage, save_memory, list_memories;
they see only the project it was started in. docs/guide.md says what it costs in the context.

Example:
  ccg install --mcp   registers it`,
	act() {
		throw new WrongUse("the server takes no options; Claude Code starts it as: ccg mcp");
	},
};
