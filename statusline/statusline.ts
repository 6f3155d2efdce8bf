import { readStdin } from "../src/events/run-hook.ts";
import { runStatusLine } from "../src/events/run-status-line.ts";

void runStatusLine(readStdin, process.argv.slice(2));
