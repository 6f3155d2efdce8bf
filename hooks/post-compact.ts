import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { postCompact } from "../src/events/post-compact.ts";
import { runHook } from "../src/events/run/run-hook.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
runHook("post-compact", postCompact);
