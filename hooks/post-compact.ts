import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { postCompact } from "../src/events/post-compact.ts";
import { runHook } from "../src/events/run/run-hook.ts";

rulesFrom((): RedactionRules => require("../src/core/redact/rules.ts"));
runHook("post-compact", postCompact);
