import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { type MeaningBundle, meaningFrom } from "../embeddings/lazy-meaning.ts";
import { AGENT_COMMANDS } from "./commands/agents.ts";
import { start } from "./start.ts";

rulesFrom((bundle = "../core/redact/rules"): RedactionRules => require(bundle));
meaningFrom((bundle = "../embeddings/meaning"): MeaningBundle => require(bundle));
const [name = "", only] = process.argv.slice(2);
start(AGENT_COMMANDS[name]!(only));
