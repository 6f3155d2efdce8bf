import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { stop } from "../src/events/stop.ts";

rulesFrom((): RedactionRules => require("../src/core/redact/rules.ts"));
runHook("stop", stop);
