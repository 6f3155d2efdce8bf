import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { subagentStop } from "../src/events/subagent-stop.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
runHook("subagent-stop", subagentStop);
