import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { modCompacted } from "../src/events/mod-compacted.ts";
import { runHook } from "../src/events/run/run-hook.ts";

rulesFrom((): RedactionRules => require("../src/core/redact/rules.ts"));
runHook("mod-compacted", modCompacted);
