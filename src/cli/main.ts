import { ALL_COMMANDS } from "./all-commands.ts";
import { start } from "./program.ts";

start(ALL_COMMANDS);
