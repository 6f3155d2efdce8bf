import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { subagentStop } from "../src/events/subagent-stop.ts";

rulesFrom((): RedactionRules => require("../src/core/redact/rules.ts"));
runHook("subagent-stop", subagentStop);
