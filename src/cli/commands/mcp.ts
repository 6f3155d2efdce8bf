import type { Spec } from "../support/command.ts";
import { WrongUse } from "../support/io.ts";

/** `ccg mcp`: its help. The launcher starts the server itself from a bundle of its own (`src/mcp/main.ts`). */
export const mcp: Spec = {
	about: "the MCP server, which Claude Code starts: recall and notes as tools of the session",
	help: `
It speaks JSON-RPC on stdin and stdout and ends with stdin. Tools: recall, read_passage, save_memory, list_memories;
only the project it was started in. docs/guide.md has what it costs in the context. 

Example:
  ccg install --mcp   registers it`,
	act() {
		throw new WrongUse("the server takes no options; Claude Code starts it as: ccg mcp");
	},
};
