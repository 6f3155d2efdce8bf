import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { readStdin } from "../src/events/run/run-hook.ts";
import { runStatusLine } from "../src/events/status-line/status-line.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
void runStatusLine(readStdin, process.argv.slice(2));
