import { readStdin } from "../src/events/run/run-hook.ts";
import { runStatusLine } from "../src/events/status-line/status-line.ts";

void runStatusLine(readStdin, process.argv.slice(2));
