import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { AGENT_COMMANDS } from "./commands/agents.ts";
import { start } from "./start.ts";

rulesFrom((bundle = "../core/redact/rules"): RedactionRules => require(bundle));
const [name = "", only] = process.argv.slice(2);
start(AGENT_COMMANDS[name]!(only));
