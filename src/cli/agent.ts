import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { AGENT_COMMANDS } from "./agent-commands.ts";
import { start } from "./program.ts";

rulesFrom((bundle = "../core/redact/rules"): RedactionRules => require(bundle));
start(AGENT_COMMANDS);
