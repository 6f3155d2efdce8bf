import { AGENT_COMMANDS } from "./agent-commands.ts";
import { start } from "./program.ts";

start(AGENT_COMMANDS);
