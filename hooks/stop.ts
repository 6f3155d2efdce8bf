import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { stop } from "../src/events/stop.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
runHook("stop", stop);
