import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { lateFrom } from "../src/events/steps/late.ts";
import { subagentStop } from "../src/events/subagent-stop.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
lateFrom({ entries: (bundle = "../src/install/entries") => require(bundle) });
runHook("subagent-stop", subagentStop);
